"""How the series of a manifest are found again."""

from __future__ import annotations

from types import ModuleType

import pytest
import synth

from spikedoc.model.metric import Metric

LOSS = synth.curve(n=100)


@pytest.fixture
def counts(benchmark) -> ModuleType:
    return benchmark("counts")


def ways(counts: ModuleType, **series: int) -> dict[str, str]:
    other = synth.series(LOSS[:40], metric=Metric.OTHER, tag="train/speed")
    run = synth.run(synth.series(LOSS, tag="loss"), other)
    named = {tag.replace("__", ":"): points for tag, points in series.items()}
    return {tag: how for tag, how, _ in counts.compared(named, [run])}


def test_each_way(counts: ModuleType) -> None:
    found = ways(counts, loss=100, speed=40, epoch=7, lr=3)
    assert found == {
        "loss": counts.EQUAL,
        "speed": counts.RENAMED,
        "epoch": counts.IS_AXIS,
        "lr": counts.ABSENT,
    }
    assert ways(counts, loss=99) == {"loss": counts.DIFFERS}


def test_runs_with_names_of_their_own_are_summed(counts: ModuleType) -> None:
    assert set(ways(counts, a__loss=70, b__loss=30).values()) == {counts.EQUAL}
    assert set(ways(counts, a__loss=70, b__loss=31).values()) == {counts.DIFFERS}
