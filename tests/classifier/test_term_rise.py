"""A loss that rises by its KL term alone is a remark; one that rises by the rest is an alarm."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.term_rise import by_term
from spikedoc.classifier.wording import summarise
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.pipeline import detect

STEPS = np.arange(0, 8000, 20)
ANNEALED = 1.0 + 24.0 * np.minimum(1.0, STEPS / 3000.0)
FALL = 119.0 + 300.0 * np.exp(-STEPS / 300.0)
DRIFT = Anomaly(Kind.SUSTAINED_DRIFT, Severity.WARNING, 0.8, "loss", 1500, 7980, 7980)


def run_of(rest: FloatArray, term: FloatArray, tag: str = "kl") -> Run:
    metric, name = Metric.LOSS_COMPONENT, f"component:{tag}"
    made = Series(metric, name, tag, STEPS, term)
    return synth.run(Series(Metric.LOSS, "loss", "loss", STEPS, rest + term), made)


def judged(run: Run) -> Anomaly:
    return by_term(build(run, ()), DRIFT)


@pytest.mark.parametrize("seed", range(6))
def test_an_annealed_term_is_no_alarm(seed: int) -> None:
    noise = np.random.default_rng(seed).normal(0.0, 3.0, STEPS.size)
    made = run_of(FALL + noise, ANNEALED)
    found = classify(made, detect(made))
    assert not [a for a in found if a.severity is not Severity.INFO]


@pytest.mark.parametrize("tag", ["kl", "train/kl_loss", "KLD", "loss_kl", "kl_divergence"])
def test_the_remark_names_the_term_as_the_log_reads(tag: str) -> None:
    told = judged(run_of(FALL, ANNEALED, tag))
    assert told.severity is Severity.INFO
    assert summarise(told).en.endswith(
        f"{tag} goes from 13 to 25 between steps 1500 and 7980, and the loss with it."
    )


@pytest.mark.parametrize("tag", ["recon", "klaxon", "weight_norm"])
def test_another_term_explains_nothing(tag: str) -> None:
    assert judged(run_of(FALL, ANNEALED, tag)) == DRIFT


def test_a_rest_that_rises_as_well_is_an_alarm() -> None:
    rest = FALL + np.maximum(0.0, STEPS - 1500.0) / 500.0
    assert judged(run_of(rest, ANNEALED)) == DRIFT


def test_a_harmful_rise_and_other_findings_stay() -> None:
    context = build(run_of(FALL, ANNEALED), ())
    for other in (
        replace(DRIFT, severity=Severity.CRITICAL),
        replace(DRIFT, kind=Kind.LEVEL_SHIFT),
        replace(DRIFT, signal="val_loss"),
    ):
        assert by_term(context, other) == other


def test_a_term_that_was_hardly_logged_explains_nothing() -> None:
    made = run_of(FALL, ANNEALED)
    loss, term = made.series
    few = Series(term.metric, term.name, term.tag, term.steps[:3], term.values[:3])
    assert judged(synth.run(loss, few)) == DRIFT
