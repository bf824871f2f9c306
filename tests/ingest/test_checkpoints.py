"""Saved states by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.ingest.checkpoints import MOST_BESIDE, checkpoints_beside, find_checkpoints
from spikedoc.model.run import Checkpoint


@pytest.mark.parametrize(
    ("path", "step"),
    [
        ("checkpoint-500/model.safetensors", 500),
        ("global_step1200/mp_rank_00_model_states.pt", 1200),
        ("iter_0000123/mp_rank_00/model_optim_rng.pt", 123),
        ("checkpoint/step-40/.metadata", 40),
        ("step9000-unsharded/model.pt", 9000),
        ("checkpoint_77/data", 77),
    ],
)
def test_folders(tmp_path: Path, path: str, step: int) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_bytes(b"")
    (found,) = find_checkpoints(tmp_path)
    assert found.step == step
    assert path.startswith(found.path + "/")


@pytest.mark.parametrize(
    ("path", "step"),
    [
        ("checkpoints/epoch=3-step=400.ckpt", 400),
        ("last.ckpt", None),
        ("weights/best.pt", None),
        ("model_0004999.pth", 4999),
        ("iter_500.pth", 500),
        ("epoch_12.pth", None),
        ("checkpoint_3_1500.pt", 1500),
        ("ep1-ba200-rank0.pt", 200),
        ("rl_model_50000_steps.zip", 50000),
        ("ckpt.pt", None),
        ("checkpoint-4000.pt", 4000),
    ],
)
def test_files(tmp_path: Path, path: str, step: int | None) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_bytes(b"")
    assert find_checkpoints(tmp_path) == (Checkpoint(step, path),)


@pytest.mark.parametrize(
    "path",
    [
        "tmp-checkpoint-500/x",
        "epoch=1-step=5-loss=nan.ckpt",
        "step-7.incomplete",
        "bad-model-0.pt",
        "notes.txt",
        "checkpointing.py",
        "tokenizer.model",
    ],
)
def test_unfinished_or_poisoned_or_something_else(tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_bytes(b"")
    assert find_checkpoints(tmp_path) == ()


def test_order_and_bounds(tmp_path: Path) -> None:
    for step in (300, 100, 200):
        (tmp_path / f"checkpoint-{step}").mkdir()
    (tmp_path / "last.ckpt").write_bytes(b"")
    deep = tmp_path / "a" / "b" / "c" / "d" / "e"
    deep.mkdir(parents=True)
    (deep / "checkpoint-1.pt").write_bytes(b"")
    assert [one.step for one in find_checkpoints(tmp_path)] == [100, 200, 300, None]


def test_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spikedoc.ingest.checkpoints.MOST_ENTRIES", 50)
    for index in range(60):
        (tmp_path / f"{index:03}.txt").write_bytes(b"")
    (tmp_path / "last.ckpt").write_bytes(b"")
    assert find_checkpoints(tmp_path) == ()


def test_a_missing_folder(tmp_path: Path) -> None:
    assert find_checkpoints(tmp_path / "none") == ()


def saved(root: Path, path: str, content: bytes = b"") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content)


# framework → file inside the state, what is found, its step on the axis of the log
NAMES = {
    "hf": ("checkpoint-500/trainer_state.json", "checkpoint-500", 500),
    "lightning": ("checkpoints/epoch=1-step=40.ckpt", "checkpoints/epoch=1-step=40.ckpt", 40),
    "lightning, metric with a slash": (
        "checkpoints/epoch=00-step=20-val/loss=0.1.ckpt",
        "checkpoints/epoch=00-step=20-val/loss=0.1.ckpt",
        20,
    ),
    "nemo": (
        "checkpoints/m--val_loss=2.50-step=999-consumed_samples=3.0-last/weights/.metadata",
        "checkpoints/m--val_loss=2.50-step=999-consumed_samples=3.0-last",
        999,
    ),
    "megatron": ("iter_0000100/common.pt", "iter_0000100", 100),
    "torchtitan": ("checkpoint/step-40/.metadata", "checkpoint/step-40", 40),
    "nanotron": ("checkpoints/20/checkpoint_metadata.json", "checkpoints/20", 20),
    "orbax": ("checkpoints/300/_CHECKPOINT_METADATA", "checkpoints/300", 300),
    "olmo": ("step1000-unsharded/model.pt", "step1000-unsharded", 1000),
    "composer": ("ep0-ba200-rank0.pt", "ep0-ba200-rank0.pt", 200),
    "composer, sharded": ("ep0-ba200/.metadata", "ep0-ba200", 200),
    "levanter": ("run/step-70/metadata.json", "run/step-70", 70),
    "litgpt": ("out/step-00001000/lit_model.pth", "out/step-00001000", 1000),
    "fairseq, updates": ("checkpoint_3_1500.pt", "checkpoint_3_1500.pt", 1500),
    "fairseq, epoch": ("checkpoint7.pt", "checkpoint7.pt", None),
    "fairseq, best": ("checkpoint.best_loss_2.31.pt", "checkpoint.best_loss_2.31.pt", None),
    # The file is called by the epoch from 0 on, the table counts from 1 on.
    "ultralytics": ("weights/epoch4.pt", "weights/epoch4.pt", 5),
    "ultralytics, last": ("weights/last.pt", "weights/last.pt", None),
    "detectron2": ("model_0004999.pth", "model_0004999.pth", 4999),
    "mmengine": ("epoch_12.pth", "epoch_12.pth", None),
    "mmengine, iterations": ("iter_500.pth", "iter_500.pth", 500),
    "mmengine, best": ("best_coco_bbox_mAP_epoch_9.pth", "best_coco_bbox_mAP_epoch_9.pth", None),
    "timm": ("checkpoint-9.pth.tar", "checkpoint-9.pth.tar", 9),
    "timm, recovery": ("recovery-3-150.pth.tar", "recovery-3-150.pth.tar", None),
    "espnet": ("7epoch.pth", "7epoch.pth", None),
    "espnet, best": ("valid.loss.best.pth", "valid.loss.best.pth", None),
    "icefall": ("checkpoint-4000.pt", "checkpoint-4000.pt", 4000),
    "icefall, epoch": ("epoch-3.pt", "epoch-3.pt", None),
    "nnunet": ("fold_0/checkpoint_final.pth", "fold_0/checkpoint_final.pth", None),
    "keras": ("m.01-2.30.keras", "m.01-2.30.keras", None),
    "sb3": ("rl_model_50000_steps.zip", "rl_model_50000_steps.zip", 50000),
    "accelerate": (
        "checkpoints/checkpoint_3/random_states_0.pkl",
        "checkpoints/checkpoint_3",
        None,
    ),
    "accelerate, own steps": ("step_300/random_states_0.pkl", "step_300", 300),
    "paddle": ("12.pdparams", "12.pdparams", None),
    "paddle, best": ("best_accuracy.pdparams", "best_accuracy.pdparams", None),
    "rllib": ("checkpoint_000010/algorithm_state.pkl", "checkpoint_000010", 10),
}


@pytest.mark.parametrize("case", NAMES)
def test_names_of_frameworks(case: str, tmp_path: Path) -> None:
    path, shown, step = NAMES[case]
    saved(tmp_path, path)
    assert find_checkpoints(tmp_path) == (Checkpoint(step, shown),)


@pytest.mark.parametrize(
    "path",
    [
        "checkpoints/epoch=00-step=20-val/loss=nan.ckpt",
        "checkpoints/epoch=1-step=9-loss=inf.ckpt",
        "tmp-checkpoint-500/model-step=3.ckpt",
        "checkpoints/300.orbax-checkpoint-tmp-12/items/x",
        "data/2024/x.csv",
        "12/notes.txt",
    ],
)
def test_never_proposed(path: str, tmp_path: Path) -> None:
    saved(tmp_path, path)
    assert find_checkpoints(tmp_path) == ()


@pytest.mark.parametrize(
    ("pointer", "text", "names"),
    [
        ("latest_checkpointed_iteration.txt", "200", ["iter_0000100", "iter_0000200"]),
        ("latest", "global_step200\n", ["global_step100", "global_step200"]),
    ],
)
def test_what_is_newer_than_the_pointer_was_cut_off(
    pointer: str, text: str, names: list[str], tmp_path: Path
) -> None:
    for name in [*names, names[0].replace("100", "300")]:
        saved(tmp_path, f"{name}/weights")
    saved(tmp_path, pointer, text.encode())
    assert [one.path for one in find_checkpoints(tmp_path)] == names


@pytest.mark.parametrize("text", ["release", "", "\xff\x00", "no 5 at all", "9" * 500])
def test_a_pointer_that_tells_nothing_is_passed_over(text: str, tmp_path: Path) -> None:
    saved(tmp_path, "iter_0000100/weights")
    saved(tmp_path, "latest_checkpointed_iteration.txt", text.encode("latin-1"))
    assert [one.step for one in find_checkpoints(tmp_path)] == [100]


def test_a_state_without_what_is_written_last_is_not_whole(tmp_path: Path) -> None:
    for step in (10, 20):
        saved(tmp_path, f"checkpoint-{step}/scheduler.pt")
        saved(tmp_path, f"checkpoint-{step}/trainer_state.json")
    saved(tmp_path, "checkpoint-30/scheduler.pt")
    saved(tmp_path, "step-10/__0_0.distcp")
    saved(tmp_path, "step-10/.metadata")
    saved(tmp_path, "step-20/__0_0.distcp")
    found = [one.path for one in find_checkpoints(tmp_path)]
    assert sorted(found) == ["checkpoint-10", "checkpoint-20", "step-10"]


def test_a_marker_says_that_a_state_is_not_whole(tmp_path: Path) -> None:
    saved(tmp_path, "m-step=100.ckpt")
    saved(tmp_path, "m-step=200.ckpt")
    saved(tmp_path, "m-step=200.ckpt-unfinished")
    assert [one.step for one in find_checkpoints(tmp_path)] == [100]


def test_a_newest_file_much_smaller_than_the_others_was_cut_off(tmp_path: Path) -> None:
    for step in (100, 200, 300):
        saved(tmp_path, f"iter_{step}.pth", b"x" * 1000)
    saved(tmp_path, "iter_400.pth", b"x" * 300)
    assert [one.step for one in find_checkpoints(tmp_path)] == [100, 200, 300]
    saved(tmp_path, "iter_400.pth", b"x" * 900)
    assert [one.step for one in find_checkpoints(tmp_path)] == [100, 200, 300, 400]


def test_beside_a_log_given_by_itself(tmp_path: Path) -> None:
    for path in (
        "checkpoint-500/model.safetensors",
        "checkpoints/epoch=0-step=40.ckpt",
        "weights/last.pt",
        "step_90.pt",
        "of_somebody/checkpoint-700/model.safetensors",
        "weights/deeper/step_800.pt",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"")
    found = checkpoints_beside(tmp_path / "log.csv")
    assert found == (
        Checkpoint(40, "checkpoints/epoch=0-step=40.ckpt"),
        Checkpoint(90, "step_90.pt"),
        Checkpoint(500, "checkpoint-500"),
        Checkpoint(None, "weights/last.pt"),
    )
    assert {700, 800} <= {one.step for one in find_checkpoints(tmp_path)}


def test_no_states_beside_a_log_in_a_place_for_everything(tmp_path: Path) -> None:
    (tmp_path / "step_90.pt").write_bytes(b"")
    for number in range(MOST_BESIDE - 1):
        (tmp_path / f"{number}.txt").write_bytes(b"")
    assert len(checkpoints_beside(tmp_path / "log.csv")) == 1
    (tmp_path / "one_more.txt").write_bytes(b"")
    assert checkpoints_beside(tmp_path / "log.csv") == ()
    assert len(find_checkpoints(tmp_path)) == 1


def test_beside_a_log_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert checkpoints_beside(tmp_path / "no" / "log.csv") == ()
