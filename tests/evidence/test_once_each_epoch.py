from __future__ import annotations

import numpy as np
import pytest

from spikedoc.evidence.once_each_epoch import ALONE_BY_CHANCE, CHANCE
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
EPOCH = 40
CONFIG = {"steps_per_epoch": EPOCH}


def broken(at: list[int], n: int = 1000) -> np.ndarray:
    """A loss, logged at steps 1 to n, that is NaN at these steps."""
    loss = np.linspace(2.0, 1.0, n)
    loss[np.array(at, dtype=int) - 1] = np.nan
    return loss


def asked(ask, loss, config=CONFIG, **more):
    return ask(
        "once_each_epoch", Kind.NONFINITE, 1, 1, 1000, form=Form.TRANSIENT, loss=loss,
        config=config, **more,
    )  # fmt: skip


def test_one_sample_at_a_new_place_in_every_epoch(ask) -> None:
    places = np.random.default_rng(0).integers(1, EPOCH + 1, 25)
    found = asked(ask, broken([EPOCH * k + int(p) for k, p in enumerate(places)]))
    assert found.verdict is YES
    assert found.values == {"alone": 25, "epochs": 25, "count": 25}


@pytest.mark.parametrize("place", [1, EPOCH])
def test_the_first_and_the_last_step_belong_to_their_epoch(ask, place: int) -> None:
    found = asked(ask, broken([EPOCH * k + place for k in range(25)]))
    assert (found.verdict, found.values["alone"]) == (YES, 25)


def test_a_stretch_of_broken_records_is_one_event(ask) -> None:
    found = asked(ask, broken([EPOCH * k + 7 + n for k in range(25) for n in range(3)]))
    assert (found.verdict, found.values["count"]) == (YES, 25)


def test_as_many_at_random_are_not_one_an_epoch(ask) -> None:
    hits = 0
    for seed in range(20):
        steps = np.random.default_rng(seed).choice(np.arange(1, 1001), 25, replace=False)
        found = asked(ask, broken(sorted(steps.tolist())))
        hits += found.verdict is YES
        assert found.values["alone"] < 25
    assert hits == 0


def test_an_epoch_in_ten_may_hold_none(ask) -> None:
    assert asked(ask, broken([EPOCH * k + 9 for k in range(25) if k not in (3, 8)])).verdict is YES
    without = (3, 8, 11)
    found = asked(ask, broken([EPOCH * k + 9 for k in range(25) if k not in without]))
    assert (found.verdict, found.values["alone"]) == (NO, 22)


def test_seven_epochs_are_enough(ask) -> None:
    assert ALONE_BY_CHANCE**7 <= CHANCE < ALONE_BY_CHANCE**6
    assert asked(ask, broken([EPOCH * k + 9 for k in range(18, 25)])).verdict is YES
    assert asked(ask, broken([EPOCH * k + 9 for k in range(19, 25)])).verdict is UNKNOWN


def test_the_epoch_that_the_log_ends_in_is_not_counted(ask) -> None:
    found = asked(ask, broken([EPOCH * k + 35 for k in range(25)], 1020))
    assert (found.verdict, found.values["epochs"]) == (YES, 25)


def test_an_unknown_or_short_epoch(ask) -> None:
    at = [EPOCH * k + 9 for k in range(25)]
    unknown = asked(ask, broken(at), {})
    assert unknown.verdict is UNKNOWN
    assert unknown.missing_config == ("steps_per_epoch",)
    assert asked(ask, broken(at), {"steps_per_epoch": 9}).verdict is UNKNOWN
    few = asked(ask, broken(at[:6]), {})
    assert (few.verdict, few.missing_config) == (UNKNOWN, ())  # of six events nothing is asked
    assert asked(ask, broken([])).verdict is UNKNOWN


def test_halvings_of_the_loss_scale(ask) -> None:
    scale = 2.0 ** (20 - np.arange(1000) // EPOCH)
    found = ask(
        "once_each_epoch", Kind.LOSS_SCALE_COLLAPSE, 41, 41, 1000, form=Form.FLOOR,
        loss=np.ones(1000), loss_scale=scale, config=CONFIG,
    )  # fmt: skip
    assert (found.verdict, found.values["count"]) == (YES, 24)
