from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sweep_factory import compared, course, examined, healthy, report_of, run_of, spiky

from spikedoc.errors import InputError, UsageError
from spikedoc.sweep.compare import compare
from spikedoc.sweep.result import Kind, Outcome

LOST, SLOW, STEADY = Outcome.DIVERGING, Outcome.TOO_SLOW, Outcome.STEADY


def test_a_real_sweep_of_seven_rates_and_two_seeds() -> None:
    (sweep,) = compared("lr").sweeps
    assert sweep.setting.key == "lr"
    assert [value.value for value in sweep.values] == [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1]
    outcomes = [value.outcome for value in sweep.values]
    assert outcomes == [SLOW, SLOW, SLOW, STEADY, STEADY, STEADY, LOST]
    assert all(len(value.members) == 2 for value in sweep.values)
    assert sweep.window == (0.003, 0.03)
    assert (sweep.proposal.kind, sweep.proposal.value) == (Kind.PROPOSED, 0.03)
    assert sweep.step == 595


def test_without_the_broken_rate_the_sweep_is_to_be_extended() -> None:
    rest = [pair for pair in examined("lr") if pair[0].config["lr"] not in (0.1, 0.03, 0.01)]
    (sweep,) = compare(rest).sweeps
    assert sweep.proposal.kind is Kind.EXTEND_UP
    assert sweep.proposal.value == 0.009


def test_a_grid_makes_a_sweep_for_each_of_the_other_values() -> None:
    runs = healthy([(0.1, 2.0), (0.2, 1.0)], width=8) + healthy([(0.1, 2.0), (0.2, 1.0)], width=16)
    first, second = compare(runs).sweeps
    assert (first.fixed, second.fixed) == ({"width": 8}, {"width": 16})
    assert all(len(sweep.values) == 2 for sweep in (first, second))


def test_runs_that_differ_in_more_than_one_setting_cannot_be_told() -> None:
    runs = healthy([(0.1, 2.0)], width=8) + healthy([(0.2, 1.0)], width=16)
    (sweep,) = compare(runs).sweeps
    assert sweep.proposal.kind is Kind.UNTOLD
    assert "no two runs differ in one setting only (lr, width)" in sweep.proposal.text.en
    assert len(sweep.values) == 2
    assert {value.outcome for value in sweep.values} == {STEADY}  # not compared with each other
    assert sweep.window is None


def test_no_difference_is_recorded() -> None:
    rng = np.random.default_rng(0)
    runs = [run_of(name, course(1.0, rng), seed=1) for name in ("alpha", "beta")]
    (sweep,) = compare([(run, report_of(run)) for run in runs]).sweeps
    assert sweep.proposal.kind is Kind.UNTOLD
    assert "say --by KEY" in sweep.proposal.text.en


def test_a_run_without_a_partner_is_left_out_and_named() -> None:
    runs = healthy([(0.1, 2.0), (0.2, 1.0)], width=8)
    lone = healthy([(0.3, 2.0)], width=16)[0]
    runs.append((replace(lone[0], name="lonely"), lone[1]))
    found = compare(runs)
    assert len(found.sweeps) == 1
    assert found.notes[0].en.endswith("lonely")


def test_a_setting_stated() -> None:
    runs = healthy([(0.1, 2.0)], width=8) + healthy([(0.1, 1.0)], width=16)
    (sweep,) = compare(runs, by="width").sweeps
    assert [value.value for value in sweep.values] == [8, 16]
    with pytest.raises(UsageError, match="--by depth"):
        compare(runs, by="depth")


def test_one_run_is_no_sweep() -> None:
    with pytest.raises(InputError, match="only one run"):
        compare(healthy([(0.1, 1.0)]))


def test_runs_of_equal_names_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    runs = [
        run_of("run", course(1.0, rng), path=f"{d}/run", lr=lr) for d, lr in (("a", 1), ("b", 2))
    ]
    (sweep,) = compare([(run, report_of(run)) for run in runs]).sweeps
    assert [v.members[0].name for v in sweep.values] == ["a/run: run", "b/run: run"]


def test_a_bad_batch_does_not_make_a_rate_unstable() -> None:
    rng = np.random.default_rng(0)
    n = 2000
    made = [
        spiky(run_of(f"r{i}", course(1.0, rng, n=n), lr=lr, seed=1), 1200)
        for i, lr in enumerate((0.1, 0.2, 0.3))
    ]
    found = compare(made)
    assert len(found.coincidences) == 1
    assert {value.outcome for value in found.sweeps[0].values} == {STEADY}
