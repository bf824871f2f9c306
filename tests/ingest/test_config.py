"""Settings under canonical keys, and the files they come from."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from spikedoc.ingest.config import canonical
from spikedoc.ingest.config_files import config_beside


@pytest.mark.parametrize(
    ("raw", "key", "value"),
    [
        ({"optim": "adamw_torch_fused"}, "optimizer", "adamw"),
        ({"optimizer": "torch.optim.Adam"}, "optimizer", "adam"),
        ({"opt": "SGD"}, "optimizer", "sgd"),
        ({"learning_rate": "1e-4"}, "lr", 1e-4),
        ({"optimizer/params/lr": 3e-4}, "lr", 3e-4),
        ({"adam_beta2": 0.95}, "beta2", 0.95),
        ({"betas": [0.9, 0.98]}, "beta1", 0.9),
        ({"betas": "(0.9, 0.98)"}, "beta2", 0.98),
        ({"max_grad_norm": 1.0}, "clip", 1.0),
        ({"clip": None}, "clip", 0.0),
        ({"gradient_clip_val": "none"}, "clip", 0.0),
        ({"grad_clip": False}, "clip", 0.0),
        ({"clip": -1}, "clip", 0.0),
        ({"per_device_train_batch_size": 8}, "batch_size", 8),
        ({"batch": 16, "global_batch_size": 512}, "batch_size", 512),
        ({"fp16": True, "bf16": False}, "precision", "fp16"),
        ({"fp16": False, "bf16": True}, "precision", "bf16"),
        ({"fp16": False, "bf16": False}, "precision", "fp32"),
        ({"precision": "bf16-mixed"}, "precision", "bf16"),
        ({"precision": 16}, "precision", "fp16"),
        ({"precision": "32-true"}, "precision", "fp32"),
        ({"fp16/enabled": True}, "precision", "fp16"),
        ({"amp": True}, "precision", "fp16"),
        ({"amp": True, "amp_dtype": "bfloat16"}, "precision", "bf16"),
        ({"max_steps": -1, "train_iters": 500}, "total_steps", 500),
        ({"shuffle": "False"}, "shuffle", False),
        ({"label_smoothing_factor": 0.1}, "label_smoothing", 0.1),
        ({"gradient_accumulation_steps": 4}, "accumulation", 4),
        ({"num_warmup_steps": 0}, "warmup_steps", 0),
        ({"lr_scheduler_type": "Cosine"}, "schedule", "cosine"),
        ({"logging_nan_inf_filter": True}, "nan_filter", True),
        ({"lr/value": 0.5}, "lr", 0.5),
        ({"trainer/max_epochs": 3}, "epochs", 3),
    ],
)
def test_canonical(raw: dict[str, object], key: str, value: object) -> None:
    assert canonical(raw)[key] == value
    assert type(canonical(raw)[key]) is type(value)


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ({"gradient_clipping": "auto"}, "clip"),
        ({"learning_rate": "auto"}, "lr"),
        ({"learning_rate": True}, "lr"),
        ({"optimizer": "auto"}, "optimizer"),
        ({"seed": None}, "seed"),
        ({}, "precision"),
        ({"betas": [0.9]}, "beta1"),
    ],
)
def test_what_a_setting_does_not_say_stays_unknown(raw: dict[str, object], key: str) -> None:
    assert key not in canonical(raw)


def test_the_least_nested_setting_wins() -> None:
    assert canonical({"model/optimizer/lr": 0.5, "lr": 0.1})["lr"] == 0.1


def test_other_scalars_keep_their_names_within_bounds() -> None:
    config = canonical(
        {"hidden": 64, "text": "x" * 500, "none": None, **dict.fromkeys(map(str, range(999)), 1)}
    )
    assert config["hidden"] == 64
    assert "text" not in config
    assert "none" not in config
    assert len(config) == 200


def test_files_beside_a_log(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(
        json.dumps({"lr": 0.1, "clip": None, "opt": {"eps": 1e-6}})
    )
    (tmp_path / "args.yaml").write_text("lr: 0.5\nbatch: 16\nweight_decay: 5e-4\n")
    (tmp_path / "ds_config_zero2.json").write_text('{"bf16": {"enabled": true}}')
    found, notes = config_beside(tmp_path)
    assert notes == ()
    config = canonical(found)
    assert config["lr"] == 0.1
    assert config["clip"] == 0.0
    assert config["eps"] == 1e-6
    assert config["batch_size"] == 16
    assert config["weight_decay"] == 5e-4
    assert config["precision"] == "bf16"


def test_python_tags_give_plain_values(tmp_path: Path) -> None:
    (tmp_path / "hparams.yaml").write_text(
        "betas: !!python/tuple\n- 0.9\n- 0.95\nlr: 0.01\n"
        "model: !!python/object:os.system {command: 'touch made'}\n"
        "call: !!python/object/apply:os.system ['touch made']\nkind: !custom word\n"
    )
    found, notes = config_beside(tmp_path)
    assert notes == ()
    assert canonical(found)["beta2"] == 0.95
    assert found["kind"] == "word"
    assert not Path("made").exists()


def test_an_unhydrated_interpolation_stays_text(tmp_path: Path) -> None:
    (tmp_path / ".hydra").mkdir()
    (tmp_path / ".hydra" / "config.yaml").write_text("lr: 0.3\npath: ${oc.env:HOME}\n")
    assert canonical(config_beside(tmp_path)[0])["lr"] == 0.3


LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} {{{', '.join(f'k{j}: *{chr(97 + i)}' for j in range(9))}}}\n"
    for i in range(12)
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.json", "{"),
        ("config.json", "[1, 2]"),
        ("config.json", "[" * 100_000),
        ("config.json", '{"a": ' + "1" * 10_000 + "}"),
        ("config.json", "\x00\xff"),
        ("args.yaml", "a: [unclosed"),
        ("args.yaml", "[" * 5_000),
        ("args.yaml", "? {a: 1}\n: 2\n"),
        ("args.yaml", "a: !!timestamp nonsense"),
        ("args.yaml", "a: !!binary '%%%'"),
        ("args.yaml", "x: " + "y" * 300_000),
        ("args.yaml", LAUGHS),
    ],
)
def test_bad_files_are_survived(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    start = time.process_time()
    found, notes = config_beside(tmp_path)
    assert time.process_time() - start < 3
    assert len(found) <= 2_000
    assert notes or found


def test_a_config_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").mkdir()
    assert config_beside(tmp_path) == ({}, ())
