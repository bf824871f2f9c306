from __future__ import annotations

import numpy as np

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAME, KIND = "loss_only_rises", Kind.DIVERGENCE
LOSSES = np.exp(-np.arange(300) / 100) * np.random.default_rng(4).uniform(0.5, 1.5, 300)


def test_a_running_sum_rises_at_each_record(ask) -> None:
    found = ask(NAME, KIND, 10, 300, 300, loss=np.cumsum(LOSSES))
    assert (found.verdict, found.values["count"]) == (YES, found.values["all"])


def test_what_diverges_gets_faster(ask) -> None:
    assert ask(NAME, KIND, 10, 300, 300, loss=np.exp(np.arange(300) / 40)).verdict is NO


def test_a_noisy_rise_is_no_sum(ask) -> None:
    assert ask(NAME, KIND, 10, 300, 300, loss=LOSSES + np.arange(300) / 100).verdict is NO


def test_few_records_or_another_kind_tell_nothing(ask) -> None:
    assert ask(NAME, KIND, 1, 40, 40, loss=np.cumsum(LOSSES[:40])).verdict is UNKNOWN
    spike = ask(NAME, Kind.ISOLATED_SPIKE, 10, 10, 300, loss=np.cumsum(LOSSES))
    assert spike.verdict is UNKNOWN
