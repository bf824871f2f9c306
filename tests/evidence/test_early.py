from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.evidence.base import Case
from spikedoc.evidence.early import PROBES
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind, Severity
from spikedoc.model.run import Source

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


@pytest.mark.parametrize(("start", "verdict"), [(30, YES), (31, UNKNOWN), (99, UNKNOWN), (100, NO)])
def test_within_a_hundred_steps_a_run_is_starting(ask, start: int, verdict: Verdict) -> None:
    loss = (np.arange(0, 301), np.ones(301))
    assert ask("early_in_run", Kind.ISOLATED_SPIKE, start, loss=loss).verdict is verdict


def test_an_epoch_is_more_than_a_step() -> None:
    source = Source("log.txt", "text", 9, counts_epochs=True)
    loss = synth.series(np.ones(50))
    anomaly = Anomaly(Kind.ISOLATED_SPIKE, Severity.WARNING, 0.9, "loss", 30, 30, 30)
    run = replace(synth.run(loss), sources=(source,))
    (probe,) = (p for p in PROBES if p.name == "early_in_run")
    assert probe.answer(Case(run, anomaly, (anomaly,))).verdict is NO


@pytest.mark.parametrize(("start", "verdict"), [(5, UNKNOWN), (6, NO), (12, NO)])
@pytest.mark.parametrize("counts", [True, False])
def test_after_five_epochs_no_run_is_starting(start: int, verdict: Verdict, counts: bool) -> None:
    source = Source("log.txt", "text", 9, counts_epochs=counts)
    anomaly = Anomaly(Kind.ISOLATED_SPIKE, Severity.WARNING, 0.9, "loss", start, start, start)
    run = replace(synth.run(synth.series(np.ones(12))), sources=(source,))
    (probe,) = (p for p in PROBES if p.name == "early_in_run")
    said = probe.answer(Case(run, anomaly, (anomaly,))).verdict
    assert said is (verdict if counts else UNKNOWN)


def test_early_in_run(ask, falling) -> None:
    assert ask("early_in_run", Kind.ISOLATED_SPIKE, 60, loss=falling).verdict is YES
    assert ask("early_in_run", Kind.ISOLATED_SPIKE, 600, loss=falling).verdict is NO
    assert ask("early_in_run", Kind.OSCILLATION, 60, loss=falling).verdict is UNKNOWN


def test_within_early_noise_is_about_absolute_size(ask, falling) -> None:
    # The first tenth scatters by about .2 absolute; the level at step 900 is .3.
    small, large = falling.copy(), falling.copy()
    small[899] = 0.45
    large[899] = 3.0
    assert ask("within_early_noise", Kind.ISOLATED_SPIKE, 900, loss=small).verdict is YES
    assert ask("within_early_noise", Kind.ISOLATED_SPIKE, 900, loss=large).verdict is NO
    assert ask("within_early_noise", Kind.ISOLATED_SPIKE, 50, loss=small).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("start", "share", "verdict"),
    [
        *((1, 0.0, YES), (101, 10.0, YES), (102, 10.1, NO), (1001, 100.0, NO)),
        *((0, None, UNKNOWN), (1002, None, UNKNOWN)),
    ],
)
def test_the_first_tenth_of_the_run(ask, start: int, share: float | None, verdict) -> None:
    found = ask("early_in_run", Kind.ISOLATED_SPIKE, start, loss=np.ones(1001))
    assert found.verdict is verdict
    assert found.values == ({} if share is None else {"step": start, "share": share})


@pytest.mark.parametrize(("points", "verdict"), [(20, YES), (19, UNKNOWN)])
def test_twenty_points_have_a_beginning(ask, points: int, verdict: Verdict) -> None:
    assert ask("early_in_run", Kind.ISOLATED_SPIKE, 1, loss=np.ones(points)).verdict is verdict


def jumped(ask, height: float, at: int = 600, n: int = 1000):
    """Ask about a jump of a loss whose first tenth alternates by 1 around a level of 10."""
    loss = np.full(n, 5.0)
    early = n // 10
    loss[:early] = 10 + np.where(np.arange(early) % 11 == 5, 3.0, 0.0)
    loss[at - 1] += height
    return ask("within_early_noise", Kind.ISOLATED_SPIKE, at, loss=loss)


@pytest.mark.parametrize(("height", "verdict"), [(3.0, YES), (3.01, NO)])
def test_what_one_early_point_in_eleven_reaches(ask, height: float, verdict: Verdict) -> None:
    # Nine in a hundred stand 3 above all others: the upper twentieth does.
    found = jumped(ask, height)
    assert (found.verdict, found.values["usual"]) == (verdict, 3.0)
    assert found.values["height"] == pytest.approx(height)


@pytest.mark.parametrize(
    ("at", "n", "verdict"),
    [(102, 1000, YES), (101, 1000, UNKNOWN), (150, 200, YES), (150, 199, UNKNOWN)],
)
def test_behind_an_early_part_of_twenty_points(ask, at: int, n: int, verdict: Verdict) -> None:
    assert jumped(ask, 1.0, at, n).verdict is verdict
