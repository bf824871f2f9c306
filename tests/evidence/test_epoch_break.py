"""NaN in a table of epochs."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
N = 12
FALLING = 2.0 * 0.8 ** np.arange(N)
BROKEN = np.where(np.arange(N) < 5, FALLING, np.nan)
KIND = Kind.NONFINITE


def validation(ask, loss, val=BROKEN, start=6):
    parts = {"loss": loss, "val_loss": val, "signal": "val_loss", "form": Form.PERSISTENT}
    return ask("training_stays_sound", KIND, start, start, N, **parts)


def test_training_that_stays_finite_has_sound_weights(ask) -> None:
    found = validation(ask, FALLING)
    assert found.verdict is YES
    assert found.values == {"step": 6, "last": pytest.approx(0.172)}
    assert validation(ask, BROKEN).verdict is NO
    once = FALLING.copy()
    once[8] = np.inf
    assert validation(ask, once).verdict is NO


def test_it_is_asked_of_validation_alone_and_of_records_there(ask) -> None:
    asked = ask("training_stays_sound", KIND, 6, loss=BROKEN, val_loss=FALLING)
    assert asked.verdict is UNKNOWN
    assert validation(ask, FALLING[:4]).verdict is UNKNOWN
    assert validation(ask, FALLING[:5]).verdict is YES  # the record before, and the log ends
    assert validation(ask, np.array([2.0, 1.5, 1.2, 1.1, np.nan])).verdict is UNKNOWN
    shift = ask("training_stays_sound", Kind.DIVERGENCE, 6, loss=FALLING, signal="val_loss")
    assert shift.verdict is UNKNOWN


def broken_after(*values: float) -> np.ndarray:
    return np.array([*values, np.nan, np.nan])


@pytest.mark.parametrize(
    ("loss", "verdict"),
    [
        (broken_after(2.0, 1.5, 1.2), YES),
        (broken_after(2.0, 1.2, 1.25), YES),  # within a twentieth of the best
        (broken_after(2.0, 1.2, 1.27), NO),
        (broken_after(2.0, 2.5, 40.0), NO),
        (broken_after(1.0, 1.0, 1.0), NO),
        (broken_after(2.0, 1.5), UNKNOWN),  # two records are no course
        (broken_after(2.0, 1.0, -1.0), UNKNOWN),  # no loss of a known floor
        (broken_after(*np.linspace(2.0, 1.0, 59)), YES),
        (broken_after(*np.linspace(2.0, 1.0, 60)), UNKNOWN),  # no table of epochs
        (FALLING, UNKNOWN),
    ],
)
def test_a_loss_that_falls_until_it_breaks(ask, loss, verdict) -> None:
    assert ask("falls_until_break", KIND, 4, loss=loss).verdict is verdict


def test_validation_is_not_asked_about_training(ask) -> None:
    asked = ask("falls_until_break", KIND, 6, loss=BROKEN, val_loss=BROKEN, signal="val_loss")
    assert asked.verdict is UNKNOWN
