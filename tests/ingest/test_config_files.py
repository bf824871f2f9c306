"""Settings as frameworks leave them beside a log, brought under one set of keys."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from spikedoc.ingest.config import canonical
from spikedoc.ingest.config_files import config_beside
from spikedoc.model.run import ConfigValue
from tests.notes import english

# name of the case → file, its text, what must be known, what must stay unknown
SOURCES: dict[str, tuple[str, str, dict[str, ConfigValue], tuple[str, ...]]] = {
    "deepspeed": (
        "ds_config_zero2.json",
        """{"train_batch_size": 256, "gradient_accumulation_steps": "auto",
        "gradient_clipping": 1.0,
        "optimizer": {"type": "AdamW",
                      "params": {"lr": 3e-5, "betas": [0.9, 0.95], "eps": 1e-8,
                                 "weight_decay": 0.1}},
        "fp16": {"enabled": true, "loss_scale": 0, "initial_scale_power": 16},
        "zero_optimization": {"stage": 2}}""",
        {
            "optimizer": "adamw", "lr": 3e-5, "beta1": 0.9, "beta2": 0.95, "eps": 1e-8,
            "clip": 1.0, "batch_size": 256, "precision": "fp16", "weight_decay": 0.1,
            "fp16/initial_scale_power": 16,
        },
        ("accumulation",),
    ),
    "deepspeed, all left to the trainer": (
        "ds_config.json",
        """{"train_batch_size": "auto", "gradient_clipping": "auto",
        "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto", "eps": "auto"}},
        "fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}}""",
        {"optimizer": "adamw"},
        ("lr", "clip", "batch_size", "beta1", "eps", "precision"),
    ),
    "lightning": (
        "hparams.yaml",
        "lr: 0.001\nbetas: !!python/tuple\n- 0.9\n- 0.98\n"
        "act: !!python/name:torch.nn.functional.relu ''\n",
        {"lr": 0.001, "beta2": 0.98},
        ("optimizer",),
    ),
    "lightning command line": (
        "config.yaml",
        """seed_everything: 3
trainer:
  precision: 16-mixed
  gradient_clip_val: 0.5
  gradient_clip_algorithm: norm
  max_epochs: 7
  accumulate_grad_batches: 4
optimizer:
  class_path: torch.optim.Adam
  init_args:
    lr: 0.0005
""",
        {
            "precision": "fp16", "clip": 0.5, "epochs": 7, "accumulation": 4, "optimizer": "adam",
            "lr": 0.0005,
        },
        (),
    ),
    "hydra": (
        ".hydra/config.yaml",
        """optimizer:
  _target_: torch.optim.SGD
  lr: ${base.lr}
  momentum: 0.9
scheduler:
  _target_: torch.optim.lr_scheduler.CosineAnnealingLR
trainer: {max_steps: 1000, grad_clip: 0}
""",
        {
            "optimizer": "sgd", "momentum": 0.9, "schedule": "cosineannealinglr",
            "total_steps": 1000, "clip": 0.0,
        },
        ("lr",),
    ),
    "fairseq": (
        ".hydra/config.yaml",
        """optimization: {max_update: 50000, clip_norm: 0.1, lr: [0.0005], update_freq: [8]}
optimizer: {_name: adam, adam_betas: '(0.9, 0.98)', adam_eps: 1.0e-06}
lr_scheduler: {_name: inverse_sqrt, warmup_updates: 4000}
common: {fp16: true, seed: 2}
""",
        {
            "total_steps": 50000, "clip": 0.1, "lr": 0.0005, "accumulation": 8,
            "optimizer": "adam", "beta2": 0.98, "eps": 1e-6, "schedule": "inverse_sqrt",
            "warmup_steps": 4000, "precision": "fp16", "seed": 2,
        },
        (),
    ),
    "detectron2": (
        "config.yaml",
        """MODEL:
  ROI_HEADS: {NUM_CLASSES: 80}
  SEM_SEG_HEAD: {NUM_CLASSES: 54}
SOLVER:
  BASE_LR: 0.02
  IMS_PER_BATCH: 16
  MAX_ITER: 90000
  WARMUP_ITERS: 1000
  MOMENTUM: 0.9
  LR_SCHEDULER_NAME: WarmupMultiStepLR
  CHECKPOINT_PERIOD: 5000
  AMP: {ENABLED: false}
  CLIP_GRADIENTS: {CLIP_TYPE: value, CLIP_VALUE: 1.0, ENABLED: false, NORM_TYPE: 2.0}
TEST: {EVAL_PERIOD: 2500}
""",
        {
            "lr": 0.02, "batch_size": 16, "total_steps": 90000, "warmup_steps": 1000,
            "momentum": 0.9, "schedule": "warmupmultisteplr", "save_every": 5000,
            "eval_every": 2500, "clip": 0.0, "precision": "fp32",
        },
        ("num_classes", "optimizer"),
    ),
    "timm": (
        "args.yaml",
        "opt: adamw\nopt_eps: 1.0e-06\nopt_betas:\n- 0.9\n- 0.999\nlr: 0.003\n"
        "clip_grad: 1.0\nclip_mode: norm\namp: true\namp_dtype: bfloat16\nepochs: 300\n"
        "sched: cosine\nsmoothing: 0.1\nnum_classes: 1000\n",
        {
            "optimizer": "adamw", "eps": 1e-6, "beta2": 0.999, "lr": 0.003, "clip": 1.0,
            "precision": "bf16", "epochs": 300, "schedule": "cosine", "label_smoothing": 0.1,
            "num_classes": 1000,
        },
        (),
    ),
    "timm, each value clipped": (
        "args.yaml",
        "clip_grad: 0.01\nclip_mode: agc\n",
        {},
        ("clip",),
    ),
    "timm, nothing clipped": (
        "args.yaml",
        "opt: sgd\nclip_grad: null\nclip_mode: norm\n",
        {"clip": 0.0},
        (),
    ),
    "espnet": (
        "config.yaml",
        "optim: adam\noptim_conf:\n    lr: 0.002\nscheduler: warmuplr\nscheduler_conf:\n"
        "    warmup_steps: 25000\ngrad_clip: 5.0\naccum_grad: 2\nuse_amp: true\n"
        "max_epoch: 70\n",
        {
            "optimizer": "adam", "lr": 0.002, "schedule": "warmuplr", "warmup_steps": 25000,
            "clip": 5.0, "accumulation": 2, "precision": "fp16", "epochs": 70,
        },
        (),
    ),
    "nnunet": (
        "debug.json",
        """{"initial_lr": "0.01", "num_epochs": "1000", "num_iterations_per_epoch": "250",
        "optimizer": "SGD (\\nParameter Group 0\\n    lr: 0.01\\n)",
        "weight_decay": "3e-05"}""",
        {
            "lr": 0.01, "epochs": 1000, "steps_per_epoch": 250, "optimizer": "sgd",
            "weight_decay": 3e-5,
        },
        ("clip",),
    ),
    "torchtune": (
        "torchtune_config.yaml",
        """optimizer: {_component_: torch.optim.AdamW, lr: 2e-5, fused: true}
lr_scheduler: {_component_: torchtune.training.get_cosine_schedule_with_warmup,
               num_warmup_steps: 100}
clip_grad_norm: null
dtype: bf16
batch_size: 2
gradient_accumulation_steps: 8
epochs: 1
""",
        {
            "optimizer": "adamw", "lr": 2e-5, "schedule": "get_cosine_schedule_with_warmup",
            "warmup_steps": 100, "clip": 0.0, "precision": "bf16", "batch_size": 2,
            "accumulation": 8, "epochs": 1,
        },
        (),
    ),
    "litgpt": (
        "hyperparameters.yaml",
        """precision: bf16-true
train: {global_batch_size: 512, micro_batch_size: 4, lr_warmup_steps: 2000, max_norm: 1.0,
        save_interval: 1000, log_interval: 1}
optimizer: {class_path: torch.optim.AdamW, init_args: {lr: 0.0004, betas: [0.9, 0.95]}}
seed: 42
""",
        {
            "precision": "bf16", "batch_size": 512, "warmup_steps": 2000, "clip": 1.0,
            "save_every": 1000, "logging_every": 1, "optimizer": "adamw", "lr": 0.0004,
            "beta2": 0.95, "seed": 42,
        },
        (),
    ),
    "olmo": (
        "config.yaml",
        """optimizer: {name: adamw, learning_rate: 3.0e-4, weight_decay: 0.1, betas: [0.9, 0.95]}
scheduler: {name: cosine_with_warmup, t_warmup: 5000}
max_duration: 739328
global_train_batch_size: 2048
max_grad_norm: 1.0
precision: amp_bf16
console_log_interval: 1
""",
        {
            "optimizer": "adamw", "lr": 3e-4, "schedule": "cosine_with_warmup",
            "warmup_steps": 5000, "total_steps": 739328, "batch_size": 2048, "clip": 1.0,
            "precision": "bf16", "logging_every": 1,
        },
        (),
    ),
    "llm-foundry, the only one of its kind": (
        "mpt-125m.yaml",
        """optimizer: {name: decoupled_adamw, lr: 6.0e-4, betas: [0.9, 0.95]}
scheduler: {name: cosine_with_warmup, t_warmup: 100ba}
max_duration: 4800ba
algorithms: {gradient_clipping: {clipping_type: norm, clipping_threshold: 1.0}}
""",
        {
            "optimizer": "adamw", "lr": 6e-4, "warmup_steps": 100, "total_steps": 4800,
            "clip": 1.0,
        },
        (),
    ),
    "llm-foundry, by epochs": (
        "mpt.yaml", "lr: 1\nmax_duration: 2ep\n", {"lr": 1}, ("total_steps",),
    ),
    "nanotron": (
        "config.yaml",
        """optimizer:
  optimizer_factory: {adam_beta1: 0.9, adam_beta2: 0.95, adam_eps: 1.0e-08, name: adamW}
  clip_grad: 1.0
  learning_rate_scheduler: {learning_rate: 0.0003, lr_warmup_steps: 2, lr_decay_style: cosine}
tokens: {micro_batch_size: 2, train_steps: 15, batch_accumulation_per_replica: 3}
model: {dtype: bfloat16}
checkpoints: {checkpoint_interval: 10}
""",
        {
            "optimizer": "adamw", "beta2": 0.95, "eps": 1e-8, "clip": 1.0, "lr": 0.0003,
            "warmup_steps": 2, "schedule": "cosine", "total_steps": 15, "accumulation": 3,
            "precision": "bf16", "save_every": 10,
        },
        (),
    ),
    "ultralytics": (
        "args.yaml",
        "optimizer: auto\nlr0: 0.01\nlrf: 0.01\nmomentum: 0.937\nbatch: 16\nepochs: 100\n"
        "amp: true\nsave_period: -1\nnbs: 64\n",
        {"lr": 0.01, "momentum": 0.937, "batch_size": 16, "epochs": 100, "precision": "fp16",
         "nbs": 64},
        ("optimizer", "save_every", "clip"),
    ),
    "mmengine": (
        "vis_data/config.py",
        """import os
model = dict(type='FasterRCNN', bbox_head=dict(num_classes=20))
optim_wrapper = dict(
    type='AmpOptimWrapper', loss_scale='dynamic',
    optimizer=dict(type='AdamW', lr=0.0001, betas=(0.9, 0.999), weight_decay=0.05),
    clip_grad=dict(max_norm=35, norm_type=2))
param_scheduler = [
    dict(type='LinearLR', start_factor=0.001, by_epoch=False, begin=0, end=500),
    dict(type='CosineAnnealingLR', T_max=12)]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=12, val_interval=1)
train_dataloader = dict(batch_size=2, num_workers=4)
randomness = dict(seed=7)
work_dir = os.path.join('a', 'b')
""",
        {
            "optimizer": "adamw", "lr": 1e-4, "beta2": 0.999, "clip": 35.0, "precision": "fp16",
            "schedule": "cosineannealinglr", "epochs": 12, "batch_size": 2, "seed": 7,
            "num_classes": 20, "weight_decay": 0.05,
        },
        ("work_dir",),
    ),
    "mmcv, beside its log": (
        "faster_rcnn.py",
        "model = dict(type='A')\noptimizer = dict(type='SGD', lr=0.02, momentum=0.9)\n"
        "optimizer_config = dict(grad_clip=None)\nlr_config = dict(policy='step')\n",
        {"optimizer": "sgd", "lr": 0.02, "momentum": 0.9, "clip": 0.0},
        (),
    ),
    "a program": (
        "train.py", "lr = 0.1\noptimizer = 'sgd'\nprint(lr)\n", {}, ("lr", "optimizer"),
    ),
    "stable-baselines3 zoo": (
        "args.yml",
        "!!python/object/apply:collections.OrderedDict\n- - - algo\n    - ppo\n"
        "  - - seed\n    - 5\n  - - learning_rate\n    - 0.0003\n",
        {"seed": 5, "lr": 0.0003},
        (),
    ),
    "axolotl": (
        "axolotl_config.yml",
        "optimizer: adamw_bnb_8bit\nlr_scheduler: cosine\nlearning_rate: 0.0002\nbf16: auto\n"
        "micro_batch_size: 2\nnum_epochs: 4\n",
        {
            "optimizer": "adamw", "schedule": "cosine", "lr": 0.0002, "batch_size": 2,
            "epochs": 4,
        },
        ("precision",),
    ),
    "paddleocr": (
        "config.yml",
        """Global: {epoch_num: 500, use_amp: true}
Optimizer: {name: Adam, beta1: 0.9, beta2: 0.999,
            lr: {name: Cosine, learning_rate: 0.001, warmup_epoch: 2}}
Train: {loader: {batch_size_per_card: 8, shuffle: true}}
""",
        {
            "epochs": 500, "precision": "fp16", "optimizer": "adam", "beta1": 0.9,
            "lr": 0.001, "schedule": "cosine", "batch_size": 8, "shuffle": True,
        },
        (),
    ),
    "wandb": (
        "files/config.yaml",
        "lr:\n  desc: null\n  value: 0.25\n_wandb:\n  value: {python_version: 3.11}\n",
        {"lr": 0.25},
        (),
    ),
    "swanlab": (
        "files/config.yaml",
        "lr:\n  desc: ''\n  sort: 0\n  value: 0.25\n"
        "opt:\n  desc: ''\n  sort: 1\n  value: {name: adamw}\n",
        {"lr": 0.25, "opt/name": "adamw"},
        ("sort", "desc", "lr/sort", "lr/desc", "opt/sort", "opt/desc", "opt/value/name"),
    ),
    "settings of their own called value and sort": (
        "config.yaml",
        "decoder: {value: 3, sort: true}\n",
        {"decoder/value": 3, "decoder/sort": True},
        (),
    ),
    "dvc": (
        "params.yaml",
        "train: {lr: 0.002, optimizer: SGD, momentum: 0.9}\nprepare: {seed: 5}\n",
        {"lr": 0.002, "optimizer": "sgd", "momentum": 0.9, "seed": 5},
        (),
    ),
    "model card of the trainer": (
        "README.md",
        """# my-model
### Training hyperparameters
The following hyperparameters were used during training:
- learning_rate: 5e-05
- train_batch_size: 8
- seed: 42
- optimizer: Use adamw_torch with betas=(0.9,0.999) and epsilon=1e-08
- lr_scheduler_type: linear
- num_epochs: 3.0
## Results
- learning_rate: 9
""",
        {
            "lr": 5e-5, "batch_size": 8, "seed": 42, "optimizer": "adamw", "beta2": 0.999,
            "eps": 1e-8, "schedule": "linear", "epochs": 3.0,
        },
        (),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SOURCES)
def test_settings_of_a_framework(case: str, tmp_path: Path) -> None:
    name, text, known, unknown = SOURCES[case]
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    found = canonical(config_beside(tmp_path)[0])
    assert {key: found.get(key) for key in known} == known
    assert [key for key in unknown if key in found] == []


def test_python_is_never_run(tmp_path: Path) -> None:
    file = tmp_path / "config.py"
    mark = tmp_path / "mark"
    call = f"open({str(mark)!r}, 'w').write('x')"
    file.write_text(f"model = dict()\noptim_wrapper = dict(lr={call})\nbase_lr = 0.5\n{call}\n")
    found = config_beside(tmp_path)[0]
    assert not mark.exists()
    assert found["base_lr"] == 0.5
    assert "config" not in sys.modules


@pytest.mark.parametrize(
    "text",
    ["", "model = (", "\x00", "model = " + "(" * 500, "model = " + "dict(a=" * 300, "=" * 5000],
)
def test_bad_python_is_no_config(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text(text)
    assert config_beside(tmp_path)[0] == {}


def test_one_of_several_unnamed_files_is_not_picked(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("lr: 1\n")
    assert config_beside(tmp_path) == ({}, ())


def test_a_lone_file_about_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "dataset.yaml").write_text("names: [cat, dog, bird]\nseed: 3\n")
    assert config_beside(tmp_path) == ({}, ())


@pytest.mark.parametrize(
    "line",
    [
        "foo: !!bool maybe",
        "foo: !!int ''",
        "foo: !!float ''",
        "foo: " + "1:" + "10:" * 300 + "10.5",
        "foo: 0x" + "f" * 5000,
        "0x" + "f" * 5000 + ": 1",
    ],
)
def test_yaml_that_its_parser_stumbles_over(tmp_path: Path, line: str) -> None:
    (tmp_path / "hparams.yaml").write_text(f"lr: 0.1\n{line}\n")
    found, notes = config_beside(tmp_path)
    assert found == {}
    assert english(notes) == ("hparams.yaml could not be read as configuration",)


def test_faulty_python_settings_open_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser shows the faulty line from the file of the name that it was given."""
    looked_at: list[object] = []
    watching = [True]  # a hook cannot be taken away again

    def look(event: str, given: tuple[object, ...]) -> None:
        if watching and event == "open":
            looked_at.append(given[0])

    sys.addaudithook(look)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vis_data").mkdir()
    (tmp_path / "vis_data" / "config.py").write_text("lr = 0.1\nmodel = dict(a=\nx 'y\n")
    found, _ = config_beside(tmp_path)
    watching.clear()
    assert found == {}
    own = {os.devnull, *map(str, tmp_path.rglob("*"))}
    assert {str(name) for name in looked_at if not isinstance(name, int)} <= own


def test_an_endless_number_in_python_settings(tmp_path: Path) -> None:
    (tmp_path / "vis_data").mkdir()
    text = "model=dict(a=1)\noptimizer=dict(type='SGD', lr=0.01)\nfoo=0x" + "f" * 5000
    (tmp_path / "vis_data" / "config.py").write_text(text)
    found, _ = config_beside(tmp_path)
    assert found == {}
