"""Restarts, rewritten points, attempts, pauses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.ingest.merge import attempts
from spikedoc.model.run import Restart
from spikedoc.readers.base import RawSeries


def raw(
    tag: str,
    steps: Sequence[int],
    values: Sequence[float] | None = None,
    order: Sequence[int] | None = None,
    walls: Sequence[float] | None = None,
) -> RawSeries:
    count = len(steps)
    return RawSeries(
        tag,
        np.array(steps, dtype=np.int64),
        np.array(values if values is not None else np.arange(count), dtype=np.float64),
        None if walls is None else np.array(walls, dtype=np.float64),
        order=np.array(order if order is not None else np.arange(count), dtype=np.int64),
    )


def points(series: RawSeries) -> list[tuple[int, float]]:
    return list(zip(series.steps.tolist(), series.values.tolist(), strict=True))


def test_nothing_happens_to_a_rising_series() -> None:
    (one,) = attempts([[raw("loss", [1, 2, 3])]])
    assert points(one.series[0]) == [(1, 0.0), (2, 1.0), (3, 2.0)]
    assert one.restarts == ()
    assert one.notes == ()


def test_a_rewind_inside_a_file() -> None:
    before, after = list(range(1, 101)), list(range(81, 131))
    (one,) = attempts([[raw("loss", before + after)]])
    assert one.restarts == (Restart(81, 100, "rewound"),)
    steps, values = one.series[0].steps, one.series[0].values
    assert steps.tolist() == list(range(1, 131))
    assert values[79] == 79.0  # step 80, from before
    assert values[80] == 100.0  # step 81, rewritten


def test_points_of_the_abandoned_branch_go() -> None:
    # Logged every 10 before, every 7 after: step 90 was not written again, yet it is gone.
    (one,) = attempts([[raw("loss", [*range(0, 101, 10), *range(63, 200, 7)])]])
    assert 90 not in one.series[0].steps
    assert one.series[0].steps.tolist() == [*range(0, 61, 10), *range(63, 200, 7)]


def test_other_series_lose_their_abandoned_points() -> None:
    loss = raw("loss", [*range(100), *range(80, 130)], order=range(0, 300, 2))
    val = raw("val_loss", [50, 90, 120], order=[101, 181, 281])
    (one,) = attempts([[loss, val]])
    assert one.series[1].steps.tolist() == [50, 120]


def test_a_row_written_just_before_the_seam_belongs_behind_it() -> None:
    lr = raw("lr", [*range(100), *range(80, 130)], order=range(0, 300, 2))
    loss = raw("loss", [*range(100), *range(80, 130)], order=range(1, 301, 2))
    (one,) = attempts([[lr, loss]])
    assert all(series.steps.tolist() == list(range(130)) for series in one.series)


def test_a_new_file_that_overlaps() -> None:
    (one,) = attempts([[raw("loss", range(1, 681))], [raw("loss", range(661, 1001))]])
    assert one.restarts == (Restart(661, 680, "new-file"),)
    assert one.series[0].steps.tolist() == list(range(1, 1001))


def test_a_new_file_that_goes_on() -> None:
    (one,) = attempts([[raw("loss", range(2, 732, 2))], [raw("loss", range(732, 1001, 2))]])
    assert one.restarts == (Restart(732, 730, "new-file"),)


def test_a_file_for_each_iteration_is_no_restart() -> None:
    files = [[raw("loss", [step]), raw("lr", [step])] for step in range(30)]
    (one,) = attempts(files)
    assert one.restarts == ()
    assert one.series[0].steps.tolist() == list(range(30))


def test_a_step_back_between_such_files_is_a_restart() -> None:
    (one,) = attempts([[raw("loss", [step])] for step in [*range(20), *range(12, 30)]])
    assert one.restarts == (Restart(12, 19, "new-file"),)
    assert one.series[0].steps.tolist() == list(range(30))


def test_a_job_that_died_after_its_first_point_was_restarted() -> None:
    (one,) = attempts([[raw("loss", range(50))], [raw("loss", [50])], [raw("loss", range(51, 90))]])
    assert [restart.step for restart in one.restarts] == [50, 51]


def test_a_file_with_other_quantities_is_no_restart() -> None:
    (one,) = attempts([[raw("loss", range(100))], [raw("val_loss", range(0, 100, 10))]])
    assert one.restarts == ()
    assert len(one.series) == 2


def test_a_counter_that_starts_again_makes_two_runs() -> None:
    first, second = attempts([[raw("loss", [*range(100), *range(150)])]])
    assert first.series[0].steps.tolist() == list(range(100))
    assert second.series[0].steps.tolist() == list(range(150))
    assert second.restarts == ()


def test_a_false_start_is_not_a_run() -> None:
    (one,) = attempts([[raw("loss", [*range(5), *range(150)])]])
    assert one.series[0].steps.tolist() == list(range(150))
    assert one.restarts[0].last_step == 4


def test_two_records_in_the_wrong_order_are_no_restart() -> None:
    (one,) = attempts([[raw("loss", [1, 2, 4, 3, 5, 6])]])
    assert one.restarts == ()
    assert points(one.series[0]) == [(1, 0.0), (2, 1.0), (3, 3.0), (4, 2.0), (5, 4.0), (6, 5.0)]


def test_a_damaged_step_is_left_out() -> None:
    steps = [*range(100)]
    steps[50] = 90_050
    (one,) = attempts([[raw("loss", steps), raw("lr", steps)]])
    assert one.restarts == ()
    assert all(s.steps.tolist() == [*range(50), *range(51, 100)] for s in one.series)
    assert any("1 record with a step out of line" in note.en for note in one.notes)


def test_a_jump_ahead_that_stays_is_kept() -> None:
    steps = [*range(50), *range(5000, 5050)]
    (one,) = attempts([[raw("loss", steps)]])
    assert one.series[0].steps.tolist() == steps


def test_two_writers_in_turn_are_no_restarts() -> None:
    steps = [step for pair in zip(range(10, 200), range(5, 195), strict=True) for step in pair]
    (one,) = attempts([[raw("loss", steps)]])
    assert one.restarts == ()
    assert any("several writers" in note.en for note in one.notes)


def test_the_last_of_equal_steps_is_kept_and_told() -> None:
    (one,) = attempts([[raw("loss", [1, 2, 2, 3], [4.0, 3.0, 2.5, 2.0])]])
    assert points(one.series[0]) == [(1, 4.0), (2, 2.5), (3, 2.0)]
    assert "1 point repeats a step" in one.notes[0].en


def test_equal_values_at_equal_steps_are_not_worth_a_word() -> None:
    (one,) = attempts([[raw("loss", [1, 2, 2, 3], [4.0, 3.0, 3.0, 2.0])]])
    assert one.notes == ()


def test_a_pause() -> None:
    walls = [1e9 + i + (3600 if i >= 50 else 0) for i in range(100)]
    (one,) = attempts([[raw("loss", range(100), walls=walls)]])
    assert one.restarts == (Restart(50, 49, "pause"),)


def test_an_evaluation_is_no_pause() -> None:
    walls = [1e9 + i + (3600 if i >= 50 else 0) for i in range(100)]
    evaluated = raw("val_loss", [49], order=[1000], walls=[1e9 + 50 + 3500])
    (one,) = attempts([[raw("loss", range(100), walls=walls), evaluated]])
    assert one.restarts == ()


def test_short_gaps_are_no_pauses() -> None:
    walls = [1e9 + i + (50 if i >= 50 else 0) for i in range(100)]
    (one,) = attempts([[raw("loss", range(100), walls=walls)]])
    assert one.restarts == ()


def test_no_more_than_fifty_attempts() -> None:
    found = attempts([[raw("loss", list(range(20)) * 60)]])
    assert len(found) == 50
    assert any("60 attempts" in note.en for note in found[0].notes)


def test_both_infinities_at_one_step_are_two_values() -> None:
    (one,) = attempts([[raw("loss", [1, 2, 2, 3], [4.0, np.inf, -np.inf, 2.0])]])
    assert points(one.series[0]) == [(1, 4.0), (2, -np.inf), (3, 2.0)]
    assert "1 point repeats a step" in one.notes[0].en


@given(st.lists(st.integers(0, 60), min_size=1, max_size=80))
def test_whatever_the_steps_the_result_rises(steps: list[int]) -> None:
    for one in attempts([[raw("loss", steps)]]):
        for series in one.series:
            assert np.all(np.diff(series.steps) > 0)
            assert set(series.steps.tolist()) <= set(steps)


@given(st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=30), min_size=1, max_size=4))
def test_the_last_step_written_is_always_there(files: list[list[int]]) -> None:
    last = attempts([[raw("loss", steps)] for steps in files])[-1]
    assert files[-1][-1] in last.series[0].steps


def test_a_step_back_over_the_whole_range_of_steps_is_a_restart() -> None:
    # The distance of the largest and the smallest step is beyond 64 bits.
    most = 2**63 - 1
    (one,) = attempts([[raw("loss", [1, 2, most, -most, 3 - most, 6 - most])]])
    assert [restart.step for restart in one.restarts] == [-most]


def test_two_runs_that_print_in_turn_are_told() -> None:
    steps = [step for step in range(20) for _ in range(2)]
    (one,) = attempts([[raw("loss", steps), raw("lr", steps)]])
    assert one.series[0].values.tolist() == list(range(1, 40, 2))
    (note,) = one.notes
    assert note.en.startswith(
        "40 points repeat a step with another value, nearly each step of loss"
    )


def test_a_few_steps_that_come_twice_are_no_second_run() -> None:
    (one,) = attempts([[raw("loss", [*range(20), *range(19, 26)])]])
    assert not any("several" in note.en for note in one.notes)
