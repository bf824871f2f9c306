from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
PROBE = "loss_runs_away_to_nonfinite"


def verdict(ask, loss: list[float] | np.ndarray, start: int) -> tuple[Verdict, dict[str, object]]:
    found = ask(PROBE, Kind.NONFINITE, start, loss=np.array(loss), form=Form.PERSISTENT)
    return found.verdict, dict(found.values)


def test_a_few_printed_lines_are_enough(ask) -> None:
    said, values = verdict(ask, [3.0, 14.0, 12.0, 14.0, 20.0, 3e10, np.nan, np.nan], 7)
    assert said is YES
    assert values == {"level": 12.0, "highest": 3e10, "factor": 2.5e9}


@pytest.mark.parametrize(("last", "said"), [(9.9, NO), (10.0, YES)])
def test_ten_times_the_level(ask, last: float, said: Verdict) -> None:
    assert verdict(ask, [*[1.0] * 600, last, np.nan], 602)[0] is said


def test_an_abrupt_break(ask, falling) -> None:
    loss = falling.copy()
    loss[599:] = np.inf
    assert verdict(ask, loss, 600)[0] is NO


@pytest.mark.parametrize(
    "loss",
    [
        [1.0, 1.0, 1.0, 1.0, 50.0, np.nan],  # five points
        [-1.0] * 20 + [50.0, np.nan],  # no level to multiply
        [np.nan] * 9,
        [1.0] * 9,  # hidden elsewhere
    ],
)
def test_what_cannot_be_told(ask, loss: list[float]) -> None:
    assert verdict(ask, loss, len(loss))[0] is UNKNOWN


@pytest.mark.parametrize(
    ("last", "said"),
    [
        *(([50.0, 1.0, 1.0], YES), ([1.0, 1.0, 50.0], YES)),
        *(([50.0, 1.0, 1.0, 1.0], NO), ([9.0, 50.0, 1.0, 1.0], YES), ([60.0, 50.0, 1.0, 1.0], NO)),
        ([50.0, 50.0, 1.0, 1.0], NO),  # no higher than it had been
    ],
)
def test_the_last_three_values_against_those_before(ask, last: list[float], said) -> None:
    found, values = verdict(ask, [*[1.0] * 100, *last, np.nan], 101 + len(last))
    assert found is said
    assert values["highest"] == max(last[-3:])


@pytest.mark.parametrize(("points", "said"), [(50, NO), (51, YES)])
def test_fifty_values_are_the_level(ask, points: int, said: Verdict) -> None:
    # The last one of them that was as high lies within these fifty, or just before.
    loss = [1.0, 80.0, *[1.0] * (points - 1), 1.0, 1.0, 50.0, np.nan]
    assert verdict(ask, loss, len(loss))[0] is said


def test_six_values_are_enough_and_a_level_of_zero_is_none(ask) -> None:
    assert verdict(ask, [1.0, 1.0, 1.0, 1.0, 1.0, 50.0, np.nan], 7)[0] is YES
    assert verdict(ask, [0.0] * 9 + [50.0, np.nan], 11)[0] is UNKNOWN
