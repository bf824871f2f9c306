"""Several runs in one printed log: in turns, and one after the other with their settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from tests.notes import english

EPOCHS = 12
A = [round(2 * 0.9**e, 6) for e in range(EPOCHS)]
B = [round(1 * 0.8**e, 6) for e in range(EPOCHS)]


def runs_in(folder: Path, text: str) -> list[Run]:
    path = folder / "train.log"
    path.write_text(text)
    return load_runs(path)


def losses(runs: list[Run]) -> list[list[float]]:
    found = [run.get(Metric.LOSS) for run in runs]
    return [[] if one is None else one.values.tolist() for one in found]


def in_turns(line: Callable[[str, int, float], str], names: tuple[str, str]) -> str:
    both = (
        (name, e, x)
        for e, pair in enumerate(zip(A, B, strict=True))
        for name, x in zip(names, pair, strict=True)
    )
    return "".join(f"{line(*one)}\n" for one in both)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (lambda name, e, x: f"{name} | epoch {e} | loss {x}", ("model_a", "model_b")),
        (lambda name, e, x: f"[{name}] Epoch {e}/12 loss: {x}", ("run1", "run2")),
        (lambda name, e, x: f"12:00:{e:02} INFO {name}: step {e} loss={x}", ("resnet", "vit")),
        (lambda name, e, x: f"epoch {e} of {name} loss {x}", ("run 1", "run 2")),
        (lambda name, e, x: f"{{'model': '{name}', 'epoch': {e}, 'loss': {x}}}", ("a", "b")),
        # more words than one differ
        (lambda name, e, x: f"net {name} on {name[-2:]} | epoch {e} | loss {x}", ("unet", "vit")),
        (lambda name, e, x: f"[{name} lr={len(name)} {name}x] epoch {e} loss {x}", ("unet", "vit")),
    ],
)
def test_runs_that_print_in_turns(
    tmp_path: Path, line: Callable[[str, int, float], str], names: tuple[str, str]
) -> None:
    runs = runs_in(tmp_path, in_turns(line, names))
    assert [run.name for run in runs] == [f"train.log/{name}" for name in names]
    assert losses(runs) == [A, B]
    assert all(run.series[0].steps.tolist() == list(range(EPOCHS)) for run in runs)
    assert "the lines of each bear its name" in " ".join(english(runs[0].sources[0].notes))


@pytest.mark.parametrize(
    "names",
    [
        ("generator", "discriminator"),
        ("actor", "critic"),
        ("teacher", "student"),
        ("G", "D"),
        ("ema", "model"),
        ("coarse", "fine"),
        ("bbox", "cls"),
        ("encoder1", "encoder2"),
    ],
)
def test_parts_of_one_training_are_one_run(tmp_path: Path, names: tuple[str, str]) -> None:
    text = in_turns(lambda name, e, x: f"[{name}] step {e} loss {x}", names)
    text += "step 11 val_acc 0.5\n"
    (run,) = runs_in(tmp_path, text)
    found = {one.tag: one.values.tolist() for one in run.series}
    assert found == {f"{names[0]}_loss": A, f"{names[1]}_loss": B, "val_acc": [0.5]}
    assert "parts of one training" in " ".join(english(run.sources[0].notes))


@pytest.mark.parametrize(
    "names", [("gpu0", "gpu1"), ("node01", "node02"), ("worker-0", "worker-1")]
)
def test_devices_of_one_training_are_one_run(tmp_path: Path, names: tuple[str, str]) -> None:
    (run,) = runs_in(tmp_path, in_turns(lambda n, e, x: f"[{n}] step {e} loss {x}", names))
    assert losses([run]) == [[(a + b) / 2 for a, b in zip(A, B, strict=True)]]
    assert "2 ranks print" in " ".join(english(run.sources[0].notes))


def test_runs_of_many_lines(tmp_path: Path) -> None:
    lines = [
        f"{name} step {i} loss {1 + i / 1000 + k}"
        for i in range(3000)
        for k, name in enumerate(("x", "y"))
    ]
    runs = runs_in(tmp_path, "\n".join(lines) + "\n")
    assert [len(run.series[0]) for run in runs] == [3000, 3000]
    np.testing.assert_allclose(runs[1].series[0].values, [2 + i / 1000 for i in range(3000)])


def test_words_that_differ_each_in_its_own_way_name_no_run(tmp_path: Path) -> None:
    text = "".join(
        f"[{('a', 'b')[e % 2]} {('x', 'y')[e // 2 % 2]}] epoch {e // 2} loss {x}\n"
        for e, x in enumerate([*A, *B])
    )
    assert len(runs_in(tmp_path, text)) == 1


def test_lines_of_other_words_are_of_one_run(tmp_path: Path) -> None:
    # each step comes twice, but not once from each of two
    words = ("good", "bad")
    lines = [f"{words[(i // 3) % 2]}: epoch {i // 2} loss {1 / (i + 1):.4f}" for i in range(24)]
    (run,) = runs_in(tmp_path, "\n".join(lines) + "\n")
    assert len(run.series[0]) == 24


def test_records_of_training_and_validation_are_of_one_run(tmp_path: Path) -> None:
    lines = [f"{w} epoch {e} loss {x}" for e, x in enumerate(A) for w in ("train", "valid")]
    assert len(runs_in(tmp_path, "\n".join(lines) + "\n")) == 1


def with_settings(settings: list[str], line: str, epochs: list[range]) -> str:
    parts = []
    for said, own, values in zip(settings, epochs, (A, B), strict=True):
        parts.append(f"{said}\n" + "".join(f"{line.format(e=e, x=values[e])}\n" for e in own))
    return "".join(parts)


OTHER = ["Namespace(lr=0.1, epochs=12, seed=1)", "Namespace(lr=0.01, epochs=12, seed=1)"]
ALL = range(EPOCHS)


@pytest.mark.parametrize(
    "line", ["epoch {e} loss {x}", "step {e}: loss={x}", "loss: {x}", "Epoch [{e}/12] Loss: {x}"]
)
@pytest.mark.parametrize("count", [5, EPOCHS])
def test_each_training_keeps_its_values_and_settings(tmp_path: Path, line: str, count: int) -> None:
    runs = runs_in(tmp_path, with_settings(OTHER, line, [range(count), ALL]))
    assert [run.name for run in runs] == ["train.log/#1", "train.log/#2"]
    assert losses(runs) == [A[:count], B]
    assert [run.config["lr"] for run in runs] == [0.1, 0.01]
    assert [run.series[0].steps[0] for run in runs] == [0, 0]


def test_settings_that_are_printed_again_begin_no_other_training(tmp_path: Path) -> None:
    resumed = [OTHER[0], OTHER[0].replace("seed=1", "seed=1, resume='last.pt'")]
    (run,) = runs_in(tmp_path, with_settings(resumed, "loss: {x}", [range(6), range(6, 12)]))
    assert losses([run]) == [A[:6] + B[6:]]


def test_a_training_that_goes_on_with_another_rate_is_one(tmp_path: Path) -> None:
    text = with_settings(OTHER, "epoch {e} loss {x}", [range(6), range(6, 12)])
    (run,) = runs_in(tmp_path, text)
    assert losses([run]) == [A[:6] + B[6:]]


@pytest.mark.parametrize("later", [range(5, 12), range(5, 6)])
def test_one_that_goes_on_within_epochs_of_many_records_is_one(tmp_path: Path, later) -> None:
    """The checkpoint of epoch 5 was saved before its end: the same epoch stands on both sides."""
    said = (f"{OTHER[0]}\n", f"{OTHER[1]}\n")
    lines = [
        front + "".join(f"Epoch[{e}] Batch [{b}] loss={A[e]}\n" for e in own for b in (20, 40, 60))
        for front, own in zip(said, (range(6), later), strict=True)
    ]
    (run,) = runs_in(tmp_path, "".join(lines))
    assert run.config["lr"] in (0.1, 0.01)


def test_settings_of_two_kinds_at_one_start(tmp_path: Path) -> None:
    text = f"{OTHER[0]}\nModelConfig(layers=2, heads=4, width=64)\n"
    text += "".join(f"epoch {e} loss {x}\n" for e, x in enumerate(A))
    (run,) = runs_in(tmp_path, text)
    assert losses([run]) == [A]
    assert (run.config["lr"], run.config["layers"]) == (0.1, 2)
