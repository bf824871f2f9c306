"""Home-made loops: one line per spelling that people use."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tables import points

from spikedoc.errors import InputError
from spikedoc.readers.base import Table
from spikedoc.readers.lines.generic import ROUNDED_NOTE
from spikedoc.readers.text import READER

Points = list[tuple[int, float]]


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return READER.read(path)


BY_EPOCH = [
    ("epoch {e}, loss:{x} lr:0.5", "loss"),  # no names of columns
    ("Epoch {e}/50 loss:{x} acc:0.5", "loss"),
    ("Epoch {e}: train loss {x}, val loss 0.5, acc 0.75", "train loss"),
    ("Epoch: {e} | Train Loss: {x} | Val. Loss: 0.5 | Val. Acc: 81.5%", "Train Loss"),
    ("Epoch {e}, Loss: {x}, Val Loss: 0.4", "Loss"),
    ("Epoch {e} \t Training Loss: {x} \t Validation Loss: 0.4", "Training Loss"),
    ("INFO - epoch {e} - train_loss={x} val_loss=0.6", "train_loss"),
    ("Epoch 00{e} | loss {x} | val_loss 0.6", "loss"),
    ("Epoch {e}/10 - loss: {x} - acc: 0.5", "loss"),
    ("[Epoch {e}] loss={x}", "loss"),
    ("ep {e} loss {x}", "loss"),
    ("Loss after epoch {e}: {x}", "Loss"),
    ("train: epoch {e}, loss {x}", "loss"),
    ("2024-05-01 10:00:00 | epoch={e} | loss={x}", "loss"),
]


@pytest.mark.parametrize(("line", "tag"), BY_EPOCH)
def test_one_line_an_epoch(tmp_path: Path, line: str, tag: str) -> None:
    values = {1: "2.5", 2: "1.25e+00", 3: "0.75"}
    table = read(tmp_path, "".join(line.format(e=e, x=x) + "\n" for e, x in values.items()))
    assert points(table, tag) == [(1, 2.5), (2, 1.25), (3, 0.75)]


BY_STEP = [
    ("[{s}/1000] loss={x}", "loss"),
    ("iter {s} || Loss: {x} ||", "Loss"),
    ("Iteration {s}: loss = {x}", "loss"),
    ("step={s}, epoch=1, loss={x}", "loss"),
    ("{s}: loss {x}", "loss"),
    ("{s}/1000 train_loss={x} lr=0.0005", "train_loss"),
    ("Loss at step {s}: {x}", "Loss"),
    ("loss: {x} (epoch 1, global step {s})", "loss"),
    ("[{s}] train-error:{x} test-error:0.5", "train-error"),
    ("steps: {s} loss: {x} iter time (s): 3.162 samples/sec: 0.316", "loss"),
    ("Iter {s}: Train loss {x}, Learning Rate 1.000e-05, It/sec 0.5", "Train loss"),
    ("Episode {s}: reward {x}, epsilon 0.1", "reward"),
    ("update {s} | policy_loss {x} | value_loss 0.5", "policy_loss"),
    ("Step: {s}. Epoch: 0/500. Iteration: 7/897. Cls loss: 0.5. Total loss: {x}", "Total loss"),
    ("[rank0]: step {s} loss {x}", "loss"),
    ("training step {s}, training loss: {x}, took 3.5 s", "training loss"),
    ("step {s} - loss: {x} - lr: 0.5", "loss"),  # as Paddle's, but for the time of a step
    ("Step: {s}/500 loss: {x}", "loss"),
    ("it {s}/500 loss {x}", "loss"),
    ("{s} - loss: {x} - lr: 0.5", "loss"),
    ("[{s}]\ttrain loss: {x} - val loss: 0.5", "train loss"),  # as XGBoost's, but for the tabs
    ("Iteration {s}, loss = {x}, lr = 0.5", "loss"),  # as Caffe's, but for the second number
]


@pytest.mark.parametrize(("line", "tag"), BY_STEP)
def test_one_line_a_step(tmp_path: Path, line: str, tag: str) -> None:
    values = {10: "2.5", 20: "nan", 30: "-0.75"}
    table = read(tmp_path, "".join(line.format(s=s, x=x) + "\n" for s, x in values.items()))
    found = points(table, tag)
    assert [step for step, _ in found] == [10, 20, 30]
    assert [found[0][1], found[2][1]] == [2.5, -0.75]
    assert math.isnan(found[1][1])


BY_BATCH = [
    ("Epoch [{e}/2], Step [{b}/40], Loss: {x}", "Loss"),
    ("[Epoch {e}/2] [Batch {b}/40] [D loss: {x}] [G loss: 0.5]", "D loss"),
    ("Epoch: [{e}][{b}/40]\tTime 0.5 ( 0.6)\tLoss {x} (9.9)\tAcc@1 0.5 (0.4)", "Loss"),
    ("Epoch: [{e}]  [ {b}/40]  eta: 0:01:02  lr: 0.01  loss: {x} (9.9)  time: 0.5", "loss"),
    ("epoch {e} iter {b}: train loss {x}. lr 1.0e-04", "train loss"),
    ("[{e},    {b}] loss: {x}", "loss"),
    ("Train Epoch: {e} [{b}/40 (1%)]\tLoss: {x}", "Loss"),
]


@pytest.mark.parametrize(("line", "tag"), BY_BATCH)
def test_a_counter_that_starts_again_in_each_epoch(tmp_path: Path, line: str, tag: str) -> None:
    rows = [(1, 20, 2.5), (1, 40, 2.0), (2, 20, 1.5), (2, 40, 1.0)]
    table = read(tmp_path, "".join(line.format(e=e, b=b, x=x) + "\n" for e, b, x in rows))
    assert points(table, tag) == [(20, 2.5), (40, 2.0), (60, 1.5), (80, 1.0)]
    assert any("40 batches per epoch" in note.en for note in table.notes)


def test_epochs_counted_from_zero(tmp_path: Path) -> None:
    rows = [(0, 0), (0, 10), (1, 0), (1, 10)]
    line = "Epoch: [{e}][{b}/20] Loss {x}\n"
    table = read(tmp_path, "".join(line.format(e=e, b=b, x=1.5) for e, b in rows))
    assert [step for step, _ in points(table, "Loss")] == [0, 10, 20, 30]


def test_a_counter_that_goes_on_through_the_epochs(tmp_path: Path) -> None:
    rows = [(0, 10), (0, 20), (1, 30), (1, 40)]
    table = read(tmp_path, "".join(f"epoch: {e} step: {s} loss: 0.5\n" for e, s in rows))
    assert [step for step, _ in points(table, "loss")] == [10, 20, 30, 40]


def test_evaluations_stand_at_the_end_of_their_epoch(tmp_path: Path) -> None:
    text = (
        "Epoch [1/2], Step [10/10], Loss: 2.5\nEpoch 1 validation: loss 2.0 acc 0.5\n"
        "Epoch [2/2], Step [10/10], Loss: 1.5\nEpoch 2 validation: loss 1.0 acc 0.75\n"
        "Epoch [2/2], Step [5/10], Loss: 1.25\n"
    )
    table = read(tmp_path, text)
    assert points(table, "val_loss") == [(10, 2.0), (20, 1.0)]
    assert points(table, "val_acc") == [(10, 0.5), (20, 0.75)]


def test_values_below_a_heading(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {e}/2\n----------\nTrain Loss: {e}.5 Acc: 0.5\nVal Loss: {e}.25\n" for e in (1, 2)
    )
    table = read(tmp_path, text)
    assert points(table, "Train Loss") == [(1, 1.5), (2, 2.5)]
    assert points(table, "Val Loss") == [(1, 1.25), (2, 2.25)]


def test_a_name_that_comes_again_behind_validation_is_of_validation(tmp_path: Path) -> None:
    line = "Epoch {e} | Train Loss: {x} | Token Acc: 0.25 | Val Loss: 0.875 | Token Acc: 0.375\n"
    table = read(tmp_path, line.format(e=1, x=2.5) + line.format(e=2, x=1.25))
    assert points(table, "Token Acc") == [(1, 0.25), (2, 0.25)]
    assert points(table, "val_Token Acc") == [(1, 0.375), (2, 0.375)]


def test_a_name_that_comes_again_behind_training_is_of_training(tmp_path: Path) -> None:
    line = "Epoch {e} Val Loss: 0.875 Acc: 0.375 Train Loss: {x} Acc: 0.25\n"
    table = read(tmp_path, line.format(e=1, x=2.5) + line.format(e=2, x=1.25))
    assert points(table, "Acc") == [(1, 0.25), (2, 0.25)]


def test_abbreviated_validation_beside_training(tmp_path: Path) -> None:
    line = "Epoch {e} | Avg. Loss: {x} | Val. Loss: 0.5 | Valid. Acc: 81.5%\n"
    table = read(tmp_path, line.format(e=1, x=2.5) + line.format(e=2, x=1.25))
    assert points(table, "Avg. Loss") == [(1, 2.5), (2, 1.25)]
    assert points(table, "Val. Loss") == [(1, 0.5), (2, 0.5)]
    assert points(table, "Valid. Acc") == [(1, 81.5), (2, 81.5)]


def test_headings_that_say_how_long_the_epoch_took(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch: 0{e} | Time: {e}m {e}4s\n\tTrain Loss: {x} | Train PPL: 12.5\n"
        f"\t Val. Loss: 3.5 |  Val. PPL: 30.25\n"
        for e, x in ((1, 4.5), (2, 3.25))
    )
    table = read(tmp_path, text)
    assert points(table, "Train Loss") == [(1, 4.5), (2, 3.25)]
    assert points(table, "Val. PPL") == [(1, 30.25), (2, 30.25)]


def test_a_learning_rate_in_the_list_below_a_heading(tmp_path: Path) -> None:
    text = "LR: 0.5\n" + "".join(
        f"Epoch {e}/9\n  Train Loss: {x}\n  LR:         0.000{e}00\n"
        for e, x in ((1, 4.5), (2, 3.25))
    )
    table = read(tmp_path, text)
    assert points(table, "LR") == [(1, 0.0001), (2, 0.0002)]


@pytest.mark.parametrize("name", ["val_accuracy", "accuracy", "val_dsc"])
def test_one_quality_in_a_line_of_its_own(tmp_path: Path, name: str) -> None:
    text = "".join(f"epoch {e} | {name}: {x}\n" for e, x in ((1, 0.5), (2, 0.75)))
    assert points(read(tmp_path, text), name) == [(1, 0.5), (2, 0.75)]


def test_accuracies_set_off_by_white_space_alone(tmp_path: Path) -> None:
    text = "".join(f"step {s} loss {x} accuracy 0.5\n" for s, x in ((10, 2.5), (20, 1.25)))
    assert points(read(tmp_path, text), "accuracy") == [(10, 0.5), (20, 0.5)]


def test_batches_by_their_id(tmp_path: Path) -> None:
    text = "".join(
        f"epoch: {e}, batch_id: {b}, AUC:0.5, loss:{1 / (1 + e + b / 1000)}, ips: 1000 ins/s\n"
        for e in (0, 1)
        for b in (0, 500, 1000, 1500)
    )
    steps = [step for step, _ in points(read(tmp_path, text), "loss")]
    assert steps == [0, 500, 1000, 1500, 2000, 2500, 3000, 3500]


def test_lines_without_any_place_are_counted(tmp_path: Path) -> None:
    table = read(tmp_path, "INFO:trainer:TD LOSS: 2.5\nINFO:trainer:TD LOSS: 1.5\n")
    assert points(table, "TD LOSS") == [(0, 2.5), (1, 1.5)]
    assert any("row numbers" in note.en for note in table.notes)


def test_lines_without_a_place_give_way_to_those_with_one(tmp_path: Path) -> None:
    text = "loss: 99.0\nstep: 1 loss: 2.5\nloss: 98.0\nstep: 2 loss: 1.5\nlabel_loss: 3\n"
    table = read(tmp_path, text)
    assert [one.tag for one in table.series] == ["loss"]
    assert points(table, "loss") == [(1, 2.5), (2, 1.5)]


def test_many_records_in_an_epoch_and_no_counter(tmp_path: Path) -> None:
    text = "".join(f"epoch: {i // 5} loss: {i}.5\n" for i in range(20))
    table = read(tmp_path, text)
    assert [step for step, _ in points(table, "loss")] == list(range(20))


def test_a_second_training_in_one_file_counts_its_epochs_again(tmp_path: Path) -> None:
    text = "".join(f"Epoch {e}: loss {e}.5\n" for e in (1, 2, 3, 1, 2))
    assert [step for step, _ in points(read(tmp_path, text), "loss")] == [1, 2, 3, 1, 2]


@pytest.mark.parametrize(
    "token", ["0,123", "1,23", "1,2,3", "1234,567", "0.5.1", "1:30", "3/4", "0x10", "2024-01-01"]
)
def test_what_is_no_plain_number_is_not_read(tmp_path: Path, token: str) -> None:
    text = "".join(f"step: {s} loss: 0.5 acc: {token}\n" for s in (1, 2, 3))
    assert [one.tag for one in read(tmp_path, text).series] == ["loss"]


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("1.#INF", math.inf), ("-1.#INF", -math.inf), ("1.#QNAN", math.nan), ("-1.#IND", math.nan),
        ("-nan(ind)", math.nan), ("-nan", math.nan), ("NaN", math.nan), ("Inf", math.inf),
        ("1e+05", 1e5), ("+.5", 0.5), ("5.", 5.0), ("1E-3", 1e-3),
    ],
)  # fmt: skip
def test_spellings_of_numbers(tmp_path: Path, token: str, value: float) -> None:
    table = read(tmp_path, f"step: 1 loss: {token}\nstep: 2 loss: {token}\n")
    found = points(table, "loss")
    assert [step for step, _ in found] == [1, 2]
    assert found[0][1] == value or (math.isnan(found[0][1]) and math.isnan(value))


@pytest.mark.parametrize(
    "line",
    [
        "learning_rate: 0.001",
        "loss_weight: 0.5",
        "min_loss_scale = 1",
        "the loss went down to 0.5 after some time of training",
        "total loss function has 3 terms",
        "saved model with accuracy above the threshold of 0.5 to out.pt",
        "label_smoothed_cross_entropy: 0.1",
    ],
)
def test_settings_and_prose_are_no_records(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError):
        read(tmp_path, f"{line}\n" * 3)


GROUPED = [
    ("step {s} loss nan", ["500", "1,000", "12,500"], [500, 1_000, 12_500]),
    ("step {s} | loss: nan | lr: 1e-3", ["500", "2,500", "1,002,500"], [500, 2_500, 1_002_500]),
    ("Step {s}/20,000 - loss=9.5", ["500", "2,500", "12,500"], [500, 2_500, 12_500]),
    ("[{s}/20,000] loss 1.0", ["500", "1,000", "12,500"], [500, 1_000, 12_500]),
    ("{s}: loss 1.0", ["500", "1,000", "12,500"], [500, 1_000, 12_500]),
    ("step={s}, loss=1.0, lr=[1e-3,100]", ["1", "1'000", "1'000'000"], [1, 1_000, 1_000_000]),
    ("iter {s} loss 1.0", ["1", "1_000", "12_345"], [1, 1_000, 12_345]),
]


@pytest.mark.parametrize(("line", "tokens", "steps"), GROUPED)
def test_counters_with_thousands_separators(
    tmp_path: Path, line: str, tokens: list[str], steps: list[int]
) -> None:
    table = read(tmp_path, "".join(line.format(s=s) + "\n" for s in tokens))
    assert [step for step, _ in points(table, "loss")] == steps


def test_values_with_thousands_separators(tmp_path: Path) -> None:
    tokens = ["900.5", "5,000.25", "50,000.0", "2,000,000.0", "1_234", "7'500.5", "-1,500.5"]
    values = [900.5, 5_000.25, 50_000.0, 2e6, 1_234.0, 7_500.5, -1_500.5]
    table = read(tmp_path, "".join(f"epoch {e} loss {x}\n" for e, x in enumerate(tokens)))
    assert points(table, "loss") == list(enumerate(values))


def test_a_comma_that_may_be_a_decimal_one_is_left_alone(tmp_path: Path) -> None:
    text = "".join(f"step {s} lr 1e-3 reward {x}\n" for s, x in enumerate(["2,998", "1,234"]))
    assert [one.tag for one in read(tmp_path, text).series] == ["lr"]
    # behind a zero it can be nothing else
    text = "".join(f"step {s} lr 1e-3 reward {x}\n" for s, x in enumerate(["0,998", "1,234"]))
    assert points(read(tmp_path, text), "reward") == [(0, 0.998), (1, 1.234)]


@pytest.mark.parametrize(
    "line", ["lr=[1e-3,100] shape 1,2,3, loss 0.5", "loss 0.5,size=[3,224,224]", "a=1,loss=0.5"]
)
def test_commas_between_numbers_of_a_list(tmp_path: Path, line: str) -> None:
    table = read(tmp_path, "".join(f"step={s} {line}\n" for s in (1, 2)))
    assert points(table, "loss") == [(1, 0.5), (2, 0.5)]
    assert {one.tag for one in table.series} <= {"loss", "a"}


def test_an_epoch_and_a_batch_in_brackets_are_no_thousands(tmp_path: Path) -> None:
    table = read(tmp_path, "Epoch [1,100] loss: 2.5\nEpoch [2,100] loss: 1.5\n")
    assert points(table, "loss") == [(1, 2.5), (2, 1.5)]


def test_steps_in_thousands_and_millions(tmp_path: Path) -> None:
    table = read(tmp_path, "step 990.55k/2M loss 1.5\nstep 1.25M/2M loss 2.5\n")
    assert points(table, "loss") == [(990_550, 1.5), (1_250_000, 2.5)]


def test_rounded_steps_that_repeat_are_counted_on(tmp_path: Path) -> None:
    rows = [("12.55k", 1.0), ("12.55k", 2.0), ("12.56k", 3.0), ("12.56k", 4.0)]
    text = "".join(f"step {s} loss {x}\nstep {s} acc {x}\n" for s, x in rows)
    table = read(tmp_path, text)
    found = [(12_550, 1.0), (12_551, 2.0), (12_560, 3.0), (12_561, 4.0)]
    assert points(table, "loss") == points(table, "acc") == found
    assert ROUNDED_NOTE in table.notes


def test_a_counter_of_unknown_spelling_is_no_part_of_a_name(tmp_path: Path) -> None:
    table = read(tmp_path, "".join(f"step {i}.5q loss {i}.25\n" for i in range(5)))
    assert [one.tag for one in table.series] == ["loss"]
    assert points(table, "loss") == [(i, i + 0.25) for i in range(5)]


@pytest.mark.parametrize("lost", ["nan", "NaN", "inf", "-inf"])
@pytest.mark.parametrize("heading", ["", "Epoch {}\n"])
def test_a_bare_loss_that_is_lost(tmp_path: Path, lost: str, heading: str) -> None:
    values = ["2.5", "2.25", "2.0", "1.75", lost, lost]
    text = "".join(f"{heading.format(i)}loss {value}\n" for i, value in enumerate(values))
    table = read(tmp_path, text)
    (loss,) = [one for one in table.series if one.tag == "loss"]
    assert loss.steps.tolist() == list(range(6))
    np.testing.assert_array_equal(loss.values, [float(value) for value in values])


def test_prose_about_a_lost_loss_is_no_record(tmp_path: Path) -> None:
    text = "".join(f"step {i} loss 0.{9 - i}\n" for i in range(5))
    text += "warning: loss nan encountered, stopping\n"
    (loss,) = read(tmp_path, text).series
    assert np.isfinite(loss.values).all()


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("∞", math.inf),
        ("-∞", -math.inf),
        ("−∞", -math.inf),
        ("ＮａＮ", math.nan),
        ("ｉｎｆ", math.inf),
    ],
)
def test_signs_for_what_is_not_finite(tmp_path: Path, token: str, value: float) -> None:
    table = read(tmp_path, f"step 1 loss: 0.5\nstep 2 loss: {token}\nstep 3 Ｌｏｓｓ {token}\n")
    (loss,) = [one for one in table.series if one.tag == "loss"]
    assert loss.steps.tolist() == [1, 2]
    np.testing.assert_array_equal(loss.values, [0.5, value])


def test_a_division_by_nothing_is_no_number_and_told(tmp_path: Path) -> None:
    text = "".join(f"step {i} loss: {0.5 if i < 5 else '0/0'}\n" for i in range(10))
    table = read(tmp_path, text)
    assert [step for step, _ in points(table, "loss")] == list(range(5))
    assert any("5 lines name loss without a number" in note.en for note in table.notes)


@pytest.mark.parametrize("line", ["model_a | epoch {e} | loss {x}", "epoch 00{e} | loss {x}"])
def test_bars_between_the_values_make_no_fairseq(tmp_path: Path, line: str) -> None:
    table = read(tmp_path, "".join(line.format(e=e, x=e + 0.5) + "\n" for e in range(4)))
    assert points(table, "loss") == [(e, e + 0.5) for e in range(4)]
    assert not any("fairseq" in note.en for note in table.notes)
    assert not table.framework


def test_a_number_before_a_level_of_logging_is_no_step(tmp_path: Path) -> None:
    table = read(tmp_path, "".join(f"1234 - INFO - loss {x}.5\n" for x in range(4)))
    assert points(table, "loss") == [(x, x + 0.5) for x in range(4)]


HELD_OUT_FIRST = [
    ("step {s} val_loss: {v} loss: {x}", "val_loss", "loss"),
    ("step {s} val_loss={v}, loss={x}", "val_loss", "loss"),
    ("step {s} val_loss {v} loss {x} lr 0.125", "val_loss", "loss"),
    ("step {s} | test_loss: {v} | acc: 0.25 | loss: {x}", "test_loss", "loss"),
    ("{s}/100 val_acc: 0.5 val_loss: {v} acc: 0.25 loss: {x}", "val_loss", "loss"),
    ("step {s} eval/loss: {v} loss: {x}", "eval/loss", "loss"),
    ("Epoch {s} val_loss: {v} train_loss: {x}", "val_loss", "train_loss"),
    ("Epoch {s} - val-loss: {v} - train-loss: {x}", "val-loss", "train-loss"),
    ("[{s}] dev_loss={v} train_acc=0.5 train_loss={x}", "dev_loss", "train_loss"),
    ("Epoch {s}, val: loss {v}, train: loss {x}", "val_loss", "loss"),
]


@pytest.mark.parametrize(("line", "held_out", "training"), HELD_OUT_FIRST)
def test_held_out_data_named_first_leaves_the_training_its_own(
    tmp_path: Path, line: str, held_out: str, training: str
) -> None:
    lines = [line.format(s=s, v=10 + s, x=s / 2) for s in (1, 2, 3)]
    table = read(tmp_path, "\n".join(lines) + "\n")
    assert points(table, held_out) == [(1, 11.0), (2, 12.0), (3, 13.0)]
    assert points(table, training) == [(1, 0.5), (2, 1.0), (3, 1.5)]


@pytest.mark.parametrize(
    ("line", "tag"),
    [
        ("step {s} val_loss: {v} acc: {x}", "val_acc"),
        ("Validation epoch {s}: loss: {v}, acc: {x}", "val_acc"),
        ("Test epoch {s} acc {x} loss {v}", "val_acc"),
        ("Validation epoch {s}: loss: {v} lr: {x}", "lr"),
        ("epoch {s} val_loss={v} grad_norm={x}", "grad_norm"),
    ],
)
def test_what_goes_with_held_out_data_is_told_so(tmp_path: Path, line: str, tag: str) -> None:
    lines = [line.format(s=s, v=10 + s, x=s / 2) for s in (1, 2, 3)]
    table = read(tmp_path, "\n".join(lines) + "\n")
    assert points(table, tag) == [(1, 0.5), (2, 1.0), (3, 1.5)]
    assert points(table, "val_loss") == [(1, 11.0), (2, 12.0), (3, 13.0)]


@pytest.mark.parametrize(
    "place", ["[{e}/20][{b}/782]", "({e}/20) ({b}/782)", "[{e}/20], [{b}/782] "]
)
def test_an_epoch_and_a_batch_each_of_how_many(tmp_path: Path, place: str) -> None:
    rows = [(e, b) for e in range(3) for b in range(0, 782, 50)]
    lines = [f"{place.format(e=e, b=b)} loss: {b + e / 10} lr: 0.5\n" for e, b in rows]
    table = read(tmp_path, "".join(lines))
    assert points(table, "loss") == [(782 * e + b, b + e / 10) for e, b in rows]


@pytest.mark.parametrize("blank", [" ", "\t"])
def test_a_gan_whose_outputs_are_named_as_functions(tmp_path: Path, blank: str) -> None:
    # the DCGAN example of PyTorch
    rows = [(e, b) for e in range(3) for b in range(0, 782, 50)]
    text = blank.join(
        [
            "[{e}/20][{b}/782]",
            "Loss_D: 0.71",
            "Loss_G: 1.9",
            "D(x): {x}",
            "D(G(z)): {y} / {z}\n",
        ]
    )
    lines = [text.format(e=e, b=b, x=b / 1000, y=b / 2000, z=b / 4000) for e, b in rows]
    table = read(tmp_path, "".join(lines))
    assert {one.tag for one in table.series} == {
        *("epoch", "Loss_D", "Loss_G", "D(x)", "D(G(z))", "D(G(z)) 2")
    }
    steps = [782 * e + b for e, b in rows]
    for tag, factor in [("D(x)", 1000), ("D(G(z))", 2000), ("D(G(z)) 2", 4000)]:
        assert points(table, tag) == [
            (s, b / factor) for s, (_, b) in zip(steps, rows, strict=True)
        ]


def test_words_in_brackets_behind_a_name_are_no_part_of_it(tmp_path: Path) -> None:
    lines = "".join(f"step {i} Loss(train): {i}.5 acc (top1): 0.5 / 0.75\n" for i in range(9))
    assert {one.tag for one in read(tmp_path, lines).series} == {"Loss", "acc"}


@pytest.mark.parametrize(
    ("line", "tag"),
    [
        ("step, {i}, loss, {x}, lr, 0.5, eta, 00:12:{i}", "loss"),
        ("global_step={i}, episodic_return=[{x}]", "episodic_return"),
        ("global_step={i}, episodic_return=[{x}], episodic_length=[15]", "episodic_return"),
        ("generation {i} best fitness {x}", "best fitness"),
        ("gen: {i} mean fitness: {x}", "mean fitness"),
        ("step {i} return: {x}", "return"),
    ],
)
def test_what_trainings_of_agents_print(tmp_path: Path, line: str, tag: str) -> None:
    rows = [(10 + i, 2.5 + i) for i in range(12)]
    table = read(tmp_path, "".join(line.format(i=i, x=x) + "\n" for i, x in rows))
    assert points(table, tag) == rows
    assert not {"gen", "eta", "generation"} & {one.tag for one in table.series}
