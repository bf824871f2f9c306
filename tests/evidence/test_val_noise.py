from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth
from levels import zigzag

from spikedoc.evidence import val_noise
from spikedoc.evidence.base import Case
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series, Source

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
AT = np.arange(50, 1001, 50)
KIND = Kind.OSCILLATION


def test_jitter(ask, falling) -> None:
    fall = 2.0 * np.exp(-AT / 300) + 0.5
    flips = (-1.0) ** np.arange(AT.size)
    loud = (AT, fall * np.exp(0.3 * flips))
    quiet = (AT, fall * np.exp(0.02 * flips))
    stuck = (AT, 2.3 * np.exp(0.001 * flips))
    name = "val_jitters"
    assert ask(name, KIND, 300, 300, 1000, loss=falling, val_loss=loud).verdict is YES
    assert ask(name, KIND, 300, 300, 1000, loss=falling, val_loss=quiet).verdict is NO
    # Steady because nothing was learned: no sign of quiet weights.
    assert ask(name, KIND, 300, 300, 1000, loss=falling, val_loss=stuck).verdict is UNKNOWN
    spike = Kind.ISOLATED_SPIKE
    assert ask(name, spike, 300, loss=falling, val_loss=loud).verdict is UNKNOWN
    wave = ask(name, KIND, 300, 300, 1000, loss=falling, val_loss=loud, form=Form.WAVE)
    assert wave.verdict is UNKNOWN


def jitters(ask, by: float, *, n: int = 9, first: float = 2.0, level: float = 0.0):
    """Ask about evaluations of which the later ones alternate by `by` in their logs."""
    values = np.exp(zigzag(n, level, by))
    values[: n // 3] = first
    return ask("val_jitters", KIND, 300, loss=np.ones(1000), val_loss=(AT[:n], values))


@pytest.mark.parametrize(("by", "percent", "verdict"), [(0.0575, 13.9, NO), (0.058, 14.0, YES)])
def test_a_seventh_from_one_evaluation_to_the_next(ask, by, percent, verdict) -> None:
    # Each is 2 x by off the line through its neighbours: 1.4826 x 2 x by / sqrt(1.5).
    found = jitters(ask, by)
    assert (found.verdict, found.values) == (verdict, {"percent": percent})


@pytest.mark.parametrize(
    ("n", "first", "verdict"),
    [
        *((8, 2.0, NO), (7, 2.0, UNKNOWN)),  # six behind the first third
        *((9, 1.06, NO), (9, 1.05, UNKNOWN), (9, 1.0, UNKNOWN)),  # .95 x 1.06 = 1.007
    ],
)
def test_a_model_that_learned_and_six_evaluations(ask, n: int, first: float, verdict) -> None:
    assert jitters(ask, 0.0, n=n, first=first).verdict is verdict


def test_a_loss_of_zero_has_no_log(ask) -> None:
    assert jitters(ask, 0.3, first=0.0).verdict is UNKNOWN
    assert jitters(ask, 0.3, first=1e-9).verdict is YES


def test_a_table_of_epochs_has_no_noise_of_batches(falling) -> None:
    fall = (AT, 2.0 * np.exp(-AT / 300) + 0.5)
    val = Series(Metric.VAL_LOSS, "val_loss", "val_loss", *fall)
    run = synth.run(synth.series(falling), val)
    (probe,) = (p for p in val_noise.PROBES if p.name == "val_jitters")
    found = Anomaly(KIND, Severity.WARNING, 0.8, "loss", 300, 300, 1000)
    for counts, verdict in ((False, NO), (True, UNKNOWN)):
        source = Source("log.csv", "csv", 1, (), counts_epochs=counts)
        case = Case(replace(run, sources=(source,)), found, (found,))
        assert probe.answer(case).verdict is verdict
