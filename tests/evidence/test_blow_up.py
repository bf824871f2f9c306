"""A blow-up in the first steps."""

from __future__ import annotations

import numpy as np

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

LOSS = np.concatenate([[24.0, 9.0, 4.0], np.full(397, 2.31)])


def test_it_names_the_peak_and_the_rest(ask) -> None:
    kind, thrown = Kind.NON_CONVERGENCE, {"thrown": 1.0}
    found = ask("blew_up_at_start", kind, 1, 1, 400, measures=thrown, loss=LOSS)
    assert found.verdict is Verdict.SUPPORTS
    assert found.values == {"peak": 24, "rest": 2.31}


def test_nothing_is_said_of_other_runs(ask) -> None:
    for kind, thrown in ((Kind.NON_CONVERGENCE, 0.0), (Kind.DIVERGENCE, 1.0)):
        found = ask("blew_up_at_start", kind, 1, measures={"thrown": thrown}, loss=LOSS)
        assert found.verdict is Verdict.UNKNOWN


def test_a_start_far_above_a_guess_is_one(ask) -> None:
    def verdict(first: float) -> Verdict:
        measures = {"chance": 2.303, "first": first}
        return ask(
            "blew_up_at_start", Kind.NON_CONVERGENCE, 1, 1, 400, measures=measures, loss=LOSS
        ).verdict

    assert verdict(4.7) is Verdict.SUPPORTS
    assert verdict(4.6) is Verdict.UNKNOWN
