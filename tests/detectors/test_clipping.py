"""Clipping that acts always, or never."""

from __future__ import annotations

import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.clipping import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue


def norms(n: int = 1000) -> np.ndarray:
    return np.exp(synth.noise("gauss", n, 0.15, 0))


def found(values: np.ndarray, metric: Metric = Metric.GRAD_NORM, **config: ConfigValue
          ) -> tuple[Detection, ...]:  # fmt: skip
    return detect(synth.run(synth.series(values, metric), config=config))


def test_a_threshold_below_nearly_all_norms_is_saturated() -> None:
    (d,) = found(norms(), clip=0.5)
    assert (d.shape, d.first_step, d.last_step) == (Shape.CEILING, 1, 1000)
    m = d.measures
    assert (m["saturated"], m["clip"], m["share"]) == (1.0, 0.5, 1.0)
    assert m["p99"] == pytest.approx(np.exp(0.15 * 2.33), rel=0.05)


def test_a_threshold_far_above_all_norms_never_acts() -> None:
    (d,) = found(norms(), clip=50.0)
    assert (d.measures["saturated"], d.measures["share"]) == (0.0, 0.0)


@pytest.mark.parametrize("clip", [0.9, 1.0, 1.5, 5.0])
def test_ordinary_thresholds_are_silent(clip: float) -> None:
    assert found(norms(), clip=clip) == ()


def test_only_the_late_half_says_whether_it_always_acts() -> None:
    values = norms()
    values[:400] *= 0.1
    assert len(found(values, clip=0.5)) == 1


def test_norms_logged_after_clipping_show_the_ceiling() -> None:
    values = np.minimum(norms(), 0.95)
    for metric in (Metric.GRAD_NORM, Metric.GRAD_NORM_CLIPPED):
        (d,) = found(values, metric)
        assert (d.measures["saturated"], d.measures["clip"]) == (1.0, 0.95)
        assert d.measures["share"] == pytest.approx(0.63, abs=0.1)


@pytest.mark.parametrize("clip", [0, -1.0, True, "1.0", None])
def test_a_setting_that_is_no_threshold_is_not_used(clip: ConfigValue) -> None:
    assert found(norms(), clip=clip) == ()


@pytest.mark.parametrize("values", [norms(99), np.full(500, 1.2), np.zeros(500), -norms()])
def test_what_is_no_clipping_is_silent(values: np.ndarray) -> None:
    assert found(values) == ()


def test_without_gradient_norms_nothing_is_said() -> None:
    assert detect(synth.loss_run(synth.curve(), clip=0.5)) == ()


def plain_ceiling(values: list[float], clip: float | None) -> dict[str, float] | None:
    """Half of all at one ceiling; all of them only where people clip there and none is known."""
    ceiling = max(values)
    share = sum(v >= 0.999 * ceiling for v in values) / len(values)
    told = {"clip": ceiling, "share": share, "saturated": 1.0}
    if ceiling <= 0 or share < 0.5:
        return None
    if ceiling - min(values) > 1e-3 * ceiling:
        return told
    return told | {"constant": ceiling} if ceiling in (0.5, 1.0) and not clip else None


def plain_clipping(values: list[float], clip: float | None) -> list[Told]:
    """Nine tenths of the last half at the threshold and above, or none within a tenth of it; half
    of all at one ceiling."""
    n = len(values)
    if n < 100 or min(values) < 0:
        return []
    begin, measures = 0, None
    if clip is not None and clip > 0:
        late = values[n // 2 :]
        share = sum(v >= 0.999 * clip for v in late) / len(late)
        usual = float(np.quantile(values, 0.99))
        told = {"clip": float(clip), "share": share, "p99": usual}
        if share > 0.9:
            measures = told | {"saturated": 1.0}
            if sum(v >= 0.999 * clip for v in values) / n <= 0.9:
                begin = n // 2
        elif max(values) < clip and clip > 10.0 * usual > 0:
            measures = told | {"saturated": 0.0}
    if measures is None:
        measures = plain_ceiling(values, clip)
        if measures is None:
            return []
    return [Told(Shape.CEILING, (begin + 1, begin + 1, n), measures)]


@pytest.mark.parametrize("seed", range(300))
def test_clipping_is_told_of_as_the_definition_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([99, 100, 101, 200]))
    values = rng.choice([0.05, 0.5, 0.9991, 0.9989, 1.0], n)
    high = rng.random(n) < float(rng.choice([0.0, 0.5, 0.9, 1.0]))
    values[high] = float(rng.choice([1.0, 1.0, 3.0]))
    if seed % 3 == 0:
        values[: n // 2] = 0.5
    if seed % 4 == 0:  # exactly half, and exactly nine tenths of the last half
        values = np.where(np.arange(n) % 2 == 0, 1.0, 0.5)
        values[n // 2 :] = np.where(np.arange(n - n // 2) % 10 < 9, 1.0, 0.2)
    if seed % 17 == 0:
        values *= float(rng.choice([0.0, -1.0]))
    clip = [None, 0.0, 1, 9.9, 10.0, 10.1, 50.0][int(rng.integers(0, 7))]
    config = {} if clip is None else {"clip": clip}
    assert_told(found(values, **config), plain_clipping(values.tolist(), clip))


@pytest.mark.parametrize("clip", [0.5, 1.0, 10.0])
def test_one_usual_threshold_at_every_record_is_a_norm_after_clipping(clip: float) -> None:
    (d,) = found(np.full(400, clip))
    assert d.measures == {"share": 1.0, "saturated": 1.0, "clip": clip, "constant": clip}
    assert (d.first_step, d.last_step) == (1, 400)


@pytest.mark.parametrize("value", [0.5, 1.0])
def test_a_constant_that_the_known_threshold_does_not_explain_is_silent(value: float) -> None:
    assert found(np.full(400, value), clip=3.0) == ()


@pytest.mark.parametrize("value", [0.0, 0.37, 1.2])
def test_any_other_constant_is_no_threshold(value: float) -> None:
    assert found(np.full(400, value)) == ()
