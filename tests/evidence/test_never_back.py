from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


def stays(ask, loss: list[float], start: int, form: Form = Form.FINITE, first: int = 1) -> Evidence:
    steps = np.arange(first, first + len(loss))
    at, end = first + start, first + len(loss) - 1
    pair = (steps, np.array(loss))
    return ask("stays_above_start", Kind.DIVERGENCE, at, end, form=form, loss=pair)


def test_worse_than_untrained_for_good(ask) -> None:
    said = stays(ask, [2.0, 1.5, 1.25, 3.5, 6.5, 4.5], 3)
    assert said.verdict is YES
    assert said.values == {"lowest": 3.5, "before": 2.0, "records": 3}


def test_what_was_learned_is_lost_but_not_more(ask) -> None:
    assert stays(ask, [2.0, 1.5, 1.25, 1.75, 1.75, 1.75], 3).verdict is NO


@pytest.mark.parametrize(
    ("loss", "start", "form"),
    [
        ([2.0, 1.5, 1.25, 3.5, 6.5], 3, Form.FINITE),  # two records since
        ([2.0, 1.5, 3.5, 6.5, 4.5], 0, Form.FINITE),  # nothing before
        ([-2.0, 1.5, 3.5, 6.5, 4.5], 2, Form.FINITE),  # a loss without a lower bound
        ([2.0, 1.5, 3.5, 6.5, 4.5], 2, Form.TO_NONFINITE),
    ],
)
def test_what_says_nothing(ask, loss: list[float], start: int, form: Form) -> None:
    assert stays(ask, loss, start, form).verdict is UNKNOWN


def test_a_log_that_begins_late_needs_ten_times_all_before(ask) -> None:
    assert stays(ask, [2.0, 1.5, 3.5, 6.5, 4.5], 2, first=500).verdict is UNKNOWN
    assert stays(ask, [2.0, 1.5, 35.0, 65.0, 25.0], 2, first=500).verdict is YES
