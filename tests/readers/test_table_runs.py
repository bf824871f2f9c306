"""Tables into which several runs write in turns."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.readers._table_runs import may_tell_runs
from tests.notes import english

COUNT = 30


def loss(i: int, run: int) -> float:
    return round((2 * math.exp(-i / 20) + 0.3) * (1 + 0.15 * run), 6)


def losses(runs: list[Run]) -> list[list[float]]:
    found = [run.get(Metric.LOSS) for run in runs]
    return [[] if one is None else one.values.tolist() for one in found]


def runs_in(folder: Path, text: str, name: str = "log.csv") -> list[Run]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return load_runs(path)


def in_turns(column: str, cells: tuple[object, ...], axis: str = "epoch") -> str:
    rows = [f"{i},{cell},{loss(i, k)}" for i in range(COUNT) for k, cell in enumerate(cells)]
    return "\n".join([f"{axis},{column},loss", *rows]) + "\n"


@pytest.mark.parametrize(
    ("column", "cells", "names"),
    [
        ("seed", (0, 1, 2), ["seed=0", "seed=1", "seed=2"]),
        ("Seed", (42, 7), ["seed=42", "seed=7"]),
        ("model", ("resnet", "vit"), ["resnet", "vit"]),
        ("run", ("a", "b"), ["a", "b"]),
        ("run_id", (1, 2), ["run_id=1", "run_id=2"]),
        ("fold", ("1.0", "2.0"), ["fold=1", "fold=2"]),
        ("phase", (1, 2), ["phase=1", "phase=2"]),
        ("lr", (0.001, 1e-5), ["lr=0.001", "lr=1e-05"]),
        ("optimizer", ("sgd", "adam"), ["optimizer=sgd", "optimizer=adam"]),
        ("batch_size", (32, 64), ["batch_size=32", "batch_size=64"]),
    ],
)
@pytest.mark.parametrize("axis", ["epoch", "Epoch", "step"])
def test_rows_of_several_runs(
    tmp_path: Path, column: str, cells: tuple[object, ...], names: list[str], axis: str
) -> None:
    runs = runs_in(tmp_path, in_turns(column, cells, axis))
    assert [run.name for run in runs] == [f"log.csv/{name}" for name in names]
    assert losses(runs) == [[loss(i, k) for i in range(COUNT)] for k in range(len(cells))]
    assert {one.tag for run in runs for one in run.series} == {"loss"}
    assert column in " ".join(english(runs[0].sources[0].notes))


def test_records_of_numbers_alone(tmp_path: Path) -> None:
    rows = [{"epoch": i, "seed": k, "loss": loss(i, k)} for i in range(COUNT) for k in (0, 1)]
    runs = runs_in(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "log.jsonl")
    assert losses(runs) == [[loss(i, k) for i in range(COUNT)] for k in (0, 1)]
    assert {one.tag for run in runs for one in run.series} == {"loss"}


@pytest.mark.parametrize(
    "text",
    [
        # one seed for all rows
        "epoch,seed,loss\n" + "".join(f"{i},3,{loss(i, 0)}\n" for i in range(COUNT)),
        # a seed that is drawn anew for each row
        "step,seed,loss\n" + "".join(f"{i},{i % 3},{loss(i, 0)}\n" for i in range(COUNT)),
        # two stages, one after the other
        "step,stage,loss\n" + "".join(f"{i},{1 + i // 15},{loss(i, 0)}\n" for i in range(COUNT)),
        # networks of one training
        in_turns("model", ("generator", "discriminator"), "step"),
        in_turns("model", ("netG", "netD"), "step"),
        in_turns("model", ("model", "ema"), "step"),
        # terms of one loss
        in_turns("name", ("ce", "kl"), "step"),
        # a rate that is lower now and then
        "step,lr,loss\n"
        + "".join(f"{i},{1e-3 if i % 9 else 1e-4},{loss(i, 0)}\n" for i in range(COUNT)),
        # several rows of each epoch belong to one run
        "epoch,model,loss\n"
        + "".join(f"{i},{m},{loss(i, 0)}\n" for i in range(COUNT) for m in "aabb"),
    ],
)
def test_rows_of_one_run(tmp_path: Path, text: str) -> None:
    assert len(runs_in(tmp_path, text)) == 1


@pytest.mark.parametrize("column", ["rank", "Rank", "worker"])
def test_ranks_are_of_one_run(tmp_path: Path, column: str) -> None:
    (run,) = runs_in(tmp_path, in_turns(column, (0, 1), "step"))
    main = run.get(Metric.LOSS)
    assert main is not None
    means = [(loss(i, 0) + loss(i, 1)) / 2 for i in range(COUNT)]
    assert main.steps.tolist() == list(range(COUNT))
    assert main.values.tolist() == pytest.approx(means)


def test_phases_by_nought_and_one_are_data_sets(tmp_path: Path) -> None:
    (run,) = runs_in(tmp_path, in_turns("phase", (0, 1)))
    held_out = run.get(Metric.VAL_LOSS)
    assert held_out is not None
    assert held_out.values.tolist() == [loss(i, 1) for i in range(COUNT)]


def test_names_of_columns() -> None:
    assert may_tell_runs(["step", " Seed ", "loss"])
    assert not may_tell_runs(["step", "seeds", "model_loss"])
