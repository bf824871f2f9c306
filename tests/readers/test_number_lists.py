"""Files that hold nothing but lists of numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tables import points

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.readers.number_lists import LEAST_VALUES, READER

LOSSES = [round(2 * 0.97**i, 4) for i in range(60)]
ACCURACIES = [round(1 - 0.97**i / 2, 4) for i in range(60)]
PLACED = list(enumerate(LOSSES))


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def accepted(path: Path) -> bool:
    return READER.accepts(path, path.read_bytes()[:65536])


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(LOSSES),
        json.dumps(LOSSES, indent=1),
        f"{LOSSES}\n",
        f"{tuple(LOSSES)}\n",
        f"{np.array(LOSSES)}\n",
        f"array({LOSSES})",
        f"tensor({LOSSES}, dtype=torch.float64)",
        " ".join(map(str, LOSSES)) + "\n",
        ",".join(map(str, LOSSES)) + "\n",
        f"train_loss = {LOSSES}\n",
        f"{{'train_loss': {LOSSES}}}",
    ],
)
def test_one_list(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, "train_loss.txt", text)
    assert accepted(path)
    assert points(READER.read(path), "train_loss") == PLACED
    (run,) = load_runs(path)
    assert [one.metric for one in run.series] == [Metric.LOSS]


@pytest.mark.parametrize(
    "text",
    [
        f"train_loss = {LOSSES}\nacc = {ACCURACIES}\n",
        f"train_loss: {LOSSES}; acc: np.array({ACCURACIES})",
        f"{{'train_loss': {LOSSES}, 'acc': {ACCURACIES}, 'sizes': [64, 32]}}",
    ],
)
def test_lists_with_names(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, "history.txt", text)
    assert accepted(path)
    table = READER.read(path)
    assert points(table, "train_loss") == PLACED
    assert points(table, "acc") == list(enumerate(ACCURACIES))
    assert len(table.series) == 2


@pytest.mark.parametrize("text", ["[[{s}, {x}]", "[[1700000000.5, {s}, {x}]"])
def test_pairs_of_step_and_value(tmp_path: Path, text: str) -> None:
    row = text[1:]
    rows = ", ".join(row.format(s=10 * i, x=x) for i, x in PLACED)
    path = written(tmp_path, "run-exp1-tag-train_loss.json", f"[{rows}]")
    assert accepted(path)
    table = READER.read(path)
    assert points(table, "train_loss") == [(10 * i, x) for i, x in PLACED]
    walls = table.series[0].wall_times
    assert (walls is not None) == ("1700000000.5" in text)


def test_missing_and_not_finite(tmp_path: Path) -> None:
    path = written(tmp_path, "loss.json", json.dumps([*LOSSES, None, float("nan"), float("inf")]))
    (found,) = READER.read(path).series
    assert found.steps.tolist() == [*range(60), 61, 62]
    np.testing.assert_array_equal(found.values[-2:], [np.nan, np.inf])


def test_a_list_longer_than_the_head_of_a_file(tmp_path: Path) -> None:
    values = [i + 0.5 for i in range(20_000)]
    path = written(tmp_path, "loss.json", json.dumps(values))
    assert accepted(path)
    assert points(READER.read(path), "loss") == list(enumerate(values))


@pytest.mark.parametrize("name", ["step", "global_step", "epoch", "Iteration"])
def test_a_list_of_steps_says_where_the_others_stand(tmp_path: Path, name: str) -> None:
    steps = [100 * i for i in range(60)]
    path = written(tmp_path, "x.json", json.dumps({name: steps, "loss": LOSSES}))
    assert accepted(path)
    table = READER.read(path)
    assert points(table, "loss") == list(zip(steps, LOSSES, strict=True))
    assert table.notes == ()


@pytest.mark.parametrize("steps", [[100] * 60, list(range(30)), [i / 2 for i in range(60)]])
def test_what_is_no_list_of_the_steps(tmp_path: Path, steps: list[float]) -> None:
    table = READER.read(written(tmp_path, "x.json", json.dumps({"step": steps, "loss": LOSSES})))
    assert points(table, "loss") == PLACED
    assert len(table.notes) == 1


@pytest.mark.parametrize(
    "text",
    [
        str(LOSSES[: LEAST_VALUES - 1]),  # as weights of classes
        str(list(range(60))),  # sizes, labels
        f"weights = {LOSSES}\nepoch 1 loss 0.5\n",
        "[1, 2000] loss: 2.3\n[1, 4000] loss: 2.2\n",
        "[0.5 0.25 ... 0.125 0.5]",
        "[[3, 0.5], [1, 0.25]" + ", [2, 0.5]" * 10 + "]",  # no steps
        f"{LOSSES} and more words",
        "",
        '[{"loss": 0.5}]',
    ],
)
def test_what_is_no_list(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, "x.txt", text)
    assert not accepted(path)
    with pytest.raises(InputError):
        READER.read(path)


VALUES = [2.0 / (1 + i) for i in range(LEAST_VALUES)]


@pytest.mark.parametrize("before", ["", "# losses of seed 3\n"])
def test_remarks_around_lists(tmp_path: Path, before: str) -> None:
    path = tmp_path / "history.txt"
    path.write_text(f"{before}loss = {VALUES}\nval_loss = {VALUES}  # 10 steps\n# done [3]\n")
    assert READER.accepts(path, path.read_bytes())
    assert {one.tag: one.values.tolist() for one in READER.read(path).series} == {
        "loss": VALUES,
        "val_loss": VALUES,
    }
