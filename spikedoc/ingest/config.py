"""Settings of a run, from what lies beside its log, under canonical keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from spikedoc.ingest.epochs import steps_per_epoch
from spikedoc.ingest.notes import EPOCH_LENGTH, OPTIMIZER
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Run
from spikedoc.text import Text

# Bounds: a configuration is short; a dataset dumped into one is not.
MOST_KEYS: Final = 200
LONGEST_VALUE: Final = 200
Raw = Mapping[str, object]
_OFF: Final = frozenset({"", "none", "null", "off", "no", "false", "disabled"})
# Names of optimizers, the longer ones first: "adamw_torch_fused" is an adamw.
_OPTIMIZERS: Final = (
    "adamw", "adamax", "nadam", "radam", "adafactor", "adagrad", "adadelta", "adan", "adam", "lamb",
    "lars", "lion", "sophia", "shampoo", "soap", "muon", "rmsprop", "sgd", "ftrl",
)  # fmt: skip


# Lightning's monitor writes the optimizer into the tag of the learning rate.
_LR_OPTIMIZER: Final = re.compile(r"lr-([A-Za-z]+)(?:[-/].*)?")


def canonical(raw: Raw) -> dict[str, ConfigValue]:
    """Return the settings under canonical keys, then the other scalars under their own names.

    `raw` has flat keys joined by `/` or `.`; None means that the setting is listed without a value.
    """
    last = _by_last_part(raw)
    config: dict[str, ConfigValue] = {}
    for key, (names, convert) in CANONICAL.items():
        found = (convert(last[name]) for name in names if name in last)
        value = next((value for value in found if value is not None), None)
        if value is not None:
            config[key] = value
    _drop_doubtful(raw, last, config)
    _take_betas(last, config)
    _take_precision(last, config)
    for name, setting in raw.items():
        if len(config) >= MOST_KEYS:
            break
        if name not in config and name not in _RENAMED and _is_short_scalar(setting):
            config[name] = setting  # type: ignore[assignment]
    return config


def bounded(config: Mapping[str, ConfigValue]) -> dict[str, ConfigValue]:
    """Return the settings with the canonical ones first, no more than `MOST_KEYS`."""
    known = {key: config[key] for key in (*CANONICAL, "precision") if key in config}
    return dict(list((known | dict(config)).items())[:MOST_KEYS])


def _is_short_scalar(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_VALUE
    return isinstance(value, bool | int | float)


def inferred(
    run: Run, config: Mapping[str, ConfigValue]
) -> tuple[dict[str, ConfigValue], tuple[Text, ...]]:
    """Return settings that only the series tell, and a note on each."""
    found: dict[str, ConfigValue] = {}
    notes: list[Text] = []
    lr = run.get(Metric.LR)
    match = _LR_OPTIMIZER.fullmatch(lr.tag) if lr is not None else None
    known = _optimizer(match.group(1)) if match else None
    if known is not None and "optimizer" not in config and lr is not None:
        found["optimizer"] = known
        notes.append(OPTIMIZER.fill({"name": known, "tag": lr.tag}))
    length = steps_per_epoch(run) if "steps_per_epoch" not in config else None
    if length is not None:
        found["steps_per_epoch"] = length
        notes.append(EPOCH_LENGTH.fill({"length": length}))
    return found, tuple(notes)


def _by_last_part(raw: Raw) -> dict[str, object]:
    """Settings by the last part of their name; the least nested one wins."""
    found: dict[str, object] = {}
    for key in sorted(raw, key=lambda key: len(re.split(r"[/.]", key))):
        parts = [part for part in re.split(r"[/.]", key) if part]
        name = (parts[-1] if parts else key).lower().replace("-", "_")
        if name == "value" and len(parts) > 1:
            name = parts[-2].lower()
        found.setdefault(name, raw[key])
        if len(parts) > 1:  # "fp16/enabled" is a setting of its own
            found.setdefault(f"{parts[-2]}_{parts[-1]}".lower(), raw[key])
    return found


def _number(value: object) -> float | int | None:
    """The value as a number; text such as 1e-4, which YAML leaves as text, included."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value if abs(value) < 1e300 else None
    if isinstance(value, str) and len(value) < LONGEST_VALUE:
        try:
            number = float(value)
        except ValueError:
            return None
        return int(number) if value.strip().isdigit() else number
    return None


def _positive(value: object) -> float | int | None:
    number = _number(value)
    return number if number is not None and number > 0 else None


def _count(value: object) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 0 and number == number // 1 else None


def _positive_count(value: object) -> int | None:
    return _count(value) or None


def _batches(value: object) -> int | None:
    """A count; Composer writes its unit behind it, `100ba` for batches."""
    if isinstance(value, str):
        value = value.strip().removesuffix("ba")
    return _count(value)


def _positive_batches(value: object) -> int | None:
    return _batches(value) or None


def _flag(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    words = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
    return words.get(str(value).lower()) if isinstance(value, str | int) else None


def _clip(value: object) -> float | None:
    """The threshold; 0.0 when the setting is listed and switched off."""
    if value is None or value is False or (isinstance(value, str) and value.lower() in _OFF):
        return 0.0
    number = _number(value)
    return max(0.0, float(number)) if number is not None else None


def _optimizer(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    name = value.lower().replace("_", "").replace("-", "")
    return next((known for known in _OPTIMIZERS if known in name), None)


def _word(value: object) -> str | None:
    return value.lower() if isinstance(value, str) and 0 < len(value) <= LONGEST_VALUE else None


def _schedule(value: object) -> str | None:
    """The name of the schedule, without the module it lives in; not a reference to another key."""
    word = _word(value)
    return None if word is None or "${" in word else word.rpartition(".")[2] or None


Convert = Callable[[object], ConfigValue | None]
# Canonical key → names it goes by (the first one present wins), and how to read the value.
CANONICAL: Final[dict[str, tuple[tuple[str, ...], Convert]]] = {
    "optimizer": (("optimizer", "optim", "opt", "optimizer_name", "optimizer_type",
                   "optimizer_class", "optimizer__component_", "optimizer__target_",
                   "optimizer_class_path", "optimizer__name", "optimizer_factory_name", "algo"),
                  _optimizer),
    "lr": (("lr", "learning_rate", "base_lr", "lr0", "max_lr", "peak_lr", "init_lr",
            "initial_lr"), _positive),
    "beta1": (("beta1", "adam_beta1", "b1", "adam_b1", "beta_1"), _positive),
    "beta2": (("beta2", "adam_beta2", "b2", "adam_b2", "beta_2"), _positive),
    "momentum": (("momentum", "sgd_momentum"), _number),
    "eps": (("eps", "epsilon", "adam_eps", "adam_epsilon", "opt_eps"), _positive),
    "weight_decay": (("weight_decay", "wd", "l2", "decay"), _number),
    "clip": (("max_grad_norm", "clip_grad", "grad_clip", "gradient_clip_val", "gradient_clipping",
              "clip_norm", "clip_grad_norm", "gradient_clipping_threshold", "grad_clip_norm",
              "grad_norm_clip", "clipping_threshold", "clip", "max_norm", "clip_value"), _clip),
    "batch_size": (("global_batch_size", "train_batch_size", "total_train_batch_size", "batch_size",
                    "batch", "ims_per_batch", "global_train_batch_size", "batch_size_per_card",
                    "per_device_train_batch_size", "micro_batch_size"),
                   _positive_count),
    "accumulation": (("gradient_accumulation_steps", "accumulate_grad_batches", "accum",
                      "accum_iter", "grad_accum", "accum_grad", "accumulation", "update_freq",
                      "batch_accumulation_per_replica"), _positive_count),
    "warmup_steps": (("warmup_steps", "num_warmup_steps", "warmup_iters", "lr_warmup_iters",
                      "lr_warmup_steps", "warmup_updates", "t_warmup", "warmup"), _batches),
    "schedule": (("lr_scheduler_type", "lr_scheduler", "scheduler", "sched", "schedule",
                  "lr_decay_style", "lr_scheduler_name", "scheduler_type", "scheduler_name",
                  "lr_scheduler__component_", "lr_scheduler__target_", "scheduler__target_",
                  "lr_scheduler_class_path", "lr_scheduler__name", "param_scheduler_type",
                  "lr_name"), _schedule),
    "total_steps": (("max_steps", "total_steps", "train_iters", "max_iters", "num_steps",
                     "max_iter", "num_train_steps", "steps", "total_iters", "iterations",
                     "max_updates", "max_update", "train_steps", "max_duration"),
                    _positive_batches),
    "epochs": (("num_train_epochs", "epochs", "max_epochs", "num_epochs", "n_epochs", "max_epoch",
                "train_epochs", "epoch_num"), _positive),
    "steps_per_epoch": (("steps_per_epoch", "num_iterations_per_epoch"), _positive),
    "num_classes": (("num_classes", "n_classes", "nc", "num_labels", "nb_classes"),
                    _positive_count),
    "label_smoothing": (("label_smoothing", "label_smoothing_factor", "smoothing"), _number),
    "seed": (("seed", "random_seed", "manual_seed", "rng_seed"), _count),
    "shuffle": (("shuffle", "shuffle_train"), _flag),
    "eval_every": (("eval_every", "eval_interval", "eval_steps", "eval_freq", "val_check_interval",
                    "validate_interval", "eval_period"), _positive),
    "save_every": (("save_every", "save_steps", "save_interval", "checkpoint_interval",
                    "save_period", "checkpoint_period"), _positive),
    "logging_every": (("logging_steps", "log_interval", "log_every", "log_every_n_steps",
                       "logging_every", "console_log_interval"), _positive),
    "nan_filter": (("logging_nan_inf_filter", "nan_filter"), _flag),
    "world_size": (("world_size", "num_gpus", "n_gpus", "n_gpu", "num_devices"), _positive_count),
    "framework": (("framework",), _word),
}  # fmt: skip
# Names that need not be listed again beside their canonical key.
_RENAMED: Final = frozenset(name for names, _ in CANONICAL.values() for name in names)


# Settings that say whether a gradient is clipped at all, and by what.
_CLIP_SWITCHES: Final = ("clip_gradients_enabled", "gradient_clipping_enabled")
_CLIP_KINDS: Final = (
    "clip_type", "clip_mode", "gradient_clip_algorithm", "clipping_type",
)  # fmt: skip


def _drop_doubtful(raw: Raw, last: Mapping[str, object], config: dict[str, ConfigValue]) -> None:
    """Take back what other settings contradict: a switch that is off, clipping of single values.

    Also a number of classes of which the file holds several.
    """
    if any(_flag(last.get(name)) is False for name in _CLIP_SWITCHES):
        config["clip"] = 0.0
    elif any(str(last.get(name, "norm")).lower() not in ("norm", "none") for name in _CLIP_KINDS):
        config.pop("clip", None)
    classes = {
        value
        for key, value in raw.items()
        if re.split(r"[/.]", key)[-1].lower() == "num_classes" and isinstance(value, int)
    }
    if len(classes) > 1:
        config.pop("num_classes", None)


def _take_betas(last: Mapping[str, object], config: dict[str, ConfigValue]) -> None:
    for name in ("betas", "adam_betas", "opt_betas", "optimizer_betas"):
        value = last.get(name)
        if isinstance(value, str):
            value = re.findall(r"\d*\.?\d+(?:e-?\d+)?", value[:LONGEST_VALUE])
        if isinstance(value, list | tuple) and len(value) == 2:
            for key, beta in zip(("beta1", "beta2"), value, strict=True):
                number = _positive(beta)
                if number is not None:
                    config.setdefault(key, number)


def _take_precision(last: Mapping[str, object], config: dict[str, ConfigValue]) -> None:
    """Precision from whatever switch the framework has for it."""
    for name in ("precision", "mixed_precision", "amp_dtype", "dtype", "compute_dtype"):
        word = _precision_word(last.get(name))
        if word and (name != "amp_dtype" or _flag(last.get("amp")) is not False):
            config["precision"] = word
            return
    if "amp" in str(last.get("optim_wrapper_type", "")).lower():
        config["precision"] = "fp16"
        return
    flags = {name: last[name] for name in ("bf16", "fp16", "use_fp16") if name in last}
    flags |= {n.split("_")[0]: last[n] for n in ("bf16_enabled", "fp16_enabled") if n in last}
    for name, value in flags.items():
        if _flag(value):
            config["precision"] = "bf16" if name == "bf16" else "fp16"
            return
    switches = ("amp", "use_amp", "amp_enabled")
    amp = next((_flag(last[n]) for n in switches if n in last), None)
    if amp:
        config["precision"] = "fp16"
    elif amp is False or (flags and all(_flag(value) is False for value in flags.values())):
        config["precision"] = "fp32"


def _precision_word(value: object) -> str | None:
    text = (
        str(value).lower() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    )
    if "bf16" in text or "bfloat16" in text:
        return "bf16"
    if "16" in text or text == "half":
        return "fp16"
    if "32" in text or text in ("no", "full", "float", "64"):
        return "fp32"
    return None
