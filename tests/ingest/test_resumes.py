"""Printed lines that tell of a restart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.ingest.resumes import MOST_RESUMES, with_resumes
from spikedoc.model.run import Restart, Run

LINE = "Resuming from checkpoint step_50.pt"


def told(*events: tuple[int | None, str], restarts: tuple[Restart, ...] = ()) -> Run:
    run = synth.run(synth.series(np.ones(100)), restarts=restarts)  # steps 1 to 100
    return with_resumes(replace(run, events=events))


def test_a_line_is_a_restart_with_a_note() -> None:
    run = told((50, "Traceback"), (50, LINE), (50, LINE))
    assert run.restarts == (Restart(51, 50, "resumed"),)
    (note,) = run.notes
    assert "between steps 50 and 51" in note.en
    assert "第 50 步与第 51 步" in note.zh


@pytest.mark.parametrize(
    "event",
    [(None, LINE), (0, LINE), (100, LINE), (50, "resume_from_checkpoint: None")],
)
def test_no_restart(event: tuple[int | None, str]) -> None:
    run = told(event)
    assert (run.restarts, run.notes) == ((), ())


@pytest.mark.parametrize("known", [Restart(40, 50, "rewound"), Restart(51, 50, "pause")])
def test_a_restart_that_the_steps_show_stays(known: Restart) -> None:
    assert told((50, LINE), restarts=(known,)).restarts == (known,)


def test_restarts_are_in_order() -> None:
    run = told((70, LINE), (20, LINE), restarts=(Restart(40, 45, "rewound"),))
    assert [r.step for r in run.restarts] == [21, 40, 71]


@pytest.mark.parametrize("more", [0, 1])
def test_a_line_that_comes_all_the_time_tells_of_something_else(more: int) -> None:
    run = told(*((2 + step, LINE) for step in range(MOST_RESUMES + more)))
    assert len(run.restarts) == (0 if more else MOST_RESUMES)


def test_a_run_without_a_loss_is_left_alone() -> None:
    run = replace(synth.run(), events=((50, LINE),))
    assert with_resumes(run) is run


@pytest.mark.parametrize(
    ("name", "value", "restarts"),
    [
        ("resume_from_checkpoint", "out/checkpoint-50", (Restart(51, 50, "resumed"),)),
        ("training/resume_from_checkpoint", "run/step_50/", (Restart(51, 50, "resumed"),)),
        ("resume_from_checkpoint", "out/epoch-50", ()),
        ("resume_from_checkpoint", True, ()),
        ("resume_from_checkpoint", "checkpoint-100", ()),  # nothing after it
        ("resume_from_checkpoint", "checkpoint-0", ()),
        ("model_name", "checkpoint-50", ()),
    ],
)
def test_a_setting_that_names_a_checkpoint_of_the_log(
    name: str, value: str | bool, restarts: tuple[Restart, ...]
) -> None:
    run = synth.run(synth.series(np.ones(100)))
    found = with_resumes(replace(run, config={name: value}))
    assert found.restarts == restarts
    assert len(found.notes) == len(restarts)
    assert all(name in note.en and name in note.zh for note in found.notes)


def test_a_line_and_a_setting_of_one_resume_are_one_restart() -> None:
    run = synth.run(synth.series(np.ones(100)))
    both = replace(run, events=((50, LINE),), config={"resume_from_checkpoint": "checkpoint-50"})
    assert len(with_resumes(both).restarts) == 1
