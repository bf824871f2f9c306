"""A loss that breaks out of a long calm, and one that goes on as if it had not."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

CALM = (1.0 + 0.1 * np.sin(np.arange(60))).tolist()
NAN, INF = float("nan"), float("inf")


def asked(ask, loss: list[float], form: Form = Form.TRANSIENT):
    return ask("breaks_out_of_long_calm", Kind.NONFINITE, 61, loss=loss, form=form)


@pytest.mark.parametrize("bad", [NAN, INF])
def test_steps_after_which_the_loss_goes_on_were_skipped(ask, bad: float) -> None:
    told = asked(ask, [*CALM, bad, bad, *CALM[:10]])
    assert told.verdict is Verdict.REFUTES
    assert told.values["last"] == 62
    assert told.values["after"] == pytest.approx(np.median(CALM[:10]), abs=0.01)
    assert "the weights are sound" in told.statement.en
    assert "权重完好" in told.statement.zh


@pytest.mark.parametrize(
    "after",
    [
        CALM[:9],  # too little to say
        [2.3] * 20,  # all is unlearned
        [NAN] * 20,
        [],
    ],
)
def test_what_does_not_go_on_broke(ask, after: list[float]) -> None:
    told = asked(ask, [*CALM, NAN, *after], Form.PERSISTENT)
    assert told.verdict is Verdict.SUPPORTS
