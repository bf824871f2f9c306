"""The questions about settings that changed with the loss."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.classifier.classify import classify
from spikedoc.evidence.base import Case, Probe
from spikedoc.evidence.logged_setting import PROBES
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.pipeline import detect

N = 1000
BY_NAME: dict[str, Probe] = {probe.name: probe for probe in PROBES}


def asked(name: str, tag: str, at: int) -> Evidence:
    steps = np.arange(N)
    noise = np.random.default_rng(2).standard_normal(N)
    loss = (0.5 + 2.0 * np.exp(-steps / 100.0)) * np.exp(0.06 * noise)
    loss[500:] *= 1.5
    setting = np.where(steps < at, 1.0, 2.0)
    series = (
        Series(Metric.LOSS, "loss", "loss", steps, loss),
        Series(Metric.OTHER, f"other:{tag}", tag, steps, setting),
    )
    run = Run("made", "made", series)
    anomalies = classify(run, detect(run))
    shift = next(a for a in anomalies if a.kind is Kind.LEVEL_SHIFT)
    return BY_NAME[name].answer(Case(run, shift, anomalies))


@pytest.mark.parametrize(
    ("name", "tag"), [("loss_redefined_here", "kl_weight"), ("task_changed_here", "seq_len")]
)
def test_the_change_is_told_with_its_step_and_values(name: str, tag: str) -> None:
    evidence = asked(name, tag, 500)
    assert evidence.verdict is Verdict.SUPPORTS
    assert evidence.statement.en.startswith(f"{tag} goes from 1 to 2 at step 500")


def test_each_question_is_about_its_own_kind_of_setting() -> None:
    assert asked("loss_redefined_here", "seq_len", 500).verdict is Verdict.UNKNOWN
    assert asked("task_changed_here", "kl_weight", 500).verdict is Verdict.UNKNOWN


def test_a_change_elsewhere_says_nothing() -> None:
    assert asked("task_changed_here", "seq_len", 300).verdict is Verdict.UNKNOWN
