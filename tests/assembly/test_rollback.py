"""Where to go back to, why, and what was lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.assembly.advice import Advisor
from spikedoc.assembly.rollback import find_rollback
from spikedoc.figures.base import Figure
from spikedoc.figures.timing import rollback
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.knowledge import Catalog
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.report import Rollback
from spikedoc.model.run import Checkpoint, Restart, Run
from spikedoc.text import FieldValue, Text

TEXT = Text("words", "文字")


def anomaly(kind: Kind, severity: Severity, step: int = 500, form: Form | None = None,
            signal: str = "loss") -> Anomaly:  # fmt: skip
    return Anomaly(kind, severity, 0.9, signal, step, step + 1, step + 9, form)


def found(run: Run, anomalies: Sequence[Anomaly], **values: FieldValue | None) -> Rollback | None:
    figures = {
        name: Figure(name, TEXT, lambda run, about, value=value: value)
        for name, value in values.items()
    }
    return find_rollback(run, anomalies, Advisor(Catalog(()), figures, run))


RUN = synth.divergence().run
LOST = anomaly(Kind.DIVERGENCE, Severity.CRITICAL, 1500, Form.FINITE)


def test_it_is_what_the_figures_say() -> None:
    back = found(
        RUN, [LOST], rollback_step=1400, rollback_checkpoint="ckpt/1400", wasted_hours=0.5,
        hours_after=0.25,
    )  # fmt: skip
    assert back is not None
    assert (back.step, back.checkpoint, back.wasted_steps) == (1400, "ckpt/1400", 600)
    assert (back.wasted_seconds, back.lost_seconds) == (1800.0, 900.0)
    assert (back.sign_step, back.sign_signal) == (1500, "loss")
    assert (back.lost_step, back.lost_steps) == (1500, 500)


def test_what_is_unknown_stays_unknown() -> None:
    back = found(RUN, [LOST], rollback_step=1400.0)
    assert back is not None
    assert (back.step, back.checkpoint, back.wasted_seconds) == (1400, None, None)


@pytest.mark.parametrize("step", [None, "nowhere"])
def test_without_a_step_there_is_none(step: FieldValue | None) -> None:
    assert found(RUN, [LOST], rollback_step=step) is None
    assert found(RUN, [LOST]) is None


@pytest.mark.parametrize(
    "harmless",
    [
        anomaly(Kind.DIVERGENCE, Severity.WARNING, form=Form.FINITE),
        anomaly(Kind.NON_CONVERGENCE, Severity.CRITICAL, form=Form.FLAT),
        anomaly(Kind.ISOLATED_SPIKE, Severity.CRITICAL),
    ],
)
def test_only_what_was_lost_is_gone_back_from(harmless: Anomaly) -> None:
    assert found(RUN, [harmless], rollback_step=1400) is None


def test_the_first_loss_decides() -> None:
    asked: list[int] = []

    def compute(run: Run, about: Anomaly) -> FieldValue:
        asked.append(about.start_step)
        return about.start_step

    later = anomaly(Kind.NONFINITE, Severity.CRITICAL, 1800, Form.PERSISTENT)
    one = Advisor(Catalog(()), {"rollback_step": Figure("s", TEXT, compute)}, RUN)
    back = find_rollback(RUN, [later, LOST], one)
    assert back is not None
    assert (back.step, asked) == (1500, [1500])


def test_a_step_beyond_the_log_wastes_nothing() -> None:
    back = found(RUN, [LOST], rollback_step=9999)
    assert back is not None
    assert back.wasted_steps == 0


def run_with(*checkpoints: Checkpoint) -> Run:
    parts = [synth.series(np.ones(2000), m) for m in (Metric.LOSS, Metric.UPDATE_NORM)]
    return Run("made", "made", tuple(parts), checkpoints=checkpoints)


def test_the_reason_names_the_first_sign_and_how_early_it_was() -> None:
    sign = anomaly(Kind.UPDATE_SPIKE, Severity.WARNING, 1495, signal="update_norm")
    back = found(run_with(), [LOST, sign], rollback_step=1400)
    assert back is not None
    assert (back.sign_step, back.sign_signal, back.lost_step) == (1495, "update_norm", 1500)
    assert back.reason.en.startswith("That is before `update_norm` left its normal course at step")
    assert "step 1495" in back.reason.en
    assert (back.reason.en[-1], back.reason.zh[-1]) == (".", "。")
    assert "5 steps ahead of `loss`" in back.reason.en
    assert "比 `loss` 早 5 步" in back.reason.zh
    alone = found(run_with(), [LOST], rollback_step=1400)
    assert alone is not None
    assert "nothing that was logged showed a sign earlier" in alone.reason.en


def test_a_checkpoint_between_the_sign_and_the_loss_is_warned_of() -> None:
    sign = anomaly(Kind.UPDATE_SPIKE, Severity.WARNING, 1485, signal="update_norm")
    saved = (Checkpoint(1490, "c-1490"), Checkpoint(1600, "c-1600"))
    back = found(run_with(*saved), [LOST, sign], rollback_step=1400)
    assert back is not None
    assert "c-1490, was saved at step 1490, after that sign" in back.reason.en
    assert "c-1490" in back.reason.zh
    older = found(run_with(*saved), [LOST, sign], rollback_step=1400, rollback_checkpoint="c-1400")
    assert older is not None
    assert "c-1490" not in older.reason.en


@pytest.mark.parametrize(
    ("restart", "told"), [(1500, True), (1498, True), (1497, False), (1501, False)]
)
def test_what_a_restart_brought_needs_no_margin(restart: int, told: bool) -> None:
    again = replace(RUN, restarts=(Restart(restart, restart - 1, "rewound"),))
    margin = rollback(RUN, LOST)
    assert rollback(again, LOST) == (restart - 1 if told else margin)
    back = found(again, [LOST], rollback_step=rollback(again, LOST))
    assert back is not None
    assert (f"restarted at step {restart}" in back.reason.en) == told
    assert ("are a margin" in back.reason.en) != told


def test_a_pause_is_no_restart_from_older_weights() -> None:
    paused = replace(RUN, restarts=(Restart(1498, 1497, "pause"),))
    assert rollback(paused, LOST) == rollback(RUN, LOST)


@pytest.mark.parametrize(
    ("first", "step", "told"), [(0, 0, False), (1, 1, False), (0, 5, True), (5000, 5000, True)]
)
def test_before_the_first_step_of_a_training_nothing_is_to_be_kept(
    first: int, step: int, told: bool
) -> None:
    run = synth.run(synth.series(np.linspace(2.3, 3e3, 2000), first=first))
    assert (found(run, [LOST], rollback_step=step) is not None) is told
