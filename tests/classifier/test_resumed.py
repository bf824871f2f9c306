"""A hump of the loss at a restart: a warning where the gradient left its level too."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc import analyze
from spikedoc.classifier.context import build
from spikedoc.classifier.resumed import as_resumed
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity, Status
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart

AT = 151
RISE = float(np.log(1.4))
RESTART = Restart(AT, AT - 1, "resumed")


def judged(
    *, rise: float = RISE, around: float = 0.01, start: int = AT, gradient: float | None = 2.8,
    restart: Restart | None = RESTART, kind: Kind = Kind.SLOW_RECOVERY,
) -> Severity:  # fmt: skip
    parts = [synth.series(np.ones(300))]
    if gradient is not None:
        norm = np.where(np.arange(300) < AT - 1, 1.0, gradient)
        parts.append(synth.series(norm, Metric.GRAD_NORM))
    run = synth.run(*parts, restarts=() if restart is None else (restart,))
    measures = {"rise": rise, "around": around}
    a = Anomaly(kind, Severity.INFO, 0.9, "loss", start, start, start + 9, None, measures)
    return as_resumed(build(run, ()), a).severity


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, Severity.WARNING),
        ({"gradient": None}, Severity.WARNING),
        ({"gradient": 1.5}, Severity.WARNING),
        ({"gradient": 1.49}, Severity.INFO),  # a harder batch
        ({"rise": float(np.log(4 / 3))}, Severity.WARNING),
        ({"rise": float(np.log(1.33))}, Severity.INFO),
        ({"around": RISE / 6.0}, Severity.WARNING),
        ({"around": RISE / 5.9}, Severity.INFO),
        ({"start": AT + 2}, Severity.WARNING),
        ({"start": AT + 3}, Severity.INFO),
        ({"restart": None}, Severity.INFO),
        ({"kind": Kind.ISOLATED_SPIKE}, Severity.INFO),
    ],
)
def test_at_the_threshold(parts: dict[str, object], expected: Severity) -> None:
    assert judged(**parts) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize("said", ["Resuming from checkpoint out/step_3000.pt", ""])
def test_a_printed_log_of_a_bad_resume(tmp_path, said: str) -> None:
    rng = np.random.default_rng(5)
    lines = []
    for i in range(300):
        lost = 0.4 * np.exp(-(i - 150) / 3.0) if i >= 150 else 0.0
        loss = (1.0 + 3.0 * np.exp(-i / 40.0)) * (1.0 + lost + 0.01 * rng.standard_normal())
        norm = (0.8 + 4.5 * lost) * (1.0 + 0.05 * rng.standard_normal())
        if i == 150 and said:
            lines.append(said)
        lines.append(f"step: {20 * i} loss: {loss:.4f} grad_norm: {norm:.3f}")
    log = tmp_path / "train.log"
    log.write_text("\n".join(lines))
    report = analyze(log)
    assert report.status is (Status.WARNING if said else Status.HEALTHY)
    codes = {cause.rule.code for cause in report.causes}
    assert {"SD802", "SD804"} <= codes if said else not {"SD802", "SD804"} & codes
