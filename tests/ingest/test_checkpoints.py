"""Saved states by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.ingest.checkpoints import find_checkpoints
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
