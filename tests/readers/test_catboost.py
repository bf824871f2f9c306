"""CatBoost's folder, written by CatBoost itself, and what a stopped job leaves of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.readers.base import Table
from spikedoc.readers.catboost import READER

WRITTEN = Path(__file__).parents[1] / "data" / "writers" / "catboost_info"
JSON = "catboost_training.json"


def series(table: Table) -> dict[str, list[float]]:
    return {one.tag: one.values.tolist() for one in table.series}


def test_every_metric_of_every_data_set_is_a_series() -> None:
    table = READER.read(WRITTEN)
    assert set(series(table)) == {"learn/RMSE", "learn/MAE", "test/RMSE", "test/MAE"}
    assert all(one.steps.tolist() == list(range(30)) for one in table.series)
    learned = (WRITTEN / "learn_error.tsv").read_text().splitlines()[1:]
    assert series(table)["learn/RMSE"] == [float(line.split("\t")[1]) for line in learned]


@pytest.mark.parametrize("name", [JSON, "learn_error.tsv", "test_error.tsv", "time_left.tsv"])
def test_each_file_of_the_folder_stands_for_it(name: str) -> None:
    path = WRITTEN / name
    assert READER.accepts(path, path.read_bytes())
    assert len(READER.read(path).series) == 4


def test_a_table_without_the_json_is_any_table(tmp_path: Path) -> None:
    path = Path(shutil.copy(WRITTEN / "learn_error.tsv", tmp_path))
    assert not READER.accepts(path, path.read_bytes())


def test_a_job_that_was_stopped_leaves_whole_iterations(tmp_path: Path) -> None:
    path = tmp_path / JSON
    lines = (WRITTEN / JSON).read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:8]) + lines[8][:20])
    table = READER.read(path)
    assert [len(values) for values in series(table).values()] == [5] * 4
    assert any("left out: 1" in note.en for note in table.notes)


def test_numbers_that_are_none_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / JSON
    meta = {"learn_sets": ["learn"], "learn_metrics": [{"name": "RMSE"}], "test_sets": 3}
    rows = ['{"learn":[NaN],"iteration":0}', '{"learn":{},"iteration":1}', '{"learn":[null]}', "{"]
    path.write_text("{\n" + f'"meta":{json.dumps(meta)},\n"iterations":[\n' + ",\n".join(rows))
    assert [str(v) for v in series(READER.read(path))["learn/RMSE"]] == ["nan"]


def test_a_log_without_iterations_is_refused(tmp_path: Path) -> None:
    path = tmp_path / JSON
    path.write_text('{\n"meta":{"learn_sets":["learn"]},\n"iterations":[\n]}\n')
    assert READER.accepts(path, path.read_bytes())
    with pytest.raises(InputError, match="no iteration"):
        READER.read(path)


def test_other_json_is_not_catboost(tmp_path: Path) -> None:
    assert not READER.accepts(tmp_path / "a.json", b'{"meta": {"name": "x"}, "rows": []}')


def test_tables_without_the_json_are_of_one_training(tmp_path: Path) -> None:
    for name in ("learn_error.tsv", "test_error.tsv", "time_left.tsv"):
        shutil.copy(WRITTEN / name, tmp_path)
    (run,) = load_runs(tmp_path)
    whole = series(READER.read(WRITTEN))
    assert {one.tag: one.values.tolist() for one in run.series} == whole
    assert READER.log_folder(tmp_path / "test_error.tsv") == tmp_path
