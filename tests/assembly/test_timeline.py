"""Events of a run: evaluations, steps of the learning rate, messages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.assembly.timeline import EVENTS_MOST, evenly, lanes, rate_steps, warmup_end
from spikedoc.model.charts import EventKind, Lane
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

N = 1_000
TURN = np.linspace(0.0, 1.0, N)
COSINE = 0.5 * (1 + np.cos(np.pi * TURN))
WARM = np.concatenate(
    [np.linspace(0.01, 1, 50), 0.5 * (1 + np.cos(np.pi * np.linspace(0, 1, 950)))]
)


def by_kind(run: Run) -> dict[EventKind, Lane]:
    return {lane.kind: lane for lane in lanes(run)}


class TestRateSteps:
    @pytest.mark.parametrize(
        "smooth",
        [
            np.full(N, 1e-3),
            COSINE,
            WARM,
            (1 - TURN) ** 2,
            np.exp(-8 * TURN),
            np.linspace(1e-8, 1, N),
            1 / np.sqrt(1 + np.arange(N)),
        ],
    )
    def test_a_smooth_schedule_has_none(self, smooth: np.ndarray) -> None:
        assert rate_steps(smooth).tolist() == []

    def test_a_staircase_has_each_of_its_steps(self) -> None:
        stairs = np.repeat([1e-1, 1e-2, 1e-3], 300)
        assert rate_steps(stairs).tolist() == [300, 600]

    def test_a_reset_is_one(self) -> None:
        reset = COSINE.copy()
        reset[700:] = COSINE[:300]
        assert rate_steps(reset).tolist() == [700]

    @pytest.mark.parametrize("short", [[], [1.0], [1.0, 2.0], [0.0, 0.0, 0.0]])
    def test_there_is_none_in_a_few_points(self, short: list[float]) -> None:
        assert rate_steps(np.array(short)).size == 0


class TestWarmupEnd:
    def test_it_is_the_first_highest_point(self) -> None:
        assert warmup_end(WARM) in (49, 50)

    @pytest.mark.parametrize(
        "without", [COSINE, np.full(9, 1.0), np.arange(9.0), np.ones(2), np.zeros(0)]
    )
    def test_some_schedules_have_none(self, without: np.ndarray) -> None:
        assert warmup_end(without) is None


class TestLanes:
    def test_a_bare_loss_has_no_events(self) -> None:
        assert lanes(synth.loss_run(np.ones(50))) == ()

    def test_evaluations_tell_the_validation_loss(self) -> None:
        found = by_kind(
            synth.run(
                synth.series(np.ones(100)),
                synth.series(np.array([2.5, 1.25]), Metric.VAL_LOSS, stride=50),
            )
        )[EventKind.EVALUATION]
        assert [event.note.en for event in found.events] == ["val_loss 2.5", "val_loss 1.25"]

    def test_more_events_than_a_page_lists_are_counted(self) -> None:
        many = synth.run(
            synth.series(np.ones(5_000)), synth.series(np.ones(2_000), Metric.VAL_LOSS, stride=2)
        )
        lane = by_kind(many)[EventKind.EVALUATION]
        assert lane.total == 2_000
        assert len(lane.events) == EVENTS_MOST
        steps = many.eval_steps
        assert [lane.events[0].step, lane.events[-1].step] == [steps[0], steps[-1]]

    def test_messages_stand_in_order_and_only_with_a_step(self) -> None:
        run = replace(
            synth.loss_run(np.ones(20)), events=((9, "late"), (None, "when?"), (3, "x" * 999))
        )
        lane = by_kind(run)[EventKind.MESSAGE]
        assert [(event.step, event.note.en[:4]) for event in lane.events] == [
            (3, "xxxx"),
            (9, "late"),
        ]
        assert len(lane.events[0].note.zh) == 200

    def test_a_rate_of_nothing_but_nan_is_no_schedule(self) -> None:
        rate = synth.series(np.full(20, np.nan), Metric.LR)
        assert lanes(synth.run(synth.series(np.ones(20)), rate)) == ()

    def test_rate_changes_say_from_what_to_what(self) -> None:
        rate = np.concatenate([np.linspace(0.1, 1, 10), np.repeat([1.0, 0.25], 50)])
        run = synth.run(synth.series(np.ones(110)), synth.series(rate, Metric.LR))
        notes = [(e.note.en, e.note.zh) for e in by_kind(run)[EventKind.LR_CHANGE].events]
        assert notes == [("end of warm-up, 1", "预热结束，1"), ("1 → 0.25", "1 → 0.25")]


def test_evenly_keeps_both_ends() -> None:
    assert evenly(list(range(5)), 9) == list(range(5))
    picked = evenly(list(range(1_000)), 10)
    assert picked[0] == 0
    assert picked[-1] == 999
    assert len(picked) == 10
