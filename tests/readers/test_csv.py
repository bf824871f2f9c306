"""Tables: layouts, missing against NaN, damage, and what is no table."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import PARSER_ERROR, points, series

from spikedoc.errors import InputError
from spikedoc.readers import csv as csv_module
from spikedoc.readers.base import Table
from spikedoc.readers.csv import READER
from tests.notes import english

DATA = Path(__file__).parents[1] / "data" / "frameworks"


def write(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "log.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(tmp_path: Path, text: str | bytes) -> Table:
    path = write(tmp_path, text)
    assert READER.accepts(path, path.read_bytes()[:65536])
    return READER.read(path)


def test_missing_is_neither_nan_nor_infinite(tmp_path: Path) -> None:
    text = "step,loss,acc\n1,nan,\n2,,0.5\n3,inf,NA\n4,-inf,null\n5,1.5,0.25\n"
    table = read(tmp_path, text)
    assert [step for step, _ in points(table, "loss")] == [1, 3, 4, 5]
    np.testing.assert_array_equal(
        series(table)["loss"].values, [math.nan, math.inf, -math.inf, 1.5]
    )
    assert points(table, "acc") == [(2, 0.5), (5, 0.25)]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_delimiters_and_line_ends(tmp_path: Path, delimiter: str, end: str) -> None:
    rows = [["step", "loss", "lr"], ["0", "2.5", "0.1"], ["10", "2.25", "0.1"]]
    table = read(tmp_path, end.join(delimiter.join(row) for row in rows) + end)
    assert points(table, "loss") == [(0, 2.5), (10, 2.25)]


def test_padded_columns(tmp_path: Path) -> None:
    text = (
        "          epoch,   train/box_loss, metrics/mAP_0.5:0.95\n"
        "              1,           3.9745,               0.001\n"
        "              2,              inf,                 nan\n"
    )
    table = read(tmp_path, text)
    assert points(table, "train/box_loss") == [(1, 3.9745), (2, math.inf)]
    assert points(table, "metrics/mAP_0.5:0.95")[0] == (1, 0.001)


def test_byte_order_mark_quotes_and_nul_bytes(tmp_path: Path) -> None:
    text = '\ufeff"step","train loss"\n"1","0.5"\n\x00\x00"2","0.25"\n'
    assert points(read(tmp_path, text), "train loss") == [(1, 0.5), (2, 0.25)]


def test_utf16(tmp_path: Path) -> None:
    table = read(tmp_path, "step,loss\n1,0.5\n2,0.25\n".encode("utf-16"))
    assert points(table, "loss") == [(1, 0.5), (2, 0.25)]


def test_an_open_quote_swallows_nothing(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i / 2}\n" for i in range(100))
    table = read(tmp_path, 'step,loss\n"0,0.5\n' + rows)
    assert len(points(table, "loss")) >= 100


def test_header_again_in_the_middle(tmp_path: Path) -> None:
    table = read(tmp_path, "step,loss\n1,3\n2,2\nstep,loss\n2,2.5\n3,1\n")
    assert points(table, "loss") == [(1, 3.0), (2, 2.0), (2, 2.5), (3, 1.0)]
    assert any("header is repeated 1 time:" in note.en for note in table.notes)


def test_header_again_with_another_column(tmp_path: Path) -> None:
    table = read(tmp_path, "step,loss\n1,3\n2,2.5\nstep,lr,loss\n3,0.1,2\n")
    assert points(table, "loss") == [(1, 3.0), (2, 2.5), (3, 2.0)]
    assert points(table, "lr") == [(3, 0.1)]


def test_sparse_rows_of_one_step(tmp_path: Path) -> None:
    text = "epoch,lr-SGD,step,train_loss,val_loss\n,0.1,0,,\n0,,0,2.0,\n0,,0,,1.5\n,0.1,1,,\n"
    table = read(tmp_path, text)
    assert points(table, "lr-SGD") == [(0, 0.1), (1, 0.1)]
    assert points(table, "train_loss") == [(0, 2.0)]
    assert points(table, "val_loss") == [(0, 1.5)]


def test_long_form(tmp_path: Path) -> None:
    text = "step,tag,value\n1,loss,3\n1,lr,0.1\n2,loss,nan\n2,lr,0.1\n3,loss,\n"
    table = read(tmp_path, text)
    assert points(table, "lr") == [(1, 0.1), (2, 0.1)]
    assert [step for step, _ in points(table, "loss")] == [1, 2]
    assert math.isnan(points(table, "loss")[1][1])


def test_long_form_with_a_step_without_end(tmp_path: Path) -> None:
    text = "step,tag,value\n1,loss,3\ninf,loss,4\nnan,loss,5\n2,loss,2\n1e300,loss,6\n"
    assert points(read(tmp_path, text), "loss") == [(1, 3.0), (2, 2.0)]


def test_long_form_that_goes_on_with_other_columns(tmp_path: Path) -> None:
    text = "step,tag,value\n1,loss,3\n2,loss,2\nstep,value\n3,1.5\n4,1.25\n"
    assert points(read(tmp_path, text), "value")[-1] == (4, 1.25)


def test_long_form_with_wall_time(tmp_path: Path) -> None:
    text = "wall_time,step,metric,value\n1700000000.5,1,loss,3\n1700000001.5,2,loss,2\n"
    one = series(read(tmp_path, text))["loss"]
    assert one.wall_times is not None
    assert one.wall_times.tolist() == [1700000000.5, 1700000001.5]


@pytest.mark.parametrize(
    "text",
    [
        "timestamp,step,loss\n1700000000,1,3\ninf,2,2\n",
        "wall_time,step,metric,value\n1700000000,1,loss,3\ninf,2,loss,2\n",
    ],
)
def test_a_clock_that_shows_infinity_is_none(tmp_path: Path, text: str) -> None:
    assert series(read(tmp_path, text))["loss"].wall_times is None


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("global_step,epoch,loss", "global_step"),
        ("epoch,iteration,loss", "iteration"),
        ("epoch,trainer/global_step,loss", "trainer/global_step"),
        ("time/iterations,time/total_timesteps,loss", "time/total_timesteps"),
        ("epoch,Epoch2,loss", "epoch"),
    ],
)
def test_which_column_is_the_step(tmp_path: Path, columns: str, expected: str) -> None:
    rows = "".join(f"{10 * i},{100 * i},{1 / i}\n" for i in range(1, 6))
    table = read(tmp_path, f"{columns}\n{rows}")
    assert expected not in series(table)
    factor = 10 if columns.split(",").index(expected) == 0 else 100
    assert [step for step, _ in points(table, "loss")] == [factor * i for i in range(1, 6)]


def test_without_a_step_rows_are_counted(tmp_path: Path) -> None:
    table = read(tmp_path, "loss,acc\n3,0.1\n2,0.2\n")
    assert points(table, "loss") == [(0, 3.0), (1, 2.0)]
    assert any("row numbers" in note.en for note in table.notes)


def test_a_counter_within_the_epoch_is_counted_through(tmp_path: Path) -> None:
    rows = "".join(f"{e},{i},{e + i / 100}\n" for e in (1, 2, 3) for i in (10, 20, 30))
    table = read(tmp_path, "epoch,iter,loss\n" + rows)
    assert [step for step, _ in points(table, "loss")] == [10, 20, 30, 40, 50, 60, 70, 80, 90]


def test_an_epoch_column_with_many_rows_per_epoch_is_no_step(tmp_path: Path) -> None:
    rows = "".join(f"{i // 10},{i}\n" for i in range(40))
    table = read(tmp_path, "epoch,loss\n" + rows)
    assert [step for step, _ in points(table, "loss")] == list(range(40))
    assert "epoch" in series(table)


def test_a_table_of_numbers_alone_gets_neutral_names(tmp_path: Path) -> None:
    table = read(tmp_path, "1,0.5\n2,0.25\n3,0.125\n4,0.06\n")
    assert set(series(table)) == {"col1"}
    assert series(table)["col1"].steps.tolist() == [1, 2, 3, 4]
    assert any("no header" in note.en for note in table.notes)


def test_a_last_row_cut_short(tmp_path: Path) -> None:
    table = read(tmp_path, "step,loss,lr\n1,3,0.1\n2,2,0.1\n3,1.")
    assert [step for step, _ in points(table, "loss")] == [1, 2]
    assert any("cut short" in note.en for note in table.notes)


def test_a_preamble_before_the_table(tmp_path: Path) -> None:
    table = read(tmp_path, "# made by a script\nwarning: x\n\nstep,loss\n1,3\n2,2\n")
    assert points(table, "loss") == [(1, 3.0), (2, 2.0)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello world\n",
        "iter 1: loss 2.3, time 100ms, lr 0.1\niter 2: loss 2.2, time 100ms, lr 0.1\n",
        "a: 1, b: 2\na: 2, b: 3\n",
        "{'loss': 1.0, 'epoch': 0.1}\n{'loss': 0.9, 'epoch': 0.2}\n",
        '{"loss": 1.0, "epoch": 0.1}\n{"loss": 0.9, "epoch": 0.2}\n',
        "name,city\nAnn,Rome\nBob,Oslo\n",
    ],
)
def test_not_a_table(text: str) -> None:
    assert not READER.accepts(Path("log.csv"), text.encode())


def test_only_a_header(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        READER.read(write(tmp_path, "step,loss\n"))


def test_one_row_is_a_table(tmp_path: Path) -> None:
    assert points(read(tmp_path, "loss,val_loss\n1.0,1.1\n"), "loss") == [(0, 1.0)]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.tuples(st.none() | st.floats(), st.none() | st.floats()), min_size=2, max_size=40)
)
def test_what_is_written_is_read(
    tmp_path: Path, rows: list[tuple[float | None, float | None]]
) -> None:
    if all(cell is None for row in rows for cell in row):
        return
    lines = ["step,loss,val/loss"]
    lines += [
        f"{step}," + ",".join("" if cell is None else repr(cell) for cell in row)
        for step, row in enumerate(rows)
    ]
    found = series(READER.read(write(tmp_path, "\n".join(lines) + "\n")))
    for index, tag in enumerate(("loss", "val/loss")):
        expected = [(step, row[index]) for step, row in enumerate(rows) if row[index] is not None]
        if not expected:
            assert tag not in found
            continue
        assert found[tag].steps.tolist() == [step for step, _ in expected]
        np.testing.assert_array_equal(found[tag].values, [value for _, value in expected])


def test_the_parser_for_large_files_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    lines = ["step,loss,acc,lr"]
    for step in range(500):
        loss = "nan" if step % 50 == 7 else repr(float(rng.normal()))
        acc = repr(float(rng.random())) if step % 10 == 0 else ""
        lines.append(f"{step},{loss},{acc},{'inf' if step == 3 else 0.1}")
    lines.insert(200, "step,loss,acc,lr")
    text = "\n".join(lines) + "\n"
    small = series(read(tmp_path, text))
    monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 100)
    monkeypatch.setattr("spikedoc.readers._csv_large.ROWS_AT_A_TIME", 64)
    large = series(READER.read(write(tmp_path, text)))
    assert set(small) == set(large)
    for tag, one in small.items():
        assert one.steps.tolist() == large[tag].steps.tolist()
        np.testing.assert_allclose(one.values, large[tag].values, rtol=PARSER_ERROR)


@pytest.mark.parametrize(
    ("name", "tag"), [("run-PPO_1-tag-train_loss.csv", "train_loss"), ("my_loss.csv", "my_loss")]
)
def test_a_table_that_tensorboard_exported(tmp_path: Path, name: str, tag: str) -> None:
    path = tmp_path / name
    path.write_text("Wall time,Step,Value\n1700000000.5,10,2.5\n1700000009.5,20,2.25\n")
    table = READER.read(path)
    assert points(table, tag) == [(10, 2.5), (20, 2.25)]
    assert series(table)[tag].wall_times is not None


@pytest.mark.parametrize("path", sorted(DATA.rglob("*.csv")), ids=lambda p: p.parts[-2])
def test_real_files(path: Path) -> None:
    head = path.read_bytes()
    assert READER.accepts(path, head)
    assert any("loss" in one.tag for one in READER.read(path).series)


@given(st.binary(max_size=2000))
def test_any_bytes_are_answered(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("junk") / "log.csv"
    path.write_bytes(b"step,loss\n1,2\n" + data)
    if READER.accepts(path, path.read_bytes()):
        READER.read(path)


def test_a_row_that_ends_with_a_block_of_the_writer_may_be_cut(tmp_path: Path) -> None:
    rows = "step,loss\n" + "".join(f"{step},{1 / (step + 1):.6e}\n" for step in range(400))
    table = read(tmp_path, rows[:4096])
    whole = rows[:4096].count("\n") - 1
    assert series(table)["loss"].steps.tolist() == list(range(whole))
    assert any("block of the writer" in note.en for note in table.notes)
    assert not any("block" in note.en for note in read(tmp_path, rows[:4000]).notes)


def test_one_wrong_epoch_does_not_become_a_long_list(tmp_path: Path) -> None:
    text = "epoch,loss\n0,1.0\n1,0.9\n2,0.8\n500000000,0.7\n500000001,0.6\n"
    table = read(tmp_path, text)
    assert points(table, "loss")[-1] == (500_000_001, 0.6)
    assert not any("no row for" in note.en for note in table.notes)
    gap = read(tmp_path, "epoch,loss\n0,1.0\n1,0.9\n2,0.8\n4,0.7\n5,0.6\n")
    assert any("no row for epoch 3" in note.en for note in gap.notes)


@pytest.mark.parametrize("large", [False, True])
def test_a_header_longer_than_the_head_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, large: bool
) -> None:
    if large:
        monkeypatch.setattr("spikedoc.readers.csv.LARGE_FILE_BYTES", 1)
    path = tmp_path / "log.csv"
    count = 6_000
    names = ",".join(f"layer.{i}.grad_norm" for i in range(count))
    rows = "".join(f"{step},{3 / step}{',0.5' * count}\n" for step in (1, 2, 3))
    path.write_text(f"step,loss,{names}\n{rows}", encoding="ascii")
    with path.open("rb") as file:
        assert READER.accepts(path, file.read(65_536))
    table = READER.read(path)
    assert points(table, "loss") == [(1, 3.0), (2, 1.5), (3, 1.0)]
    assert len(table.series) == 4_999
    assert "6002 columns; those after the first 5000 were left out" in english(table.notes)


def test_a_long_line_that_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("x," * 50_000, encoding="ascii")
    assert not READER.accepts(path, path.read_bytes()[:65_536])
    assert not READER.accepts(tmp_path / "gone.csv", path.read_bytes()[:65_536])


def test_names_in_brackets_are_names(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("step,[train] loss,[val] loss\n1,2.0,2.5\n2,1.5,2.25\n3,1.25,2.0\n")
    assert [one.tag for one in READER.read(path).series] == ["[train] loss", "[val] loss"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("is_large", [False, True])
def test_a_name_with_a_line_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr("spikedoc.readers.csv.LARGE_FILE_BYTES", 10)
    rows = [f"{i},{2 - i / 10},0.1" for i in range(6)]
    table = read(tmp_path, end.join(["# run 7", f'step,"train{end}loss",lr', *rows, ""]))
    assert [one.tag for one in table.series] == ["train loss", "lr"]
    assert table.series[0].steps.tolist() == list(range(6))
    assert table.series[0].values[1] == 1.9


def test_a_stray_quote_joins_no_rows(tmp_path: Path) -> None:
    text = "step,size,loss\n" + "".join(f'{i},"{i}in,{2 - i / 10}\n' for i in range(5))
    table = read(tmp_path, text)
    loss = next(one for one in table.series if one.tag == "loss")
    assert loss.values.tolist() == [2, 1.9, 1.8, 1.7, 1.6]


INDEXED = [
    ("step,loss\n", "{i},{s},{x}\n", [0, 10, 20, 30]),
    ("loss,lr\n", "{s},{x},0.5\n", [0, 10, 20, 30]),
    ('"loss" "lr"\n', '"{i}" {x} 0.5\n', [0, 1, 2, 3]),
    ("    step    loss\n", "{i:<4} {s:>3} {x}\n", [0, 10, 20, 30]),
]


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize(("header", "row", "steps"), INDEXED)
def test_a_header_without_a_name_for_the_numbers_of_the_rows(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    header: str,
    row: str,
    steps: list[int],
    is_large: bool,
) -> None:
    if is_large and " " not in header:
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    rows = [row.format(i=i, s=10 * i, x=2.5 - i / 2) for i in range(4)]
    table = read(tmp_path, header + "".join(rows))
    assert points(table, "loss") == [(s, 2.5 - i / 2) for i, s in enumerate(steps)]
    assert "" not in series(table)


def test_a_header_without_that_name_that_comes_again(tmp_path: Path) -> None:
    first = "".join(f"{i},{10 * i},{2.5 - i / 2}\n" for i in range(4))
    table = read(tmp_path, f"step,loss\n{first}step,loss\n0,40,0.25\n")
    assert points(table, "loss")[-2:] == [(30, 1.0), (40, 0.25)]


@pytest.mark.parametrize(
    "rows",
    [
        "1,0,312\n2,0,298\n3,0,285\n4,0,271\n",  # decimal commas
        "1,5,0.5\n1,6,0.25\n1,7,0.125\n1,8,0.5\n",  # no number of a row
    ],
)
def test_a_short_header_whose_names_fit_no_column(tmp_path: Path, rows: str) -> None:
    table = read(tmp_path, "step,loss\n" + rows)
    assert "loss" not in series(table)
    assert any("names fewer columns" in note.en for note in table.notes)


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("header", ["step,loss\n", "step,loss,\n", "# step,loss\n"])
@pytest.mark.parametrize("end", [",\n", ", \n", ",,\n"])
def test_a_delimiter_at_the_end_of_each_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: str, end: str, is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    rows = [f"{10 * i},{2.5 - i / 2}{end}" for i in range(4)]
    table = read(tmp_path, header + "".join(rows))
    assert points(table, "loss") == [(0, 2.5), (10, 2.0), (20, 1.5), (30, 1.0)]
    assert len(table.series) == 1


@pytest.mark.parametrize("per_epoch", [1, 10])
def test_steps_that_count_down_as_epochs_go_by_are_no_steps(tmp_path: Path, per_epoch: int) -> None:
    """They count what is left; from ten rows on."""
    rows = [f"{60 - i},{i // per_epoch},{2 / (1 + i / 9):.4f}" for i in range(60)]
    found = {s.tag: s for s in read(tmp_path, "step,epoch,loss\n" + "\n".join(rows) + "\n").series}
    assert found["loss"].steps.tolist() == list(range(60))
    assert found["loss"].values[0] == 2.0
    assert found["step"].values.tolist() == list(range(60, 0, -1))
    few = read(tmp_path, "step,epoch,loss\n" + "\n".join(rows[:4]) + "\n")
    assert len(few.series) > 0
