"""A log with the newest record on top is one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from spikedoc.ingest import load_runs
from spikedoc.ingest.newest_first import TURNED
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

DOWN = range(299, -1, -1)


def loss(step: int) -> float:
    return 2 * 0.98**step + 0.3


def read(tmp_path: Path, name: str, text: str) -> list[Run]:
    (tmp_path / name).write_text(text)
    return load_runs(tmp_path)


def is_told(run: Run) -> bool:
    return TURNED in (*run.notes, *(note for source in run.sources for note in source.notes))


def jsonl(steps: Sequence[int]) -> str:
    return "".join(f'{{"step": {s}, "loss": {loss(s)}}}\n' for s in steps)


def csv(steps: Sequence[int], name: str = "step") -> str:
    return f"{name},loss\n" + "".join(f"{s},{loss(s)}\n" for s in steps)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("log.csv", csv(DOWN)),
        ("log.csv", csv(DOWN, "epoch")),
        ("log.csv", csv([10 * s for s in DOWN])),
        ("log.jsonl", jsonl(DOWN)),
        ("log.csv", "step,tag,value\n" + "".join(f"{s},loss,{loss(s)}\n" for s in DOWN)),
        (
            "log.csv",
            "step,loss,val_loss\n"
            + "".join(f"{s},{loss(s)},{0.5 if s % 10 == 0 else ''}\n" for s in DOWN),
        ),
    ],
)
def test_rows_from_the_newest_to_the_oldest_are_one_run(
    tmp_path: Path, name: str, text: str
) -> None:
    (run,) = read(tmp_path, name, text)
    found = run.get(Metric.LOSS)
    assert found is not None
    assert found.steps.size == len(DOWN)
    assert found.values[0] == pytest.approx(loss(int(found.steps[0]) // (found.steps[1] or 1)))
    assert (found.steps[1:] > found.steps[:-1]).all()
    assert not run.restarts
    assert is_told(run)


@pytest.mark.parametrize(
    "steps", [[*range(300)], [*range(150), *range(100, 300)], [*range(150), *range(150)]]
)
def test_steps_that_rise_stay_as_they_are(tmp_path: Path, steps: list[int]) -> None:
    assert not any(map(is_told, read(tmp_path, "log.csv", csv(steps))))


def test_a_counter_of_what_is_left_is_not_turned(tmp_path: Path) -> None:
    rows = "".join(f"{1.7e9 + 299 - s},{s},{loss(s)}\n" for s in DOWN)
    assert not any(map(is_told, read(tmp_path, "log.csv", "wall_time,step,loss\n" + rows)))
