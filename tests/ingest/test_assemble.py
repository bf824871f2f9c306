"""Tables to runs: sources side by side, attempts one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.ingest.assemble import agree, assemble, assemble_streams, chained, same_data
from spikedoc.model.metric import Metric
from spikedoc.readers.base import RawSeries, Table


def raw(tag: str, steps: range | list[int], scale: float = 1.0) -> RawSeries:
    count = len(steps)
    values = scale * np.cos(np.arange(count, dtype=np.float64))
    order = np.arange(count, dtype=np.int64)
    return RawSeries(tag, np.array(steps, dtype=np.int64), values, order=order)


def test_sources_side_by_side() -> None:
    tables = [
        ("a.csv", Table((raw("loss", range(30)),))),
        ("b.csv", Table((raw("lr", range(30)), raw("loss", range(20))))),
    ]
    (run,) = assemble(tables, "name", "path", {})
    assert (run.name, run.path) == ("name", "path")
    found = {series.metric: len(series) for series in run.series}
    assert found == {Metric.LOSS: 30, Metric.LR: 30}
    assert any("taken from a.csv" in note.en for note in run.notes)


def test_the_longer_of_two_stays() -> None:
    tables = [
        ("a.csv", Table((raw("loss", range(20)),))),
        ("b.csv", Table((raw("loss", range(30)),))),
    ]
    (run,) = assemble(tables, "n", "p", {})
    assert len(run.series[0]) == 30


def test_the_reward_of_an_evaluation_is_no_copy_of_the_training_s() -> None:
    tables = [
        ("state.json", Table((raw("mean_reward", range(9)), raw("eval_mean_reward", [4, 8])))),
        ("events", Table((raw("train/mean_reward", range(9)), raw("eval/mean_reward", [4, 8])))),
    ]
    (run,) = assemble(tables, "n", "p", {})
    rewards = {one.tag: (one.metric, len(one)) for one in run.series if "reward" in one.tag}
    assert rewards == {
        "mean_reward": (Metric.REWARD, 9),
        "eval_mean_reward": (Metric.OTHER, 2),
    }


def test_attempts_are_runs_and_short_streams_belong_to_the_last() -> None:
    twice = chained([("log.csv", Table((raw("loss", [*range(50), *range(60)]),)))])
    once = chained([("lr.csv", Table((raw("lr", range(60)),)))])
    first, second = assemble_streams([twice, once], "n", "p", {})
    assert (first.name, second.name) == ("n#1", "n#2")
    assert [s.metric for s in first.series] == [Metric.LOSS]
    assert {s.metric for s in second.series} == {Metric.LOSS, Metric.LR}


def test_files_one_after_the_other() -> None:
    stream = chained(
        [
            ("1.csv", Table((raw("loss", range(100)),), framework="hf")),
            ("2.csv", Table((raw("loss", range(90, 190)),))),
        ]
    )
    assert (stream.source, stream.framework) == ("1.csv", "hf")
    (run,) = assemble_streams([stream], "n", "p", {})
    assert run.series[0].steps.tolist() == list(range(190))
    assert run.restarts[0].step == 90


def test_nothing_to_assemble() -> None:
    assert assemble([("a.csv", Table())], "n", "p", {}) == []


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (raw("train/loss", range(30)), True),
        (raw("loss", range(15)), True),
        (raw("loss", range(30), scale=1.0001), True),  # printed with four decimals
        (raw("loss", range(30), scale=1.1), False),
        (raw("loss", range(100, 130)), False),
        (raw("loss", range(2)), False),
    ],
)
def test_whether_two_logs_are_of_one_run(other: RawSeries, same: bool) -> None:
    assert same_data([raw("loss", range(30))], [other]) is same


def test_constants_prove_nothing() -> None:
    flat = RawSeries("loss", np.arange(30), np.full(30, 0.5))
    assert not same_data([flat], [flat])
    assert not same_data([flat], [])


@pytest.mark.parametrize(
    ("place", "value", "alike"),
    [
        (1990, 2.0001, True),  # rounded otherwise
        (1990, 2.4, True),  # a mean beside a value
        (1990, 9.0, False),
        (1999, 4.0, False),
        (500, np.inf, False),
        (500, np.nan, False),
    ],
)
def test_runs_of_one_seed_of_which_one_breaks_are_two(
    place: int, value: float, alike: bool
) -> None:
    mine = np.linspace(4.0, 2.0, 2000)
    mine[place] = 2.0
    theirs = mine.copy()
    theirs[place] = value
    assert bool(agree(mine, theirs)) is alike
    assert agree(mine, np.stack([mine, theirs])).tolist() == [True, alike]


def test_what_is_not_finite_in_both_is_the_same() -> None:
    values = np.array([2.0, np.nan, np.inf, 1.0, 0.5])
    assert agree(values, values.copy())
    assert agree(np.array([0.012, 0.0, 1.5]), np.array([0.012, 0.0, 1.5]))
    assert agree(np.linspace(1, 0.001, 50), np.round(np.linspace(1, 0.001, 50), 4))
