"""Settings that differ between two runs: the telling ones first, nothing private."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from spikedoc.comparison.result import Change, SettingDifference
from spikedoc.model.run import ConfigValue

Config = Mapping[str, ConfigValue]

# Settings that change what is learned, the most telling first: canonical keys of `Run.config`.
TELLING: Final = (
    *("lr", "beta1", "beta2", "momentum", "eps", "weight_decay", "clip", "batch_size"),
    *("accumulation", "precision", "seed", "world_size", "optimizer", "schedule"),
    *("warmup_steps", "total_steps", "epochs", "steps_per_epoch", "label_smoothing", "shuffle"),
    *("num_classes", "framework"),
)
# Names of what is private, or says where a run lay and not what it was.
PRIVATE: Final = re.compile(
    r"secret|passw|token(?!iz|_?s\b|s_)|api_?key|access_?key|credential|auth|user|host|e_?mail|"
    r"(?:^|[_./])(?:key|dir|path|file|url|uri|address|ip|port|name|id|date|time)s?$|"
    r"output_dir|run_name|logging_dir|wandb|project|entity|timestamp|hub_",
    re.IGNORECASE,
)
# Values that are a place in a file system or in the web, or long enough to hold anything.
PLACE: Final = re.compile(r"[/\\~@]|://|^[A-Za-z]:")
LONGEST: Final = 40
# Differences told; a run of another project differs in everything.
MOST: Final = 40
SAME_NUMBER: Final = 1e-9
# What each setting is an experiment in.
CHANGES: Final[Mapping[str, Change]] = {
    "precision": Change.PRECISION,
    "world_size": Change.DEVICES,
    "batch_size": Change.BATCH,
    "accumulation": Change.BATCH,
    "seed": Change.SEED,
    "lr": Change.LR,
    "shuffle": Change.DATA,
}
# Names of settings that cut the training set to a few samples, or choose the data.
SAMPLES: Final = re.compile(
    r"(?:^|[_./])(?:max|num|n|limit|train)_?(?:train_)?(?:samples|examples|subset|size)$|"
    r"overfit_batches|limit_train_batches|max_train_samples|subset"
)
DATA: Final = re.compile(r"data_?seed|dataset|data_?order|sampler|skip_batches|exclude")
# Follow from others, and are no experiment of their own.
FOLLOWS: Final = frozenset(
    {"steps_per_epoch", "total_steps", "epochs", "warmup_steps", "framework", "eval_every"}
)


def setting_differences(a: Config, b: Config) -> tuple[SettingDifference, ...]:
    """Return the settings that both runs recorded and that differ."""
    found = [
        SettingDifference(key, a[key], b[key], key in TELLING)
        for key in a
        if key in b and _is_showable(key, a[key], b[key]) and _differ(a[key], b[key])
    ]
    return tuple(sorted(found, key=_place)[:MOST])


def _place(difference: SettingDifference) -> tuple[int, str]:
    rank = TELLING.index(difference.key) if difference.telling else len(TELLING)
    return rank, difference.key


def only_recorded(a: Config, b: Config) -> tuple[str, ...]:
    """Return the telling settings that A recorded and B did not, in their order."""
    return tuple(key for key in TELLING if key in a and key not in b)


def _is_showable(key: str, *values: ConfigValue) -> bool:
    if key not in TELLING and PRIVATE.search(key):
        return False
    words = [value for value in values if isinstance(value, str)]
    return all(len(word) <= LONGEST and not PLACE.search(word) for word in words)


def _differ(a: ConfigValue, b: ConfigValue) -> bool:
    numbers = [v for v in (a, b) if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) == 2:
        return not math.isclose(numbers[0], numbers[1], rel_tol=SAME_NUMBER)
    return a != b


def change_of(differences: tuple[SettingDifference, ...]) -> Change | None:
    """Return the one thing that the settings say was changed, None when it is several or unclear.

    No difference at all is a repeat.
    """
    kinds = {_change(one.key) for one in differences if one.key not in FOLLOWS}
    if not kinds:
        return Change.REPEAT
    return kinds.pop() if len(kinds) == 1 else None


def _change(key: str) -> Change | None:
    if key in CHANGES:
        return CHANGES[key]
    if SAMPLES.search(key):
        return Change.SAMPLES
    return Change.DATA if DATA.search(key) else None


def effective_batch(config: Config) -> float | None:
    """Return samples per update, None where the batch size was not recorded."""
    size = _number(config, "batch_size")
    if size is None:
        return None
    return size * (_number(config, "accumulation") or 1.0) * (_number(config, "world_size") or 1.0)


def _number(config: Config, key: str) -> float | None:
    value = config.get(key)
    return float(value) if isinstance(value, int | float) and value > 0 else None
