"""A column of text that says whether a row is of training or of validation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spikedoc.ingest import load_frame, load_runs
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.readers import csv as csv_module
from spikedoc.readers._phases import MOST_SETS, held_out_word, names_phase, phase_in, prefixed
from tests.notes import english

EPOCHS = 12
Row = tuple[str, int, float]
ROWS: list[Row] = [
    (phase, epoch, 1.0 / (epoch + 1) + (phase == "val"))
    for epoch in range(EPOCHS)
    for phase in ("train", "val")
]


def only(path: Path) -> Run:
    (run,) = load_runs(path)
    return run


def table(rows: list[Row]) -> str:
    return "epoch,phase,loss\n" + "".join(f"{e},{p},{v}\n" for p, e, v in rows)


def records(rows: list[Row]) -> str:
    return "".join(
        json.dumps({"epoch": e, "split": p.upper(), "loss": v}) + "\n" for p, e, v in rows
    )


def array(rows: list[Row]) -> str:
    return json.dumps([{"epoch": e, "subset": p, "loss": v} for p, e, v in rows])


def lines(rows: list[Row]) -> str:
    return "".join(f"epoch={e} loss={v:.6f} mode={p}\n" for p, e, v in rows)


def dicts(rows: list[Row]) -> str:
    return "".join(f"{ {'epoch': e, 'stage': p, 'loss': round(v, 6)} }\n" for p, e, v in rows)


def long_table(rows: list[Row]) -> str:
    return "step,type,metric,value\n" + "".join(f"{e},{p},loss,{v}\n" for p, e, v in rows)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("log.csv", table),
        ("log.jsonl", records),
        ("log.json", array),
        ("train.log", lines),
        ("train.log", dicts),
        ("log.csv", long_table),
    ],
)
def test_rows_that_take_turns(tmp_path: Path, name: str, write: Callable[[list[Row]], str]) -> None:
    path = tmp_path / name
    path.write_text(write(ROWS))
    run = only(path)
    for metric, phase in ((Metric.LOSS, "train"), (Metric.VAL_LOSS, "val")):
        (found,) = run.all(metric)
        assert found.steps.tolist() == list(range(EPOCHS))
        expected = [value for p, _, value in ROWS if p == phase]
        np.testing.assert_allclose(found.values, expected, atol=1e-5)


def test_a_large_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    path = tmp_path / "log.csv"
    path.write_text(table(ROWS))
    run = only(path)
    assert run.all(Metric.VAL_LOSS)[0].values.tolist() == [v for p, _, v in ROWS if p == "val"]
    assert run.all(Metric.LOSS)[0].steps.tolist() == list(range(EPOCHS))


def test_a_frame(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    columns = {"epoch": [e for _, e, _ in ROWS], "phase": [p for p, _, _ in ROWS]}
    frame = pandas.DataFrame({**columns, "loss": [v for _, _, v in ROWS]})
    for source in (frame, [dict(row) for row in frame.to_dict("records")]):
        run = load_frame(source)
        assert run.all(Metric.VAL_LOSS)[0].steps.tolist() == list(range(EPOCHS))
        assert run.all(Metric.LOSS)[0].steps.size == EPOCHS
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "log.parquet")
    run = only(tmp_path / "log.parquet")
    assert run.all(Metric.VAL_LOSS)[0].steps.tolist() == list(range(EPOCHS))


def test_batches_of_validation_become_one_mean_at_the_end_of_the_epoch(tmp_path: Path) -> None:
    rows = ["phase,epoch,batch,loss"]
    for epoch in range(5):
        rows += [f"train,{epoch},{batch},{2 - batch / 10}" for batch in range(10)]
        rows += [f"valid,{epoch},{batch},{epoch + batch}" for batch in range(3)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows) + "\n")
    run = only(path)
    assert run.all(Metric.LOSS)[0].steps.tolist() == list(range(50))
    (found,) = run.all(Metric.VAL_LOSS)
    assert found.steps.tolist() == [9, 19, 29, 39, 49]
    assert found.values.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    notes = english(run.sources[0].notes)
    assert "rows marked valid are series of their own" in notes
    assert "15 rows of one pass over held-out data each were averaged" in notes


def test_validation_written_afterwards_keeps_its_steps(tmp_path: Path) -> None:
    rows = ["step,loss,subset"]
    rows += [f"{10 * i},{2 - i / 10},train" for i in range(15)]
    rows += [f"{10 * i},{3 - i / 10},validation" for i in range(0, 15, 3)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows) + "\n")
    (found,) = only(path).all(Metric.VAL_LOSS)
    assert found.steps.tolist() == [0, 30, 60, 90, 120]


def test_validation_that_counts_epochs_beside_steps(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = []
    for epoch in range(4):
        rows += [{"type": "train", "step": 100 * epoch + i, "loss": 1.0} for i in range(100)]
        rows.append({"type": "eval", "step": epoch, "loss": 2.0})
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    (found,) = only(path).all(Metric.VAL_LOSS)
    assert found.steps.tolist() == [99, 199, 299, 399]


def test_two_sets_stay_apart(tmp_path: Path) -> None:
    rows = [f"{e},{p},{v}" for e in range(9) for p, v in (("train", 1), ("val", 2), ("test", 3))]
    path = tmp_path / "log.csv"
    path.write_text("epoch,split,loss\n" + "\n".join(rows) + "\n")
    run = only(path)
    assert {one.tag: one.values[0] for one in run.series} == {
        "loss": 1.0,
        "val/loss": 2.0,
        "test/loss": 3.0,
    }
    assert run.all(Metric.VAL_LOSS)[0].tag == "val/loss"


@pytest.mark.parametrize("write", [table, records, long_table])
def test_counted_evaluations_are_of_one_set(
    tmp_path: Path, write: Callable[[list[Row]], str]
) -> None:
    path = tmp_path / ("log.jsonl" if write is records else "log.csv")
    path.write_text(write([(f"val_{e + 100}" if p == "val" else p, e, v) for p, e, v in ROWS]))
    run = only(path)
    (loss,), (held_out,) = run.all(Metric.LOSS), run.all(Metric.VAL_LOSS)
    assert loss.steps.tolist() == held_out.steps.tolist() == list(range(EPOCHS))
    np.testing.assert_allclose(held_out.values, [v for p, _, v in ROWS if p == "val"])


@pytest.mark.parametrize("write", [table, long_table])
def test_no_more_sets_than_a_log_has(tmp_path: Path, write: Callable[[list[Row]], str]) -> None:
    path = tmp_path / "log.csv"
    rows: list[Row] = [(f"val_x{i}z", i, 1.0 / (i + 1)) for i in range(MOST_SETS + 1)]
    path.write_text(write([("train", 0, 1.0), *rows]))
    (held_out,) = only(path).all(Metric.VAL_LOSS)
    np.testing.assert_allclose(held_out.values, [v for _, _, v in rows])
    path.write_text(write([("train", 0, 1.0), *rows[: MOST_SETS - 1]]))
    tags = {series.tag for series in only(path).series}
    assert {f"{word}/loss" for word, _, _ in rows[: MOST_SETS - 1]} <= tags


def test_a_column_with_other_words_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("step,phase,loss\n" + "".join(f"{i},warmup{i % 2},1.5\n" for i in range(9)))
    run = only(path)
    assert [one.tag for one in run.series] == ["loss"]
    assert run.sources[0].notes == ()


@pytest.mark.parametrize(
    ("cell", "word"),
    [
        ("Val", "val"), (" TEST ", "test"), ("'valid'", "valid"), ("val_seen", "val_seen"),
        ("验证", "val"), ("train", ""), ("valley", ""), ("attest", ""), (3.0, ""), ("", ""),
        ("val" * 40, ""), ("val_3", "val_3"), ("val_120", "val"), ("eval epoch12", "eval"),
        ("held-out_12", "held-out"), ("val_cifar10", "val_cifar10"),
    ],
)  # fmt: skip
def test_words(cell: object, word: str) -> None:
    assert held_out_word(cell) == word


def test_a_key_cannot_pass_for_a_row_of_held_out_data(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    rows = ({"step": i, "loss": 1.0 / (i + 1), "a\0b": float(i)} for i in range(EPOCHS))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = only(path)
    assert not [note for note in english(run.notes) if "series of their own" in note]
    assert {series.tag for series in run.series} == {"loss", "a\0b"}


def test_names() -> None:
    assert all(map(names_phase, ("phase", "Split", "data_split", "log/mode", " stage ")))
    assert not any(map(names_phase, ("model", "typed", "phases", "splitting", "loss")))
    assert prefixed("val", "loss") == "val/loss"
    assert prefixed("val", "val_loss") == "val_loss"
    assert prefixed("", "loss") == "loss"


def test_fields_in_lines() -> None:
    assert phase_in("step=1 loss=2 split='val'") == ("val", "val")
    assert phase_in("{'mode': 'Eval', 'loss': 1}") == ("eval", "Eval")
    assert phase_in("phase=val_12 loss=1") == ("val", "val_12")
    assert phase_in("phase=train loss=1") == ("", "")
    assert phase_in("a test of loss=1") == ("", "")
    assert phase_in("mode=test/run7 loss=1") == ("", "")


def test_the_value_of_a_field_is_no_part_of_the_name_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    held_out = {
        step: f"step={step} phase=val_{step} loss={0.5 + step / 100}\n" for step in (19, 39)
    }
    lines = (
        f"step={s} phase=train loss={1 / (s + 1):.6f}\n" + held_out.get(s, "") for s in range(40)
    )
    path.write_text("".join(lines))
    run = only(path)
    val = run.get(Metric.VAL_LOSS)
    assert val is not None
    assert (val.steps.tolist(), val.values.tolist()) == ([19, 39], [0.69, 0.89])


def of_epochs(column: str, train: str, val: str) -> str:
    rows = (
        f"{e},{train},{1 / (e + 1):.6f}\n{e},{val},{1 / (e + 1) + 1:.6f}\n" for e in range(EPOCHS)
    )
    return f"epoch,{column},loss\n" + "".join(rows)


def check_told_apart(run: Run, column: str, *, guessed: bool) -> None:
    """Validation lies 1 above training at every epoch; a note says where that was guessed."""
    loss, held_out = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    assert loss is not None
    assert held_out is not None
    assert loss.steps.tolist() == held_out.steps.tolist() == list(range(EPOCHS))
    np.testing.assert_allclose(held_out.values - loss.values, 1.0)
    assert column not in [one.tag for one in run.series]
    told = english([note for source in run.sources for note in source.notes])
    assert any("rows of 1 are taken" in note for note in told) == guessed


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize(
    ("column", "train", "val"),
    [
        ("phase", "0", "1"),
        ("split", "0.0", "1.0"),
        ("is_train", "1", "0"),
        ("train", "True", "False"),
        ("is_val", "0", "1"),
        ("training", "true", "false"),
    ],
)
def test_numbers_and_truth_values_for_phases(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    column: str,
    train: str,
    val: str,
    is_large: bool,
) -> None:
    if is_large:
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    path = tmp_path / "log.csv"
    path.write_text(of_epochs(column, train, val))
    check_told_apart(only(path), column, guessed=column in ("phase", "split"))


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("stage", "0" * 12 + "1" * 12),  # a curriculum
        ("phase", "0" * 12 + "1" * 12),
        ("phase", "1" + "01" * 11 + "0"),  # does not begin with 0
        ("phase", "012" * 8),
        ("train", "01" * 12),  # may be a score
        ("is_val", "1" * 24),  # never says no
    ],
)
def test_numbers_that_are_no_phases(tmp_path: Path, column: str, cells: str) -> None:
    path = tmp_path / "log.csv"
    rows = (f"{i},{cell},{1 / (i + 1):.6f}\n" for i, cell in enumerate(cells))
    path.write_text(f"step,{column},loss\n" + "".join(rows))
    run = only(path)
    loss = run.get(Metric.LOSS)
    assert loss is not None
    assert loss.steps.tolist() == list(range(24))
    assert run.get(Metric.VAL_LOSS) is None


SORTED = [(e, p, 1 / (e + 1) + p) for p in (0, 1) for e in range(6)]
# By epoch, 1 before 0: the training comes first there; else 1 has the fewer rows.
ONE_FIRST = [(e, p, 1 / (e + 1) + (p == 0)) for e in range(6) for p in (1, 0)]
MANY_OF_ONE = [(e, p, 1 / (e + 1) + (p == 0)) for p in (0, 1) for e in range(0, 30, 5 - 4 * p)]
WRITERS = ["csv", "large", "jsonl", "json", "long", "long in pieces", "long parquet", "parquet"]


def write_numbered(
    folder: Path, how: str, rows: list[tuple[int, int, float]], monkeypatch: pytest.MonkeyPatch
) -> Path:
    path = folder / "log"
    if how in ("large", "long in pieces"):
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
        monkeypatch.setattr("spikedoc.readers._csv_large.ROWS_AT_A_TIME", 7)
    if how.startswith("json"):
        records = [{"step": e, "phase": p, "loss": x} for e, p, x in rows]
        lines = "".join(json.dumps(record) + "\n" for record in records)
        path.write_text(json.dumps(records) if how == "json" else lines)
    elif how.startswith("long"):
        cells = [(e, p, tag, x) for e, p, x in rows for tag in ("loss", "acc")]
        _write_long(path, "phase", cells, is_parquet=how == "long parquet")
    elif how == "parquet":
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        pandas.DataFrame(rows, columns=["step", "phase", "loss"]).to_parquet(path)
    else:
        path.write_text("step,phase,loss\n" + "".join(f"{e},{p},{x}\n" for e, p, x in rows))
    return path


@pytest.mark.parametrize("how", WRITERS)
@pytest.mark.parametrize(
    ("rows", "held_out"),
    [(SORTED, 1), (SORTED[6:] + SORTED[:6], 1), (ONE_FIRST, 0), (MANY_OF_ONE, 0)],
)
def test_numbers_of_rows_at_the_same_steps(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
    rows: list[tuple[int, int, float]],
    held_out: int,
) -> None:
    run = only(write_numbered(tmp_path, how, rows, monkeypatch))
    for metric, word in ((Metric.LOSS, 1 - held_out), (Metric.VAL_LOSS, held_out)):
        found = run.get(metric)
        assert found is not None
        own = sorted((e, x) for e, p, x in rows if p == word)
        assert found.steps.tolist() == [e for e, _ in own]
        np.testing.assert_allclose(found.values, [x for _, x in own])
    told = english([note for source in run.sources for note in source.notes])
    assert f"phase holds 0 and 1: rows of {held_out} are taken for held-out data" in " ".join(told)


def test_two_stages_that_count_their_epochs_anew_are_none_of_two_sets(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [(e, stage, 1 / (e + 1 + 12 * stage)) for stage in (0, 1) for e in range(12)]
    path.write_text("epoch,stage,loss\n" + "".join(f"{e},{s},{x}\n" for e, s, x in rows))
    runs = load_runs(path)
    assert [len(run.series[0]) for run in runs] == [12, 12]
    assert not any(run.all(Metric.VAL_LOSS) for run in runs)


def test_batches_that_come_again_are_no_steps_of_two_sets(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [(e, b, e // 2) for e in range(4) for b in range(20)]
    path.write_text("epoch,batch,phase,loss\n" + "".join(f"{e},{b},{p},1.5\n" for e, b, p in rows))
    run = only(path)
    assert [len(one) for one in run.all(Metric.LOSS)] == [80]
    assert run.get(Metric.VAL_LOSS) is None


def test_a_record_that_says_it_is_no_training(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    rows = [
        {"epoch": e, "is_train": of_train, "loss": 1 / (e + 1) + (not of_train)}
        for e in range(EPOCHS)
        for of_train in (True, False)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = only(path)
    loss, held_out = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    assert loss is not None
    assert held_out is not None
    assert held_out.values.tolist() == [value + 1 for value in loss.values.tolist()]


# Training of 100 rows and an evaluation of 30, five times; a piece of 64 rows may hold one alone.
LONG_PHASES = ("0" * 100 + "1" * 30) * 5


def long_table(how: str) -> str:
    header = "step,phase,loss\n"
    lines = [f"{i},{p},{1.0 + int(p)}\n" for i, p in enumerate(LONG_PHASES)]
    if how == "torn":
        lines[200] = "200,0\n"
    if how == "header again":
        lines[195] = header
    return header + "".join(lines)


def losses_of(path: Path) -> dict[str, tuple[int, set[float]]]:
    return {s.tag: (len(s), set(s.values.tolist())) for s in only(path).series}


@pytest.mark.parametrize("how", ["even", "torn", "header again"])
@pytest.mark.parametrize("large", [True, False])
def test_phases_of_a_table_in_pieces_are_those_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, large: bool
) -> None:
    if large:
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
        monkeypatch.setattr("spikedoc.readers._csv_large.ROWS_AT_A_TIME", 64)
    (tmp_path / "log.csv").write_text(long_table(how))
    training = 500 if how == "even" else 499
    expected = {"loss": (training, {1.0}), "val/loss": (150, {2.0})}
    assert losses_of(tmp_path / "log.csv") == expected


def test_phases_of_parquet_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    monkeypatch.setattr("spikedoc.readers.parquet.BATCH_ROWS", 64)
    phases = [int(p) for p in LONG_PHASES]
    columns = {"step": range(650), "phase": phases, "loss": [1.0 + p for p in phases]}
    table = pa.table({name: pa.array(list(cells)) for name, cells in columns.items()})
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "log.parquet")
    expected = {"loss": (500, {1.0}), "val/loss": (150, {2.0})}
    assert losses_of(tmp_path / "log.parquet") == expected


@pytest.mark.parametrize("reader", ["jsonl", "json", "long", "long in pieces", "long parquet"])
@pytest.mark.parametrize(("column", "train", "val"), [("phase", 0, 1), ("is_train", 1, 0)])
def test_numbers_for_phases_in_records_and_long_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str, column: str, train: int, val: int
) -> None:
    rows = [(e, p, 1 / (e + 1) + (p == val)) for e in range(EPOCHS) for p in (train, val)]
    path = tmp_path / "log"
    if reader.startswith("json"):
        records = [{"epoch": e, column: p, "loss": x, "note": 7} for e, p, x in rows]
        lines = "".join(json.dumps(record) + "\n" for record in records)
        path.write_text(json.dumps(records) if reader == "json" else lines)
    else:
        if reader == "long in pieces":
            monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
            monkeypatch.setattr("spikedoc.readers._csv_large.ROWS_AT_A_TIME", 7)
        cells = [(e, p, tag, x) for e, p, x in rows for tag in ("loss", "acc")]
        _write_long(path, column, cells, is_parquet=reader == "long parquet")
    check_told_apart(only(path), column, guessed=column == "phase")


def _write_long(
    path: Path, column: str, cells: list[tuple[int, int, str, float]], *, is_parquet: bool
) -> None:
    names = ("step", column, "metric", "value")
    if not is_parquet:
        lines = (",".join(map(str, row)) + "\n" for row in cells)
        path.write_text(",".join(names) + "\n" + "".join(lines))
        return
    pa = pytest.importorskip("pyarrow")
    columns = dict(zip(names, map(list, zip(*cells, strict=True)), strict=True))
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), path)


@pytest.mark.parametrize("is_large", [False, True])
def test_numbers_that_differ_by_quantity_are_no_phases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    kinds = {"loss": 0, "lr": 1}
    cells = [(e, kind, tag, 1 / (e + 1)) for e in range(EPOCHS) for tag, kind in kinds.items()]
    _write_long(tmp_path / "log", "type", cells, is_parquet=False)
    assert {one.tag for one in only(tmp_path / "log").series} == {"loss", "lr"}


@pytest.mark.parametrize("cells", ["0" * 12 + "1" * 12, "1" + "01" * 11 + "0", "012" * 8])
def test_numbers_in_records_that_are_no_phases(tmp_path: Path, cells: str) -> None:
    records = [{"step": i, "stage": int(cell), "loss": 1 / (i + 1)} for i, cell in enumerate(cells)]
    (tmp_path / "log").write_text("".join(json.dumps(one) + "\n" for one in records))
    run = only(tmp_path / "log")
    assert {one.tag for one in run.series} == {"stage", "loss"}
    assert run.get(Metric.VAL_LOSS) is None
