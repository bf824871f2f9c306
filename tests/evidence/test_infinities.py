"""Infinities and NaN are told apart: nothing averaged over nothing is infinite."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


def broken(values: np.ndarray, *what: float) -> np.ndarray:
    out = values.copy()
    out[599 : 599 + len(what)] = what
    return out


@pytest.mark.parametrize(
    ("what", "verdict", "nan"),
    [
        ((np.inf, np.inf), YES, 0),
        ((-np.inf,), YES, 0),
        ((np.inf, np.nan), NO, 1),
        ((np.nan, np.nan), NO, 2),
    ],
)
def test_what_broke_in_the_loss(ask, falling, what, verdict: Verdict, nan: int) -> None:
    loss = broken(falling, *what)
    found = ask(
        "breaks_are_infinite", Kind.NONFINITE, 600, 600, 601, loss=loss, form=Form.TRANSIENT
    )
    assert found.verdict is verdict
    assert (found.values["count"], found.values["nan"]) == (len(what), nan)


def test_a_loss_that_stays_a_number_says_nothing_and_no_other_finding_is_asked(
    ask, falling
) -> None:
    assert ask("breaks_are_infinite", Kind.NONFINITE, 600, loss=falling).verdict is UNKNOWN
    spike = ask("breaks_are_infinite", Kind.ISOLATED_SPIKE, 600, loss=broken(falling, np.inf))
    assert spike.verdict is UNKNOWN
