"""JSON records: lines, arrays, the habits of frameworks, hostile text."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import points, series

from spikedoc.errors import InputError
from spikedoc.readers.base import Table
from spikedoc.readers.jsonl import READER

DATA = Path(__file__).parents[1] / "data" / "frameworks"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def read(tmp_path: Path, text: str) -> Table:
    path = write(tmp_path, text)
    assert READER.accepts(path, path.read_bytes()[:65536])
    return READER.read(path)


def test_bare_and_quoted_words_for_numbers(tmp_path: Path) -> None:
    text = (
        '{"step": 1, "loss": NaN}\n{"step": 2, "loss": "NaN"}\n{"step": 3, "loss": Infinity}\n'
        '{"step": 4, "loss": "-Infinity"}\n{"step": 5, "loss": null}\n{"step": 6, "loss": "0.5"}\n'
    )
    one = series(read(tmp_path, text))["loss"]
    assert one.steps.tolist() == [1, 2, 3, 4, 6]
    np.testing.assert_array_equal(one.values, [math.nan, math.nan, math.inf, -math.inf, 0.5])


def test_nested_keys_are_joined(tmp_path: Path) -> None:
    row = '{"step": 1, "train": {"loss": 2, "norm": {"grad": 3}}, "list": [1, 2]}\n'
    table = read(tmp_path, row + row.replace("1,", "2,", 1))
    assert set(series(table)) == {"train/loss", "train/norm/grad"}


def test_a_cut_last_line(tmp_path: Path) -> None:
    table = read(tmp_path, '{"step": 1, "loss": 3}\n{"step": 2, "loss": 2}\n{"step": 3, "lo')
    assert points(table, "loss") == [(1, 3.0), (2, 2.0)]
    assert any("cut short" in note.en for note in table.notes)


def test_warnings_between_the_records(tmp_path: Path) -> None:
    text = (
        '{"step": 1, "loss": 3}\nUserWarning: x\n{"step": 2, "loss": 2}\n{"step": 3, "loss": 1}\n'
    )
    table = read(tmp_path, text)
    assert len(points(table, "loss")) == 3
    assert any("1 line " in note.en for note in table.notes)


def test_an_array_of_objects(tmp_path: Path) -> None:
    rows = [{"epoch": 0, "iteration": 100 * i, "gen/loss": i} for i in range(1, 4)]
    table = read(tmp_path, json.dumps(rows, indent=4))
    assert points(table, "gen/loss") == [(100, 1.0), (200, 2.0), (300, 3.0)]


def test_a_damaged_array_gives_what_came_before(tmp_path: Path) -> None:
    rows = [{"iteration": i, "loss": i} for i in range(1, 6)]
    table = read(tmp_path, json.dumps(rows, indent=4)[:-40])
    assert len(points(table, "loss")) >= 3
    assert any("damaged" in note.en for note in table.notes)


def test_an_object_of_arrays(tmp_path: Path) -> None:
    table = read(tmp_path, json.dumps({"loss": [3, 2, 1], "val_loss": [4, None, 2]}, indent=1))
    assert points(table, "loss") == [(0, 3.0), (1, 2.0), (2, 1.0)]
    assert points(table, "val_loss") == [(0, 4.0), (2, 2.0)]


def test_steps_as_done_of_all(tmp_path: Path) -> None:
    rows = [{"loss": 3 - i, "global_step/max_steps": f"{10 * i}/300"} for i in range(1, 4)]
    table = read(tmp_path, "\n".join(map(json.dumps, rows)))
    assert [step for step, _ in points(table, "loss")] == [10, 20, 30]
    assert table.config["total_steps"] == 300


def test_the_total_is_a_setting(tmp_path: Path) -> None:
    rows = [{"current_steps": i, "total_steps": 50, "loss": 1.0 / i} for i in range(1, 5)]
    table = read(tmp_path, "\n".join(map(json.dumps, rows)))
    assert set(series(table)) == {"loss"}
    assert table.config["total_steps"] == 50


def test_rows_with_a_mode(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"env_info": "x", "seed": 0}]
    for epoch in (1, 2):
        rows += [{"mode": "train", "epoch": epoch, "iter": i, "loss": 1.0} for i in (50, 100)]
        rows.append({"mode": "val", "epoch": epoch, "iter": 30, "lr": 0.1, "mAP": 0.5})
    table = read(tmp_path, "\n".join(map(json.dumps, rows)))
    assert [step for step, _ in points(table, "loss")] == [50, 100, 150, 200]
    assert points(table, "val/mAP") == [(100, 0.5), (200, 0.5)]
    assert any("validation rows" in note.en for note in table.notes)


def test_validation_rows_that_count_epochs() -> None:
    path = next((DATA / "mmengine").rglob("scalars.json"))
    table = READER.read(path)
    assert [step for step, _ in points(table, "val/mse")] == [20, 40]
    assert series(table)["loss"].steps.tolist() == list(range(5, 41, 5))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["loss", "train/loss", "损失", "lr"]),
            st.none() | st.floats() | st.integers(-(10**30), 10**30),
            min_size=1,
        ),
        min_size=2,
        max_size=40,
    )
)
def test_what_is_written_is_read(tmp_path: Path, rows: list[dict[str, float | None]]) -> None:
    text = "\n".join(json.dumps({"step": 3 * i, **row}) for i, row in enumerate(rows))
    if not any(value is not None for row in rows for value in row.values()):
        return
    found = series(READER.read(write(tmp_path, text)))
    for tag in {key for row in rows for key in row}:
        expected = [(3 * i, row[tag]) for i, row in enumerate(rows) if row.get(tag) is not None]
        if expected:
            assert found[tag].steps.tolist() == [step for step, _ in expected]
            np.testing.assert_array_equal(
                found[tag].values, np.array([v for _, v in expected], dtype=float)
            )


@pytest.mark.parametrize(
    "bomb",
    [
        "[" * 200_000,
        '{"a":' * 200_000,
        '{"step": 1, "loss": ' + "1" * 10_000 + "}",
        '{"step": 1, "loss": ' + "9" * 400 + "}",
        "{" + ",".join(f'"k{i}": {i}' for i in range(50_000)) + "}",
    ],
)
def test_bombs_are_defused(tmp_path: Path, bomb: str) -> None:
    path = write(tmp_path, '{"step": 1, "loss": 2}\n{"step": 2, "loss": 1}\n' + bomb + "\n")
    table = READER.read(path)
    assert {1, 2} <= {step for step, _ in points(table, "loss")}
    assert len(table.series) <= 5000


def test_a_line_of_many_megabytes_is_left_out(tmp_path: Path) -> None:
    text = '{"step": 1, "loss": 2}\n{"step": 9, "text": "' + "x" * 9_000_000 + '"}\n'
    table = READER.read(write(tmp_path, text + '{"step": 2, "loss": 1}\n'))
    assert points(table, "loss") == [(1, 2.0), (2, 1.0)]


@pytest.mark.parametrize(
    "text", ["{}", "[]", "[1, 2, 3]", '{"a": 1', "step,loss\n1,2", "", "{'a': 1}"]
)
def test_nothing_to_read(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    if READER.accepts(path, text.encode()):
        with pytest.raises(InputError):
            READER.read(path)


def test_trainer_state_is_left_to_its_reader() -> None:
    path = DATA / "hf-trainer" / "checkpoint-20" / "trainer_state.json"
    assert not READER.accepts(path, path.read_bytes())


@pytest.mark.parametrize("total", ["Infinity", "1e400", '"inf"'])
def test_an_infinite_total_is_no_setting(tmp_path: Path, total: str) -> None:
    rows = [f'{{"step": {i}, "loss": {9 - i}, "total_steps": {total}}}' for i in range(5)]
    table = read(tmp_path, "\n".join(rows))
    assert "total_steps" not in table.config
    assert points(table, "loss")[0] == (0, 9.0)


def test_evaluations_of_boosting_by_data_set_and_name(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        '{"validation_0": {"rmse": [0.8, 0.4, 0.2]},\n"validation_1": {"rmse": [0.9, NaN, 0.5]}}',
    )
    assert points(table, "validation_0/rmse") == [(0, 0.8), (1, 0.4), (2, 0.2)]
    assert [step for step, _ in points(table, "validation_1/rmse")] == [0, 1, 2]
    assert table.framework == "boosting"
    assert any("validation_0, the first set" in note.en for note in table.notes)


def test_a_history_by_data_set(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        '{"train": {"loss": [2, 1, 0.5], "acc": [0, 1, 1]}, '
        '"val": {"loss": [3, 2, 1]}, "lr": [1, 1, 2]}',
    )
    assert {one.tag for one in table.series} == {"train/loss", "train/acc", "val/loss", "lr"}
    assert points(table, "val/loss") == [(0, 3.0), (1, 2.0), (2, 1.0)]
    assert not table.framework


@pytest.mark.parametrize(
    "text",
    [
        '{"model": {"layers": [2, 3, 4], "name": "x"}, "train": {"betas": [0.9, 0.999, 0.5]}}',
        '{"loss": {"weights": [1, 2, 3]}, "train": {"loss": [1, 2]}}',
    ],
)
def test_lists_among_settings_are_no_history(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read(tmp_path, text)


def test_verl_writes_null_for_nan_around_an_object_without_a_name(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        '{"step":1,"data":{"actor/pg_loss":0.5,"critic/score/mean":0.25}}\n'
        '{"step":2,"data":{"actor/pg_loss":null,"critic/score/mean":0.5}}\n',
    )
    (first, second) = points(table, "actor/pg_loss")
    assert first == (1, 0.5)
    assert second[0] == 2
    assert math.isnan(second[1])
    assert points(table, "critic/score/mean") == [(1, 0.25), (2, 0.5)]
    assert any("null for NaN" in note.en for note in table.notes)


@pytest.mark.parametrize(
    ("record", "tags"),
    [
        ('{"step": %d, "metrics": {"loss": 0.5, "lr": null}}', {"loss"}),
        ('{"step": %d, "data": {"loss": 0.5, "lr": null}}', {"loss"}),
        ('{"step": %d, "data": {"loss": 0.5}, "val": {"loss": 1.5}}', {"data/loss", "val/loss"}),
        ('{"step": %d, "loss": 1.5, "data": {"loss": 0.5}}', {"loss", "data/loss"}),
        ('{"step": %d, "train": {"loss": 0.5}}', {"train/loss"}),
    ],
)
def test_an_object_around_all_quantities(tmp_path: Path, record: str, tags: set[str]) -> None:
    table = read(tmp_path, "".join(f"{record}\n" % step for step in (1, 2)))
    assert {one.tag for one in table.series} == tags
    assert all(one.steps.tolist() == [1, 2] for one in table.series)
