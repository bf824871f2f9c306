"""Spikes of several runs at one place, against spikes that meet by chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sweep_factory import compared, course, examined, run_of, spiky

from spikedoc.coincidence.sets import coincidences
from spikedoc.coincidence.trace import Trace, trace_of
from spikedoc.coincidence.weighing import shared_steps, weigh
from spikedoc.model.metric import Metric
from spikedoc.model.report import Report
from spikedoc.model.run import ConfigValue, Restart, Run, Series

N = 2000
RNG = np.random.default_rng(9)


def run(name: str, n: int = N, stride: int = 1, **config: ConfigValue) -> Run:
    return run_of(name, course(1.0, RNG, n=n), stride=stride, **config)


def test_a_damaged_batch_is_named_on_real_runs() -> None:
    (found,) = coincidences(examined("bad_batch"))
    assert (found.view, found.first, found.last) == ("step", 83, 83)
    assert len(found.runs) == found.among == 3
    assert found.points_to_data
    assert found.chance < 0.01
    assert "samples 2656 to 2687" in found.text.en  # batch 83 of 32
    assert "没有打乱" in found.text.zh


def test_a_healthy_sweep_has_none() -> None:
    assert compared("lr").coincidences == ()


def test_two_runs_that_meet_once_may_be_chance() -> None:
    made = [spiky(run(f"r{i}", n=500), 300, 120 + 30 * i) for i in range(2)]
    assert coincidences(made) == ()


def test_many_spikes_that_meet_somewhere_are_chance() -> None:
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(100):
        made = [
            spiky(run(f"r{i}", n=1000), *(int(s) for s in rng.integers(50, 1000, 12)))
            for i in range(4)
        ]
        found += bool(coincidences(made))
    assert found <= 1


def test_spikes_that_gather_in_a_shaky_stretch_are_chance() -> None:
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(100):
        made = [
            spiky(run(f"r{i}", n=2000), *(int(s) for s in rng.integers(1000, 1100, 6)))
            for i in range(3)
        ]
        found += bool(coincidences(made))
    assert found <= 6  # the stretch is a twentieth of the run, the null model takes a fifth


def test_unrelated_single_spikes_are_rarely_named() -> None:
    rng = np.random.default_rng(3)
    runs = [run(f"r{i}") for i in range(5)]
    found = 0
    for _ in range(300):
        made = [spiky(one, int(rng.integers(100, N))) for one in runs]
        found += bool(coincidences(made))
    assert found <= 3


def traced(one: Run, *steps: int) -> tuple[str, Trace]:
    trace = trace_of(*spiky(one, *steps))
    assert trace is not None
    return one.name, trace


def cut(one: Run, last: int) -> Series:
    loss = one.series[0]
    return Series(loss.metric, loss.tag, loss.name, loss.steps[:last], loss.values[:last])


@pytest.mark.parametrize(
    ("configs", "points", "words"),
    [
        ([{"seed": 1}] * 3, True, "The seed is the same"),
        ([{"seed": 1}, {"seed": 2}, {"seed": 3}], False, "Their seeds differ"),
        ([{}] * 3, False, "No seed is recorded"),
        ([{"shuffle": False, "seed": i} for i in range(3)], True, "not shuffled"),
    ],
)
def test_what_it_proves_hangs_on_the_order_of_the_data(
    configs: list[dict[str, ConfigValue]], points: bool, words: str
) -> None:
    made = [spiky(run(f"r{i}", **config), 1200) for i, config in enumerate(configs)]
    (found,) = coincidences(made)
    assert found.points_to_data is points
    assert words in found.text.en


def test_other_runs_that_pass_the_place_count_against_it() -> None:
    met = [spiky(run(f"r{i}"), 1200) for i in range(3)]
    calm = [spiky(run(f"c{i}")) for i in range(3)]
    (found,) = coincidences([*met, *calm])
    assert (len(found.runs), found.among) == (3, 6)


def test_the_place_in_the_epoch() -> None:
    made = [
        spiky(run(f"r{i}", steps_per_epoch=500.0, seed=1), 500 * (i + 1) + 123) for i in range(3)
    ]
    (found,) = coincidences(made)
    assert (found.view, found.first) == ("epoch-phase", 123)
    assert "Step 123 of the epoch" in found.text.en


def test_the_same_samples_under_other_batch_sizes() -> None:
    made = [spiky(run(f"r{b}", batch_size=b, shuffle=False), 48_000 // b) for b in (32, 48, 60)]
    (found,) = coincidences(made)
    assert (found.view, found.first) == ("samples", 48_000)


@pytest.mark.parametrize("what", ["eval", "restart", "lr"])
def test_a_place_with_another_explanation_is_left_out(what: str) -> None:
    made = []
    for i in range(3):
        one = run(f"r{i}", seed=1)
        extra: list[Series] = []
        restarts: tuple[Restart, ...] = ()
        if what == "eval":
            steps = np.array([600, 1200, 1800])
            extra.append(Series(Metric.VAL_LOSS, "val_loss", "val_loss", steps, np.ones(3)))
        elif what == "lr":
            steps = np.arange(N)
            rate = np.where(steps < 1200, 0.1, 0.01)
            extra.append(Series(Metric.LR, "lr", "lr", steps, rate))
        else:
            restarts = (Restart(1200, 1199, "new-file"),)
        made.append(
            spiky(Run(one.name, one.path, (*one.series, *extra), restarts, one.config), 1200)
        )
    assert coincidences(made) == ()


def test_copies_are_one_observation() -> None:
    one = run("r0", seed=1)
    copies = [spiky(Run(f"r{i}", f"p{i}", one.series, config=one.config), 1200) for i in range(4)]
    assert coincidences(copies) == ()


def test_a_backup_of_a_run_is_one_observation_up_to_its_end() -> None:
    """Long logs, in which two spikes at one place would be named; only the runs differ later."""
    first = run("r0", n=60_000)
    backup = Run("r1", "p", (cut(first, 50_000),))
    assert weigh([traced(first, 40_000), traced(backup, 40_000)]) == ()
    (found,) = weigh([traced(first, 40_000), traced(run("r2", n=60_000), 40_000)])
    assert found.first == 40_000


def test_copies_and_backups_do_not_count_as_runs_that_passed() -> None:
    met = [run(f"r{i}") for i in range(3)]
    copy = Run("copy", "p", met[0].series)
    backup = Run("backup", "p", (cut(met[1], 1500),))
    (found,) = weigh([traced(one, 1200) for one in (*met, copy, backup)])
    assert (found.runs, found.among) == (("r0", "r1", "r2"), 3)


def test_three_of_eight_runs_share_a_bad_batch() -> None:
    rng = np.random.default_rng(8)
    own = [int(step) for step in rng.integers(100, N, 8)]
    runs = [run(f"r{i}", n=2 * N, batch_size=16, shuffle=False) for i in range(8)]
    made = [traced(one, own[i], *([777] if i < 3 else [])) for i, one in enumerate(runs)]
    (found,) = weigh(made)
    assert (found.first, found.last, found.among) == (777, 777, 8)
    assert found.runs == ("r0", "r1", "r2")
    assert found.points_to_data
    assert "Step 777 spikes in 3 of 8 runs (r0, r1, r2)" in found.text.en
    assert "第 777 步在 8 次训练中的 3 次出现尖峰" in found.text.zh


def test_of_many_sets_of_unrelated_runs_hardly_one_is_named() -> None:
    """200 sets of eight runs, as a scan would look at them one by one and together."""
    rng = np.random.default_rng(11)
    runs = [run(f"r{i}") for i in range(8)]
    alone = together = 0
    for _ in range(200):
        made = [traced(one, *rng.integers(100, N, rng.integers(1, 6)).tolist()) for one in runs]
        alone += bool(weigh(made))
        together += bool(weigh(made, sets=200))
    assert alone <= 2
    assert together == 0


def test_hundreds_of_runs_that_spike_at_random_are_not_named() -> None:
    rng = np.random.default_rng(12)
    one = run("r")
    made = []
    for i in range(300):
        steps = sorted({int(step) for step in rng.integers(100, N, 5)})
        trace = replace(traced(one, *steps)[1], digest=f"{i}", heads=("",) * len(steps))
        made.append((f"r{i}", trace))
    assert weigh(made) == ()
    bad = [(n, replace(t, steps=(*t.steps, N), heads=(*t.heads, ""), last=N)) for n, t in made[:40]]
    (found,) = weigh([*bad, *made[40:]])
    assert (found.first, len(found.runs), found.among) == (N, 40, 40)


@pytest.mark.parametrize("epoch", [None, 500.0, 1000.0])
def test_dense_spikes_are_chance_at_the_ends_of_an_axis_as_well(epoch: float | None) -> None:
    rng = np.random.default_rng(13)
    made = []
    for i in range(100):
        steps = sorted({10 * int(step) for step in rng.integers(100, 5000, 40)})
        heads = ("",) * len(steps)
        trace = Trace(0, 50_000, 10.0, tuple(steps), heads, len(steps), epoch, digest=f"{i}")
        made.append((f"r{i}", trace))
    assert weigh(made) == ()


def test_a_sample_of_the_spikes_of_a_run_stands_for_all_of_them() -> None:
    every = [traced(run(f"r{i}"), 1200) for i in range(3)]
    assert weigh(every)
    assert weigh([(name, replace(trace, count=40)) for name, trace in every]) == ()


def test_shared_steps_by_run() -> None:
    found = coincidences([spiky(run(f"r{i}", seed=1), 1200) for i in range(3)])
    assert shared_steps(found) == {f"r{i}": (1200,) for i in range(3)}


def test_nothing_in_nothing_out() -> None:
    empty: list[tuple[Run, Report]] = []
    assert coincidences(empty) == ()
    assert coincidences([spiky(Run("r", "p", ()), 3)] * 2) == ()
