"""Runs from tables in memory."""

from __future__ import annotations

import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from spikedoc.errors import InputError, UsageError
from spikedoc.ingest import load_frame
from spikedoc.model.metric import Metric
from tests.notes import english


def test_a_mapping_of_arrays() -> None:
    run = load_frame({"step": np.arange(0, 100, 10), "train_loss": np.linspace(3, 1, 10)})
    loss = run.get(Metric.LOSS)
    assert loss is not None
    assert loss.steps.tolist() == list(range(0, 100, 10))
    assert run.name == "frame"


def test_a_data_frame_with_its_index() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"loss": [3.0, 2.0, 1.0]}, index=[5, 10, 15])
    loss = load_frame(frame, "mine").get(Metric.LOSS)
    assert loss is not None
    assert loss.steps.tolist() == [5, 10, 15]


@pytest.mark.parametrize(
    ("start", "stride", "name", "steps"),
    [
        (0, 10, None, [0, 10, 20]),
        (100, 1, None, [100, 101, 102]),
        (0, 1, "step", [0, 1, 2]),
        (0, 1, None, None),
    ],
)
def test_a_regular_step_column_as_index(
    start: int, stride: int, name: str | None, steps: list[int] | None
) -> None:
    pandas = pytest.importorskip("pandas")
    index = pandas.RangeIndex(start, start + 3 * stride, stride, name=name)
    run = load_frame(pandas.DataFrame({"loss": [3.0, 2.0, 1.0]}, index=index))
    counted = load_frame({"loss": [3.0, 2.0, 1.0]})
    assert run.main_loss is not None
    assert counted.main_loss is not None
    assert run.main_loss.steps.tolist() == (steps or counted.main_loss.steps.tolist())
    told = " ".join(english(run.notes))
    assert told == ("" if steps is not None else " ".join(english(counted.notes)))


def test_nan_of_a_dense_column_is_a_value() -> None:
    values = np.linspace(3, 1, 50)
    values[20], values[40:] = np.nan, np.nan
    loss = load_frame({"step": np.arange(50), "loss": values}).get(Metric.LOSS)
    assert loss is not None
    np.testing.assert_array_equal(loss.values, values)


def test_nan_of_a_sparse_column_is_missing() -> None:
    val = np.full(100, np.nan)
    val[::20] = 0.5
    run = load_frame({"step": np.arange(100), "loss": np.linspace(3, 1, 100), "val_loss": val})
    found = run.get(Metric.VAL_LOSS)
    assert found is not None
    assert found.steps.tolist() == [0, 20, 40, 60, 80]


def test_rows_of_an_evaluation_are_missing_in_the_loss() -> None:
    pandas = pytest.importorskip("pandas")
    rows = []
    for step in range(1, 101):
        rows.append({"step": step, "loss": 1.0 / step, "lr": 0.1})
        if step % 20 == 0:
            rows.append({"step": step, "eval_loss": 0.5})
    run = load_frame(pandas.DataFrame(rows))
    loss, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    assert loss is not None
    assert val is not None
    assert np.isfinite(loss.values).all()
    assert len(loss) == 100
    assert val.steps.tolist() == [20, 40, 60, 80, 100]


def test_none_is_missing_and_nan_beside_it_is_not() -> None:
    loss = load_frame({"step": [1, 2, 3, 4], "loss": [1.0, None, float("nan"), 2.0]}).get(
        Metric.LOSS
    )
    assert loss is not None
    assert loss.steps.tolist() == [1, 3, 4]
    assert np.isnan(loss.values[1])


def test_text_and_nested_columns_are_left_out() -> None:
    run = load_frame(
        {"step": [1, 2], "loss": [1.0, 2.0], "note": ["a", "b"], "x": [[1, 2], [3, 4]]}
    )
    assert [one.name for one in run.series] == ["loss"]


def test_roles_by_hand() -> None:
    frame = {"step": [1, 2], "mine": [1.0, 2.0]}
    assert load_frame(frame, mapping={"loss": "mine"}).get(Metric.LOSS) is not None
    with pytest.raises(UsageError, match="near: mine"):
        load_frame(frame, mapping={"loss": "nine"})


@pytest.mark.parametrize("frame", [{}, {"step": [1, 2]}, {"a": ["x"]}, {"a": []}])
def test_nothing_in_it(frame: dict[str, list[object]]) -> None:
    with pytest.raises(InputError):
        load_frame(frame)


def test_columns_of_different_length() -> None:
    with pytest.raises(InputError, match="rows"):
        load_frame({"step": [1, 2, 3], "loss": [1.0, 2.0]})


def test_a_mapping_needs_no_pandas() -> None:
    code = (
        "import sys; from spikedoc.ingest import load_frame; "
        "load_frame({'step': [1, 2], 'loss': [2.0, 1.0]}); "
        "assert not {'pandas', 'tensorboard', 'yaml', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def history() -> list[dict[str, object]]:
    """What the Hugging Face Trainer keeps in `trainer.state.log_history`."""
    rows: list[dict[str, object]] = []
    for step in range(10, 210, 10):
        loss = float("nan") if step == 150 else 2.0 / step
        rows.append({"loss": loss, "learning_rate": 1e-4, "epoch": step / 100, "step": step})
        if step % 100 == 0:
            rows.append({"eval_loss": 0.5, "eval_runtime": 3.0, "epoch": step / 100, "step": step})
    rows.append({"train_runtime": 60.0, "train_loss": 0.7, "epoch": 2.0, "step": 200})
    return rows


def test_the_history_of_a_trainer() -> None:
    run = load_frame(history())
    loss, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    assert loss is not None
    assert val is not None
    assert loss.steps.tolist() == list(range(10, 210, 10))
    assert np.isnan(loss.values[14])
    assert val.steps.tolist() == [100, 200]
    assert run.config["framework"] == "hf"
    assert run.config["steps_per_epoch"] == 100
    assert any("summary row" in note.en for note in run.notes)


def test_what_holds_a_history_is_taken_too() -> None:
    class State:
        log_history = history()

    class KerasHistory:
        def __init__(self) -> None:
            self.epoch = [0, 1, 2]
            self.history = {"loss": [3.0, 2.0, 1.0], "val_loss": [3.5, 2.5, 1.5]}

    assert len(load_frame(State()).series) == len(load_frame(history()).series)
    run = load_frame(KerasHistory())
    assert {one.name for one in run.series} >= {"loss", "val_loss"}
    loss = run.get(Metric.LOSS)
    assert loss is not None
    assert len(loss) == 3
    alone = load_frame(KerasHistory().history).get(Metric.LOSS)
    assert alone is not None
    assert alone.values.tolist() == [3.0, 2.0, 1.0]


def test_records_with_different_keys() -> None:
    rows = [{"step": s, "train": {"loss": 1.0 / s}} for s in range(1, 51)]
    rows += [{"step": s, "val_loss": None if s == 20 else 0.5} for s in range(10, 60, 10)]
    run = load_frame(sorted(rows, key=lambda row: row["step"]))
    loss, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    assert loss is not None
    assert val is not None
    assert loss.tag == "train/loss"
    assert val.steps.tolist() == [10, 30, 40, 50]


def test_tables_of_polars_and_arrow() -> None:
    class PolarsColumn:
        def __init__(self, name: str, cells: list[float | None]) -> None:
            self.name, self.cells = name, cells

        def to_list(self) -> list[float | None]:
            return self.cells

    class PolarsFrame:
        def get_columns(self) -> list[PolarsColumn]:
            return [PolarsColumn("step", [1, 2, 3]), PolarsColumn("loss", [3.0, None, 1.0])]

    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"step": [1, 2, 3], "loss": [3.0, None, 1.0]})
    for frame in (PolarsFrame(), table):
        loss = load_frame(frame).get(Metric.LOSS)
        assert loss is not None
        assert loss.steps.tolist() == [1, 3]


@pytest.mark.parametrize("thing", [[1.0, 2.0], [["a"]], 7, [{}], [], object()])
def test_what_is_no_table_is_said_so(thing: object) -> None:
    with pytest.raises(InputError):
        load_frame(thing)


def values_and_steps(frame: object) -> tuple[list[float], list[int]]:
    loss = load_frame(frame).get(Metric.LOSS)
    assert loss is not None
    return loss.values.tolist(), loss.steps.tolist()


class Scalar:
    """A tensor with one number, as PyTorch has it."""

    ndim = 0

    def item(self) -> float:
        return 2.5


@pytest.mark.parametrize(
    ("number", "value"),
    [
        (np.float32(0.5), 0.5),
        (np.float64(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.array(0.5), 0.5),
        (np.int64(2), 2.0),
        (Decimal("0.25"), 0.25),
        (Fraction(1, 4), 0.25),
        (Scalar(), 2.5),
    ],
)
def test_numbers_of_other_libraries_are_numbers(number: object, value: float) -> None:
    steps = [5, 10, 15]
    records = [{"step": np.int64(step), "train": {"loss": number}} for step in steps]
    assert values_and_steps(records) == ([value] * 3, steps)
    assert values_and_steps({"step": steps, "loss": [number] * 3}) == ([value] * 3, steps)
    assert values_and_steps({"step": [1, 2, 3], "loss": [number, None, number]})[1] == [1, 3]


def test_the_history_of_a_trainer_with_numbers_of_numpy() -> None:
    row = {"loss": np.float32(0.5), "learning_rate": np.float64(0.1), "epoch": 1}
    records = [{**row, "step": np.int64(step)} for step in (4, 8, 12)]
    assert values_and_steps(records) == ([0.5] * 3, [4, 8, 12])


@pytest.mark.parametrize("number", [Decimal("1e100000"), Decimal("sNaN"), Fraction(10**400)])
def test_a_number_that_no_float_holds_is_missing_and_not_infinite(number: object) -> None:
    frame = {"loss": [1.0, number, 3.0], "lr": [0.1, 0.1, 0.1]}
    assert values_and_steps(frame) == ([1.0, 3.0], [0, 2])
    assert values_and_steps({"loss": [1.0, Decimal("-inf"), 3.0]})[0] == [1.0, -math.inf, 3.0]


def test_cells_of_different_lengths_are_missing() -> None:
    frame = {"loss": [3.0, 2.0, 1.0], "odd": [[1, 2], [3], [4]], "even": [[1, 2], [3, 4], [5, 6]]}
    run = load_frame(frame)
    assert [one.tag for one in run.series] == ["loss"]


class Broken:
    """Looks like a table and is none."""

    def __init__(self, keys: object) -> None:
        self._keys = keys

    def keys(self) -> object:
        if self._keys is None:
            raise RuntimeError
        return self._keys

    def __getitem__(self, key: str) -> object:
        raise KeyError(key)


@pytest.mark.parametrize(
    ("thing", "reason"),
    [
        ({"loss": 1.0}, "column loss is no list of numbers"),
        ({"loss": None}, "column loss is no list of numbers"),
        ({"loss": (one for one in (1.0, 2.0))}, "column loss is no list of numbers"),
        ({"lo\x1b[31mss": "abc"}, "column loss is no list of numbers"),
        ({"1": [1.0], 1: [2.0]}, "two columns are called 1"),
        (dict, "a type"),
        (Broken(None), "a Broken without columns"),
        (Broken(["loss"]), "a Broken without columns"),
        (Broken(3), "a Broken without columns"),
    ],
)
def test_what_only_looks_like_a_table_is_said_so(thing: object, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        load_frame(thing)
    assert caught.value.reason == reason


def test_two_columns_of_one_name_are_said_so() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["loss", "loss"])
    with pytest.raises(InputError, match="two columns are called loss"):
        load_frame(frame)


def test_a_panel_of_several_runs_is_refused() -> None:
    curve = np.linspace(3, 1, 10)
    frame = {"Step": np.arange(10), "a - loss": curve, "b - loss": curve + 1}
    with pytest.raises(InputError, match=r"a panel of W&B with 2 runs \(a, b\)"):
        load_frame(frame)
    assert load_frame({key: frame[key] for key in ("Step", "a - loss")}).get(Metric.LOSS)
