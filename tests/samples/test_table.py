from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from samples_factory import rows, write_csv

from spikedoc.errors import InputError
from spikedoc.samples.table import SampleTable, read_samples

ROWS = rows()
NAMES = ("epoch", "step", "sample_id", "loss")


def records() -> list[dict[str, object]]:
    return [dict(zip(NAMES, row, strict=True)) for row in ROWS]


def check(table: SampleTable) -> None:
    assert table.unit == "step"
    assert [table.names[one] for one in table.sample] == [name for _, _, name, _ in ROWS]
    assert table.places[table.place].tolist() == [step for _, step, _, _ in ROWS]
    np.testing.assert_array_equal(table.losses, [loss for *_, loss in ROWS])


def test_a_table_of_commas(tmp_path: Path) -> None:
    check(read_samples(write_csv(tmp_path / "losses.csv")))


@pytest.mark.parametrize("delimiter", ["\t", ";", "|"])
def test_other_delimiters(tmp_path: Path, delimiter: str) -> None:
    text = write_csv(tmp_path / "losses.csv").read_text().replace(",", delimiter)
    (tmp_path / "other.tsv").write_text(text)
    check(read_samples(tmp_path / "other.tsv"))


def test_json_lines_and_arrays(tmp_path: Path) -> None:
    lines = "".join(json.dumps(one) + "\n" for one in records())
    (tmp_path / "losses.jsonl").write_text("{\n" + lines)
    check(read_samples(tmp_path / "losses.jsonl"))
    for indent in (None, 2):
        (tmp_path / "losses.json").write_text(json.dumps(records(), indent=indent))
        check(read_samples(tmp_path / "losses.json"))


def test_utf16_and_nuls(tmp_path: Path) -> None:
    text = write_csv(tmp_path / "losses.csv").read_text()
    (tmp_path / "wide.csv").write_text(text, encoding="utf-16")
    check(read_samples(tmp_path / "wide.csv"))
    (tmp_path / "nul.csv").write_text("\x00" + text)
    check(read_samples(tmp_path / "nul.csv"))


def test_rows_without_a_name_a_loss_or_a_step_are_counted(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "losses.csv")
    path.write_text(path.read_text() + "1,,a,0.5\n1,3,,0.5\n1,3,b,\n1,3,c\n1,inf,d,1\n")
    table = read_samples(path)
    assert table.losses.size == len(ROWS)
    assert table.left_out == 4  # a row that is too short is no row


def test_without_step_and_epoch_all_rows_are_one_batch(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    path.write_text("sample_id,loss\n" + "".join(f"s{i},{i / 10}\n" for i in range(20)))
    table = read_samples(path)
    assert table.unit == ""
    assert set(table.place.tolist()) == {0}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "step,loss\n1,2\n2,3\n",
        "sample_id,loss\n",
        "sample_id,loss\na,b\n",
        "[",
        "{",
        "[]",
    ],
)
def test_what_is_no_such_table_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.csv").write_text(text)
    with pytest.raises(InputError):
        read_samples(tmp_path / "other.csv")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_samples(tmp_path / "nothing.csv")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="neither a file nor a folder"):
        read_samples(tmp_path / "pipe")


def named(name: str, first: str = "step") -> str:
    lines = [f"{first},{name},loss"]
    lines += [f"{step},s{step * 4 + i},{1 + i}" for step in range(6) for i in range(4)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "name",
    ["sampleId", "imagePath", "id", "path", "file", "uuid", "image", "key", "Sample ID", "docId"],
)
def test_other_names_of_the_sample(tmp_path: Path, name: str) -> None:
    path = tmp_path / "losses.csv"
    path.write_text(named(name))
    table = read_samples(path)
    assert len(table.names) == table.losses.size == 24
    assert table.unit == "step"


def test_a_log_of_a_run_is_no_such_table(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("id,step,loss\n" + "".join(f"{i},{i},0.5\n" for i in range(30)))
    with pytest.raises(InputError, match="no table of losses per sample"):
        read_samples(path)


def test_a_comment_before_the_header_and_a_header_like_a_comment(tmp_path: Path) -> None:
    path = tmp_path / "losses.csv"
    path.write_text("# made by eval.py, version 2\n" + named("sample_id"))
    assert read_samples(path).losses.size == 24
    path.write_text("# " + named("sample_id"))
    assert read_samples(path).losses.size == 24


def test_steps_with_thousands_separators(tmp_path: Path) -> None:
    path = tmp_path / "losses.csv"
    lines = [f'"{step},000",s{step}{i},0.5' for step in range(1, 4) for i in range(3)]
    path.write_text("step,sample_id,loss\n" + "\n".join(lines) + "\n")
    assert read_samples(path).places.tolist() == [1000, 2000, 3000]
