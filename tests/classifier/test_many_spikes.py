"""Many spikes are one finding, never none; heavy tails and mixtures stay healthy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.many_spikes import SINGLE_MOST, as_one
from spikedoc.classifier.wording import summarise
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Kind, Severity
from spikedoc.model.run import FloatArray
from spikedoc.pipeline import detect

CONTEXT = build(synth.healthy(n=1000).run, ())


def spike(step: int, severity: Severity = Severity.WARNING) -> Anomaly:
    seen = Detection("any", Shape.POINT, "loss", step, step, step, {"z": 30.0})
    measures = {"z": 30.0, "before": 2.0, "peak": 4.0}
    return Anomaly(
        *(Kind.ISOLATED_SPIKE, severity, 0.9, "loss", step, step, step, None),
        *(measures, (seen,)),
    )


def test_more_than_ten_are_one_finding_at_the_first_of_them() -> None:
    found = [spike(100 + 37 * i) for i in range(20)]
    (one,) = as_one(CONTEXT, found)
    assert (one.kind, one.start_step, one.peak_step) == (Kind.ISOLATED_SPIKE, 100, 100)
    told = {"count": 20.0, "crowd_percent": 2.0, "last_spike": 803.0}
    assert one.measures == found[0].measures | told
    assert [d.first_step for d in one.detections] == [a.start_step for a in found]
    assert summarise(one).en == (
        "loss spikes 20 times between steps 100 and 803 (2 % of the points) and is back at once "
        "each time; the first goes from 2 to 4."
    )


def test_ten_are_told_one_by_one() -> None:
    found = [spike(100 + 37 * i) for i in range(SINGLE_MOST)]
    assert as_one(CONTEXT, found) == found


def test_remarks_do_not_count_as_alarms_and_other_findings_stay() -> None:
    other = replace(spike(500), kind=Kind.SLOW_RECOVERY)
    alarms = [spike(100 + 37 * i) for i in range(SINGLE_MOST)]
    remarks = [spike(110 + 37 * i, Severity.INFO) for i in range(SINGLE_MOST + 1)]
    found = as_one(CONTEXT, [*alarms, *remarks, other])
    assert [a for a in found if a.severity is Severity.WARNING] == [*alarms, other]
    (remark,) = [a for a in found if a.severity is Severity.INFO]
    assert (remark.start_step, remark.measures["count"]) == (110, SINGLE_MOST + 1)


def course(n: int, rng: np.random.Generator) -> FloatArray:
    return np.asarray(2.0 + 3.0 * np.exp(-np.arange(n) / 150.0) + rng.normal(0.0, 0.04, n))


@pytest.mark.parametrize(("n", "spikes"), [(1000, 12), (1000, 20), (1000, 30), (2000, 60)])
@pytest.mark.parametrize("seed", range(3))
def test_many_clear_spikes_are_an_alarm_whatever_their_number(
    n: int, spikes: int, seed: int
) -> None:
    rng = np.random.default_rng([n, spikes, seed])
    loss = course(n, rng)
    loss[rng.choice(np.arange(n // 10, n), spikes, replace=False)] += 2.0
    made = synth.loss_run(loss)
    alarms = [a for a in classify(made, detect(made)) if a.severity is not Severity.INFO]
    singles = [a for a in alarms if a.kind is Kind.ISOLATED_SPIKE]
    assert singles, (n, spikes)
    counted = sum(a.measures.get("count", 1.0) for a in singles)
    # Two within three points are one excursion that takes longer to come back.
    assert 0.6 * spikes <= counted <= spikes
    assert len(singles) <= SINGLE_MOST


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tail", ["student", "exponential", "log-normal", "gamma"])
def test_heavy_tails_are_no_alarm(tail: str, seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    n = 1000
    noise = {
        "student": 0.06 * rng.standard_t(2.5, n),
        "exponential": 0.1 * rng.exponential(1.0, n),
        "log-normal": 0.05 * np.exp(rng.normal(0.0, 0.8, n)),
        "gamma": np.log(rng.gamma(2.0, 0.5, n)) / 3.0,
    }[tail]
    made = synth.loss_run(np.exp(noise) * (0.5 + 2.0 * np.exp(-np.arange(n) / 150.0)))
    assert not [a for a in classify(made, detect(made)) if a.severity is not Severity.INFO]
