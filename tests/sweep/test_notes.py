from __future__ import annotations

import numpy as np
from sweep_factory import compared, course, healthy, report_of, run_of

from spikedoc.sweep.compare import compare
from spikedoc.sweep.result import Sweep


def english(sweep: Sweep) -> str:
    return "\n".join(note.en for note in sweep.notes)


def test_the_spread_among_seeds_is_given() -> None:
    (sweep,) = compared("lr").sweeps
    assert "Seeds alone move the loss by 3.2 %" in english(sweep)
    assert "6 degrees of freedom" in english(sweep)
    assert "Judged on 595 steps" in english(sweep)


def test_one_run_per_value_is_said() -> None:
    (sweep,) = compare(healthy([(0.1, 2.0), (0.2, 1.0)])).sweeps
    assert "One run per value" in english(sweep)


def test_the_logged_rate_and_short_runs_are_named() -> None:
    rng = np.random.default_rng(0)
    lengths = (400, 400, 100)
    runs = [
        run_of(f"run{i}", course(1.0, rng)[:n], np.full(n, 0.1 * (i + 1)))
        for i, n in enumerate(lengths)
    ]
    (sweep,) = compare([(run, report_of(run)) for run in runs]).sweeps
    assert "highest logged learning rates" in english(sweep)
    assert "ended before half of the others: run2" in english(sweep)


def test_batches_and_settings_of_some_runs_only() -> None:
    rng = np.random.default_rng(0)
    first = run_of("a", course(1.0, rng), batch_size=8, clip=1.0)
    second = run_of("b", course(1.0, rng), batch_size=16)
    (sweep,) = compare([(run, report_of(run)) for run in (first, second)]).sweeps
    assert "larger batches have seen more data" in english(sweep)
    assert "whether they differ in it is not known: clip" in english(sweep)
