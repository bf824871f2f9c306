"""trainer_state.json: rows, closing row, settings, damage."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tables import series

from spikedoc.errors import InputError
from spikedoc.readers.trainer_state import READER

DATA = Path(__file__).parents[1] / "data" / "frameworks" / "hf-trainer"


def write(tmp_path: Path, state: dict[str, Any] | str) -> Path:
    path = tmp_path / "trainer_state.json"
    path.write_text(state if isinstance(state, str) else json.dumps(state), encoding="utf-8")
    return path


def state(**more: Any) -> dict[str, Any]:
    history = [
        {"epoch": step / 40, "loss": 1 / step, "grad_norm": math.nan, "step": step}
        for step in (10, 20, 30, 40)
    ]
    history.append({"epoch": 1.0, "eval_news_loss": 0.5, "eval_runtime": 1.0, "step": 40})
    history.append({"epoch": 1.0, "train_loss": 9.9, "train_runtime": 60.0, "step": 40})
    return {"log_history": history, **more}


def test_rows_and_closing_row(tmp_path: Path) -> None:
    table = READER.read(write(tmp_path, state()))
    found = series(table)
    assert found["loss"].steps.tolist() == [10, 20, 30, 40]
    assert found["eval_news_loss"].steps.tolist() == [40]
    assert np.isnan(found["grad_norm"].values).all()
    assert "train_loss" not in found
    assert any("summary row" in note.en for note in table.notes)


def test_settings(tmp_path: Path) -> None:
    more = {
        "max_steps": 40,
        "num_train_epochs": 1,
        "logging_steps": 10,
        "save_steps": 20,
        "eval_steps": 500,
        "train_batch_size": 8,
        "global_step": 40,
        "epoch": 1.0,
    }
    config = READER.read(write(tmp_path, state(**more))).config
    expected = {
        "total_steps": 40,
        "epochs": 1,
        "logging_every": 10,
        "save_every": 20,
        "batch_size": 8,
        "steps_per_epoch": 40,
    }
    assert {key: config[key] for key in expected} == expected


def test_an_evaluation_interval_without_evaluations_is_a_default(tmp_path: Path) -> None:
    rows = [{"loss": 1.0, "step": step} for step in (1, 2)]
    table = READER.read(write(tmp_path, {"eval_steps": 500, "log_history": rows}))
    assert "eval_every" not in table.config


def test_steps_per_epoch_from_rounded_epochs(tmp_path: Path) -> None:
    rows = [{"loss": 1.0, "epoch": round(s / 179, 4), "step": s} for s in range(2, 1501, 2)]
    assert READER.read(write(tmp_path, {"log_history": rows})).config["steps_per_epoch"] == 179


@pytest.mark.parametrize(("step", "epoch"), [(10, 5e-324), (1e308, 1e-10), (math.inf, 1.0)])
def test_an_endless_number_of_steps_per_epoch(tmp_path: Path, step: float, epoch: float) -> None:
    table = READER.read(write(tmp_path, state(global_step=step, epoch=epoch)))
    assert table.config["steps_per_epoch"] == 40


def test_a_file_cut_in_the_middle(tmp_path: Path) -> None:
    text = json.dumps(state(), indent=2)
    table = READER.read(write(tmp_path, text[: text.index('"step": 30')]))
    assert series(table)["loss"].steps.tolist() == [10, 20]
    assert any("damaged" in note.en for note in table.notes)


@pytest.mark.parametrize("text", ['{"log_history": []}', '{"log_history": 3}', '{"log_history": {'])
def test_no_history(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        READER.read(write(tmp_path, text))


def test_a_real_file() -> None:
    path = DATA / "checkpoint-60" / "trainer_state.json"
    assert READER.accepts(path, path.read_bytes())
    table = READER.read(path)
    assert series(table)["loss"].steps.tolist() == list(range(5, 61, 5))
    assert table.config["steps_per_epoch"] == 20
    assert np.isnan(series(table)["grad_norm"].values).any()


@pytest.mark.parametrize("key", ["max_steps", "num_train_epochs", "logging_steps"])
@pytest.mark.parametrize("value", [math.inf, "1e400", math.nan])
def test_an_infinite_setting_is_none(tmp_path: Path, key: str, value: object) -> None:
    table = READER.read(write(tmp_path, state(**{key: value})))
    assert all(math.isfinite(v) for v in table.config.values() if isinstance(v, float))
