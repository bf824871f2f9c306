from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples_factory import BAD, BROKEN, ONCE, write_csv

from spikedoc.samples.ranking import described, heights, ordered
from spikedoc.samples.result import Sample, Verdict
from spikedoc.samples.table import SampleTable, read_samples


def table_of(samples: list[list[float]]) -> SampleTable:
    """The table in which each sample was seen once at each step, as one batch."""
    losses = np.array(samples, dtype=np.float64)
    sample, place = (index.ravel() for index in np.indices(losses.shape))
    steps = np.arange(losses.shape[1])
    names = tuple(f"s{i}" for i in range(len(samples)))
    return SampleTable(names, sample, losses.ravel(), steps, place, "step", 0)


def found(table: SampleTable) -> list[Sample]:
    high = heights(table)
    order = ordered(table, high)
    return [described(table, high, order, int(one)) for one in order.first]


def usual(count: int, seen: int, seed: int = 0) -> np.ndarray:
    return np.exp(0.3 * np.random.default_rng(seed).normal(size=(count, seen)))


def test_each_kind_is_named(tmp_path: Path) -> None:
    samples = found(read_samples(write_csv(tmp_path / "a.csv")))
    assert [(s.name, s.verdict) for s in samples[:3]] == [
        (BROKEN, Verdict.NONFINITE),
        (BAD, Verdict.STAYS_HIGH),
        (ONCE, Verdict.HIGH_ONCE),
    ]
    assert {s.verdict for s in samples[3:]} == {Verdict.ORDINARY}
    stays, once = samples[1], samples[2]
    assert (stays.sightings, stays.high_sightings, stays.loss) == (4, 4, 9.0)
    assert (once.sightings, once.high_sightings, once.worst) == (4, 1, 30.0)
    assert stays.ratio == pytest.approx(18, rel=0.3)
    assert once.worst_at is not None
    assert once.worst_at // 20 == 2  # in the third epoch
    assert once.share == pytest.approx(30 / (30 + 15 * 0.52), rel=0.1)


def test_ordinary_samples_follow_by_their_usual_height() -> None:
    ratios = [s.ratio for s in found(table_of(usual(50, 5).tolist()))]
    assert ratios == sorted(ratios, key=lambda ratio: -(ratio or 0))


def test_a_sample_seen_once_is_judged_by_that_sighting() -> None:
    losses = usual(200, 1)
    losses[7] = 25.0
    first, second, *_ = found(table_of(losses.tolist()))
    assert (first.name, first.verdict) == ("s7", Verdict.HIGH)
    assert second.verdict is Verdict.ORDINARY


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("seen", [1, 4])
def test_usual_losses_name_nobody(seed: int, seen: int) -> None:
    assert found(table_of(usual(400, seen, seed).tolist()))[0].verdict is Verdict.ORDINARY


def test_below_five_times_the_median_nothing_is_high() -> None:
    losses = 1.0 + 0.01 * np.random.default_rng(0).normal(size=(100, 3))
    losses[3] = 4.0
    assert found(table_of(losses.tolist()))[0].verdict is Verdict.ORDINARY
    losses[3] = 6.0
    assert found(table_of(losses.tolist()))[0].verdict is Verdict.STAYS_HIGH


def test_negative_losses_have_no_ratio() -> None:
    losses = np.random.default_rng(0).normal(size=(200, 3))
    losses[3] = 60.0
    first = found(table_of(losses.tolist()))[0]
    assert (first.name, first.verdict) == ("s3", Verdict.STAYS_HIGH)
    assert first.ratio is None
    assert first.share is None


def test_a_falling_loss_is_compared_with_its_own_time() -> None:
    """Early losses are high without being exceptions."""
    course = np.geomspace(100.0, 0.01, 40)
    losses = usual(20, 40) * course
    assert found(table_of(losses.tolist()))[0].verdict is Verdict.ORDINARY


def test_small_batches_are_joined() -> None:
    losses = usual(64, 1)
    losses[5] = 20.0
    table = table_of(losses.tolist())
    alone = SampleTable(
        table.names, table.sample, table.losses, np.arange(64), np.arange(64), "step", 0
    )
    assert np.bincount(heights(alone).batch).tolist() == [8] * 8
    assert found(alone)[0].name == "s5"


@given(
    st.lists(
        st.lists(st.floats(allow_nan=True, width=32), min_size=2, max_size=2),
        min_size=1,
        max_size=30,
    )
)
def test_any_losses_are_ranked_without_a_word(losses: list[list[float]]) -> None:
    samples = found(table_of(losses))
    assert sorted(s.name for s in samples) == sorted(f"s{i}" for i in range(len(losses)))
    broken = {f"s{i}" for i, row in enumerate(losses) if not np.isfinite(row).all()}
    assert {s.name for s in samples if s.verdict is Verdict.NONFINITE} == broken
