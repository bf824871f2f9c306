"""JSON lines into which several runs write in turns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.readers._json_runs import LEAST_RECORDS, Named
from tests.notes import english

COUNT = 12
A = [round(2 * 0.9**e, 6) for e in range(COUNT)]
B = [round(1 * 0.8**e, 6) for e in range(COUNT)]


def runs_in(folder: Path, records: list[dict[str, Any]]) -> list[Run]:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return load_runs(path)


def losses(runs: list[Run]) -> list[list[float]]:
    found = [run.get(Metric.LOSS) for run in runs]
    return [[] if one is None else one.values.tolist() for one in found]


def in_turns(key: str, names: tuple[str, str], axis: str = "step") -> list[dict[str, Any]]:
    return [
        {key: name, axis: e, "loss": x}
        for e, both in enumerate(zip(A, B, strict=True))
        for name, x in zip(names, both, strict=True)
    ]


@pytest.mark.parametrize("key", ["run", "run_id", "model", "experiment", "name"])
@pytest.mark.parametrize("axis", ["step", "epoch"])
def test_runs_that_take_turns(tmp_path: Path, key: str, axis: str) -> None:
    runs = runs_in(tmp_path, in_turns(key, ("resnet", "vit"), axis))
    assert [run.name for run in runs] == ["log.jsonl/resnet", "log.jsonl/vit"]
    assert losses(runs) == [A, B]
    assert "their records bear their names" in " ".join(english(runs[0].sources[0].notes))


def test_one_run_with_its_name(tmp_path: Path) -> None:
    runs = runs_in(tmp_path, [{"run": "a", "step": e, "loss": x} for e, x in enumerate(A)])
    assert losses(runs) == [A]


def test_names_of_the_sides_of_one_training_are_no_runs(tmp_path: Path) -> None:
    assert len(runs_in(tmp_path, in_turns("model", ("generator", "discriminator")))) == 1


def test_names_that_change_from_step_to_step_are_no_runs(tmp_path: Path) -> None:
    records = [{"name": "ab"[e % 2], "step": e, "loss": x} for e, x in enumerate(A)]
    assert losses(runs_in(tmp_path, records)) == [A]


def test_names_of_quantities_are_no_runs(tmp_path: Path) -> None:
    records = [
        {"name": name, "step": e, "value": x}
        for e, both in enumerate(zip(A, B, strict=True))
        for name, x in zip(("loss", "val_loss"), both, strict=True)
    ]
    (run,) = runs_in(tmp_path, records)
    assert {one.metric for one in run.series} == {Metric.LOSS, Metric.VAL_LOSS}


def key_of(names: list[Any]) -> str:
    named = Named()
    for name in names:
        named.see({"run": name, "loss": 0.5})
    return named.key()


def test_what_takes_turns() -> None:
    assert key_of(["a", "b"] * LEAST_RECORDS) == "run"
    assert key_of(["a", "b"] * (LEAST_RECORDS - 1)) == ""
    assert key_of(["a"] * 9 + ["b"] * 9) == ""  # parts of one training
    assert key_of([1, 2.0] * 9) == "run"
    assert key_of([0.5, 1.5] * 9) == ""  # such numbers are a quantity
    assert key_of([True, False] * 9) == ""
    assert key_of(["a", "b", None] * 9) == ""
