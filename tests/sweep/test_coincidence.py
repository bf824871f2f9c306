"""Spikes of several runs at one place, against spikes that meet by chance."""

from __future__ import annotations

import numpy as np
import pytest
from sweep_factory import compared, course, examined, finding, report_of, run_of, spiky

from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.report import Report
from spikedoc.model.run import ConfigValue, Restart, Run, Series
from spikedoc.sweep.coincidence import batch_of, coincidences, shared_steps, spike_steps

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


def test_only_spikes_of_the_loss_and_the_gradient_count() -> None:
    one = run("r")
    found = [
        finding(Kind.ISOLATED_SPIKE, 700, Severity.INFO, points=[700, 900]),
        finding(Kind.ISOLATED_SPIKE, 800, signal="val_loss"),
        finding(Kind.LEVEL_SHIFT, 1000, form=Form.UP),
        finding(Kind.NONFINITE, 1100, form=Form.PERSISTENT),
        finding(Kind.NONFINITE, 1200, form=Form.TRANSIENT),
        finding(Kind.ISOLATED_SPIKE, 3),  # the restless beginning
    ]
    assert spike_steps(one, report_of(one, *found)).tolist() == [700, 900, 1200]


def test_the_batch_of_a_step() -> None:
    assert batch_of(run("r", batch_size=8)) == 8
    assert batch_of(run("r", batch_size=8, accumulation=4)) == 32
    assert batch_of(run("r")) is None
    assert batch_of(run("r", batch_size="8")) is None


def test_shared_steps_by_run() -> None:
    found = coincidences([spiky(run(f"r{i}", seed=1), 1200) for i in range(3)])
    assert shared_steps(found) == {f"r{i}": (1200,) for i in range(3)}


def test_nothing_in_nothing_out() -> None:
    empty: list[tuple[Run, Report]] = []
    assert coincidences(empty) == ()
    assert coincidences([spiky(Run("r", "p", ()), 3)] * 2) == ()
