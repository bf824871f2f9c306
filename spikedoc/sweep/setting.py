"""Which setting the runs differ in, by their configs, their names, or the logged rate."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.errors import UsageError, also
from spikedoc.ingest.aliases import plain_name
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Run
from spikedoc.sweep.result import Origin, Setting
from spikedoc.text import Text, listed

Table = Mapping[str, ConfigValue]
SEED: Final = re.compile(r"(?:\w*[._/-])?(?:random_?|manual_?|rng_?|global_?)?seed", re.IGNORECASE)
# Says which run it is, not how it was trained.
_IDENTITY: Final = re.compile(
    r"(?:(?:run|exp|experiment|job|trial|task|display|project|model_run|wandb|log|logger)_?)?"
    r"(?:name|id|uuid|uid|tags?|notes?|comment|group|entity|project|description|version)"
    r"|(?:output|out|log|logging|save|work|run|result|results|exp|experiment|checkpoint|ckpt|cache"
    r"|default_root|tensorboard|tb|wandb|model_save|root)_?(?:dir|path|folder|root|file)s?"
    r"|output|(?:start|end|begin|created|finish)?_?(?:time|timestamp|date|datetime|at)"
    r"|host|hostname|pid|port|user|username|node|url|address|master_addr|master_port|nodelist"
    r"|device|devices|cuda|gpu|gpu_ids?|local_rank|rank|framework|steps_per_epoch|trial|run"
    r"|hp_metric|(?:best|final|val|test|eval)_(?:loss|acc|accuracy|metric|score)"
    r"|(?:resume|resume_from|resume_from_checkpoint|git|commit|git_commit|git_hash|sha|argv|cmd)",
    re.IGNORECASE,
)
_RATE: Final = re.compile(
    r"(?:\w*[._/-])?(?:(?:base|peak|max|init|initial|min|start|end|final|eta)_?)?"
    r"(?:lr0?|lrf|learning_?rate)(?:_?(?:min|max|init|end|final|peak))?|eta_?min",
    re.IGNORECASE,
)
_NUMBER: Final = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_IN_NAME: Final = re.compile(
    rf"(?P<key>[A-Za-z][A-Za-z_]*?)[=_-]?(?P<value>{_NUMBER})(?![\d.A-Za-z])"
    rf"|(?<![\w.])(?P<bare>{_NUMBER})(?![\w.])"
)
_WORD_IN_NAME: Final = re.compile(r"(?P<key>[A-Za-z]\w*)=(?P<value>[A-Za-z][\w.+]*)")
# Names that only count runs, folders and files.
_COUNTERS: Final = frozenset(
    {
        "run", "runs", "exp", "experiment", "version", "v", "part", "trial", "try", "attempt",
        "job", "test", "train", "log", "logs", "step", "steps", "epoch", "checkpoint", "ckpt",
        "rank", "slurm", "id", "no", "nr", "events", "metrics", "fold",
        "copy", "backup", "replica", "replicate", "rep", "repeat", "repetition",
    }
)  # fmt: skip
_SEEDS: Final = frozenset({"seed", "s", "sd"})
# Peaks of the logged rate that differ by less than this are one: three printed digits.
SAME_RATE: Final = 0.005
BARE: Final = "value"
RUN: Final = "run"
NO_SUCH_SETTING: Final = Text(
    "no run has such a setting, in its config or its name", "没有训练在配置或名称中含有该设置"
)
NEAR_SETTINGS: Final = Text("near: {near}", "相近的有：{near}")
NO_SETTINGS: Final = Text("no settings were found", "没有找到任何设置")


@dataclass(frozen=True, slots=True)
class Found:
    """The swept setting, its value in each run, and what else differs, by key."""

    setting: Setting
    values: tuple[ConfigValue | None, ...]
    others: Mapping[str, tuple[ConfigValue | None, ...]]
    seeds: tuple[ConfigValue | None, ...]
    partly: tuple[str, ...] = ()  # settings recorded for some of the runs only


def find_setting(runs: Sequence[Run], by: str | None = None) -> Found:
    """Return what the runs differ in.

    `by` states the key. Raises UsageError when no run has it; without it the learning rate is
    preferred, else the only difference is taken. Where several remain the names of the runs stand
    for the values, and all differences are among the others.
    """
    configs = [_settings(run) for run in runs]
    seeds = _seeds(runs)
    partly = _partly(configs)
    differing = _differing(configs)
    origin = Origin.CONFIG
    if not differing:
        differing, origin = _differing([_from_name(run) for run in runs]), Origin.NAME
    rates = _peaks(runs)
    if by is not None:
        return _stated(by, runs, differing, origin, rates, seeds)
    key = _choice(differing)
    if key is None and not differing and _differs(rates):
        return Found(Setting("lr", Origin.SERIES, is_rate=True), rates, {}, seeds, partly)
    if key is None:
        names = tuple(run.name for run in runs)
        return Found(Setting(RUN, Origin.NAME, is_rate=False), names, differing, seeds, partly)
    setting = Setting(key, origin, is_rate=is_rate(key))
    others = {name: found for name, found in differing.items() if name != key}
    return Found(setting, differing[key], _without_companions(setting, others), seeds, partly)


def is_rate(key: str) -> bool:
    """Return whether the key names a learning rate."""
    return _RATE.fullmatch(key) is not None


def number(value: ConfigValue | None) -> float | None:
    """Return a value as a finite number, text such as 1e-4 included; None for anything else."""
    if value is None or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _stated(
    by: str,
    runs: Sequence[Run],
    differing: Mapping[str, tuple[ConfigValue | None, ...]],
    origin: Origin,
    rates: tuple[ConfigValue | None, ...],
    seeds: tuple[ConfigValue | None, ...],
) -> Found:
    """What differs besides the stated key is what separates one sweep from another."""
    values, found = _values_of(by, runs, rates)
    others = {name: known for name, known in differing.items() if not _same_key(name, by)}
    setting = Setting(by, origin if found is None else found, is_rate=is_rate(by))
    return Found(setting, values, _without_companions(setting, others), seeds)


def _values_of(
    by: str, runs: Sequence[Run], rates: tuple[ConfigValue | None, ...]
) -> tuple[tuple[ConfigValue | None, ...], Origin | None]:
    for origin, tables in (
        (Origin.CONFIG, [dict(run.config) for run in runs]),
        (Origin.NAME, [_from_name(run) for run in runs]),
    ):
        values = tuple(
            next((v for key, v in table.items() if _same_key(key, by)), None) for table in tables
        )
        if any(value is not None for value in values):
            return tuple(map(_plain, values)), origin
    if is_rate(by) and any(rate is not None for rate in rates):
        return rates, Origin.SERIES
    known = sorted({key for run in runs for key in (*run.config, *_from_name(run))})
    import difflib  # only to help after a mistake

    near = difflib.get_close_matches(by, known, 5, cutoff=0.3) or known[:8]
    hint = NEAR_SETTINGS.fill({"near": listed(near)}) if near else NO_SETTINGS
    raise UsageError(also(NO_SUCH_SETTING, hint), at=f"--by {by}")


def _same_key(key: str, by: str) -> bool:
    return plain_name(key) == plain_name(by) or re.split(r"[/.]", key)[-1].lower() == by.lower()


def _settings(run: Run) -> dict[str, ConfigValue]:
    """The settings of training, without those that name the run or its place."""
    kept: dict[str, ConfigValue] = {}
    for key, value in run.config.items():
        last = re.split(r"[/.]", key)[-1]
        if _IDENTITY.fullmatch(last) or SEED.fullmatch(last):
            continue
        kept[key] = _plain(value)  # type: ignore[assignment]
    return kept


def _plain(value: ConfigValue | None) -> ConfigValue | None:
    """Text that is a number as a number, so that 1e-4 and 0.0001 are the same."""
    found = number(value) if isinstance(value, str) else None
    return value if found is None else found


def _from_name(run: Run) -> dict[str, ConfigValue]:
    """Settings spelt in the name of the run, else in the last folders of its path."""
    found = _pairs(run.name)
    if not found:
        for part in reversed(Path(run.path).parts[-3:]):
            found = _pairs(part)
            if found:
                break
    return {key: value for key, value in found.items() if key.lower() not in _SEEDS}


def _pairs(name: str) -> dict[str, ConfigValue]:
    found: dict[str, ConfigValue] = {}
    text = re.sub(r"\.(?:csv|jsonl?|log|txt|out|tsv|parquet)\b", "", name)
    for match in _WORD_IN_NAME.finditer(text):
        found.setdefault(match["key"].lower(), match["value"])
    for match in _IN_NAME.finditer(text):
        key = (match["key"] or BARE).strip("_").lower()
        value = number(match["value"] or match["bare"])
        counts = key in _COUNTERS or (len(key) == 1 and key not in _SEEDS)
        if value is not None and not counts and not (key == BARE and value == 0):
            found.setdefault(key, value)
    return found


def _seeds(runs: Sequence[Run]) -> tuple[ConfigValue | None, ...]:
    """The seed of each run, from its config or its name."""
    found: list[ConfigValue | None] = []
    for run in runs:
        own = (v for k, v in run.config.items() if SEED.fullmatch(re.split(r"[/.]", k)[-1]))
        named = (v for k, v in _pairs(run.name).items() if k in _SEEDS)
        found.append(next(own, next(named, None)))
    return tuple(found)


def _differing(tables: Sequence[Table]) -> dict[str, tuple[ConfigValue | None, ...]]:
    """Settings that all runs have and that are not the same in all of them."""
    shared = [key for key in tables[0] if all(key in table for table in tables)] if tables else []
    found: dict[str, tuple[ConfigValue | None, ...]] = {}
    for key in shared:
        values = tuple(table[key] for table in tables)
        if len(set(values)) > 1 and not _names_the_run(values):
            found[key] = values
    return found


def _names_the_run(values: tuple[ConfigValue | None, ...]) -> bool:
    """Text with a path in it that is another one in every run."""
    return len(set(values)) == len(values) and all(
        isinstance(value, str) and ("/" in value or "\\" in value) for value in values
    )


def _partly(tables: Sequence[Table]) -> tuple[str, ...]:
    known = {key for table in tables for key in table}
    return tuple(sorted(key for key in known if not all(key in table for table in tables)))


def _choice(differing: Mapping[str, tuple[ConfigValue | None, ...]]) -> str | None:
    """The learning rate, if one differs, else the only difference."""
    rates = [key for key in differing if is_rate(key)]
    if rates:
        return "lr" if "lr" in rates else max(rates, key=lambda key: len(set(differing[key])))
    return next(iter(differing)) if len(differing) == 1 else None


def _without_companions(
    setting: Setting, others: Mapping[str, tuple[ConfigValue | None, ...]]
) -> dict[str, tuple[ConfigValue | None, ...]]:
    """A floor or an end of the schedule that follows the swept rate is no second setting."""
    return {key: v for key, v in others.items() if not (setting.is_rate and is_rate(key))}


def _peaks(runs: Sequence[Run]) -> tuple[ConfigValue | None, ...]:
    """The highest logged learning rate of each run; nearly equal ones are made the same."""
    peaks: list[float | None] = []
    for run in runs:
        series = run.get(Metric.LR)
        finite = np.zeros(0) if series is None else series.finite()[1]
        peak = float(finite.max()) if finite.size else None
        near = (p for p in peaks if p and peak and abs(p / peak - 1) < SAME_RATE)
        peaks.append(next(near, peak))
    return tuple(peaks)


def _differs(values: Sequence[ConfigValue | None]) -> bool:
    return len(set(values)) > 1 and None not in values
