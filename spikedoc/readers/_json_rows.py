"""What frameworks do to their JSON rows: other counters for validation, steps inside text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from spikedoc.model.run import ConfigValue
from spikedoc.readers._json_events import RESUMED_FROM
from spikedoc.readers._numbers import plain
from spikedoc.readers._phases import marked, word_of
from spikedoc.readers._python_settings import python_settings, scalars
from spikedoc.text import Text

Row = dict[str, Any]

# A record may nest (a dict per group of metrics); deeper than this it is no record of numbers.
DEEPEST_KEY: Final = 6
MOST_KEYS: Final = 4000
# A longer text in a configuration is no setting that any rule asks for.
LONGEST_SETTING: Final = 200
_STATISTICS: Final = frozenset({"num", "mean", "std"})
# Objects that hold all quantities of a record.
_WRAPPERS: Final = frozenset({"data", "metrics", "logs", "values", "scalars"})
# Rows of RLlib and Tune repeat the whole configuration.
_CONFIG_PREFIX: Final = "config/"
# Keys that together tell detectron2's metrics.json.
_DETECTRON2: Final = frozenset({"data_time", "eta_seconds", "iteration", "total_loss"})
# What verl's file logger writes: {"step": 1, "data": {"actor/pg_loss": 0.1, …}}.
_VERL: Final = frozenset({"step", "data"})
_VERL_KEYS: Final = ("actor/", "critic/", "training/")
NULLS: Final = Text(
    "verl writes null for NaN and infinity: read as NaN",
    "verl 用 null 表示 NaN 和无穷大：已读作 NaN",
)
# "12/300": done and total.
_DONE_OF_ALL: Final = re.compile(r"\s*(\d{1,15})\s*/\s*(\d{1,15})\s*")
# Long form: a record for each value, {"metric": "loss", "value": 1.5, "step": 10}.
_TAG_KEYS: Final = ("metric", "tag", "metric_name", "name", "key")
_VALUE_KEY: Final = "value"
# Keys that repeat one number in every row and say how long the run is to be.
_TOTALS: Final = {"total_steps": "total_steps", "max_steps": "total_steps"}
# A row of mmcv has a `mode` and, while it trains, these.
_STEP_TIMES: Final = frozenset({"data_time", "time"})
# Counters of a validation row that do not count optimizer steps (mmcv, mmengine).
_COUNTERS: Final = ("step", "iter", "epoch")


def flatten(record: Mapping[str, Any]) -> Row:
    """Return the record with nested keys joined by `/`; lists and deeper levels are left out.

    Of statistics of one quantity (`num`, `mean`, `std`, as StyleGAN writes) the mean is taken. An
    object around all quantities (`{"step": 1, "data": {…}}`, as verl writes) gives them no name.
    """
    row: Row = {}
    inner = [key for key, value in record.items() if isinstance(value, dict)]
    around = len(inner) == 1 and inner[0] in _WRAPPERS
    unnamed = {f"{inner[0]}/": ""} if around and record.keys().isdisjoint(record[inner[0]]) else {}
    stack: list[tuple[str, Mapping[str, Any], int]] = [("", record, 0)]
    while stack:
        prefix, level, depth = stack.pop()
        for key, value in level.items():
            if isinstance(value, dict) and value.keys() == _STATISTICS:
                row[f"{prefix}{key}"] = value["mean"]
            elif isinstance(value, dict):
                if depth < DEEPEST_KEY:
                    name = f"{prefix}{key}/"
                    stack.append((unnamed.get(name, name), value, depth + 1))
            elif not isinstance(value, list) and len(row) < MOST_KEYS:
                row[f"{prefix}{key}"] = value
    return row


def numeric(row: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the cells of the row that hold numbers, text such as "NaN" included."""
    return [(key, value) for key, cell in row.items() if (value := plain(cell)) is not None]


# Keys that make a row more than a plain record.
_SPECIAL_KEYS: Final = frozenset(
    {"mode", "iter", "env_info", "eta_seconds", *_TOTALS, *RESUMED_FROM}
)


def is_plain(keys: tuple[str, ...]) -> bool:
    """Return whether rows with these keys need no profile, as long as all cells are numbers."""
    return bool(keys) and _SPECIAL_KEYS.isdisjoint(keys)


def with_lost(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record of verl with NaN for null; any other record as it is.

    Its file logger writes numbers alone, by a library that has null for what is not finite.
    """
    data = record.get("data")
    if record.keys() != _VERL or not isinstance(data, dict) or None not in data.values():
        return record
    if not any(key.startswith(_VERL_KEYS) for key in data):
        return record
    return {**record, "data": {k: math.nan if v is None else v for k, v in data.items()}}


def _spread(row: Row) -> Row:
    """A row that names one quantity and its value, with the name for a key."""
    tag = next((row[key] for key in _TAG_KEYS if isinstance(row.get(key), str)), None)
    if tag is None or plain(row.get(_VALUE_KEY)) is None:
        return row
    kept = {key: cell for key, cell in row.items() if key not in (*_TAG_KEYS, _VALUE_KEY)}
    return {tag: row[_VALUE_KEY], **kept}


VALIDATION_ROWS: Final = Text(
    "{count} validation {count|row counts|rows count} epochs; the step of the training row before "
    "was given to {count|it|them}",
    "{count} 行验证记录按 epoch 计数，已取其前一行训练记录的步数",
)
MEDIANS: Final = Text(
    "values are medians over 20 iterations (detectron2): a spike of a few iterations does not show",
    "数值是 20 次迭代的中位数（detectron2）：只持续几次迭代的尖峰看不出来",
)


class RowProfile:
    """Rewrites rows of the frameworks it knows; remembers config values and notes.

    Rows with `mode` (mmcv) or without `iter` where others have it (mmengine) are validation rows:
    their counters are dropped, so that they get the step of the last training row.
    """

    def __init__(self) -> None:
        """Start knowing nothing."""
        self.config: dict[str, ConfigValue] = {}
        self.framework = ""
        self._seen_iter = False
        self._validation_rows = 0

    @property
    def notes(self) -> tuple[Text, ...]:
        """What was assumed about the rows."""
        notes: list[Text] = []
        if self._validation_rows:
            notes.append(VALIDATION_ROWS.fill({"count": self._validation_rows}))
        if self.framework == "detectron2":
            notes.append(MEDIANS)
        return tuple(notes)

    def apply(self, row: Row) -> Row:
        """Return the row with a usable step and totals moved to the config."""
        if "env_info" in row:
            self._take_env(row)
            return {}
        if not self.framework and row.keys() >= _DETECTRON2:
            self.framework = "detectron2"
        row = _spread(self._without_config(row))
        word = word_of(row)
        mode = row.pop("mode", None)
        if (mode is not None and _STEP_TIMES & row.keys()) or (
            "iter" in row and "step" in row and "data_time" in row
        ):
            self.framework = self.framework or "mmengine"
        self._seen_iter = self._seen_iter or "iter" in row
        if self.framework == "mmengine" and self._is_validation(row, mode):
            self._validation_rows += 1
            return {f"val/{k}": v for k, v in row.items() if k not in _COUNTERS}
        row = self._with_totals(row)
        return {marked(word, key): cell for key, cell in row.items()} if word else row

    def _take_env(self, row: Row) -> None:
        """Settings in the first line of mmcv's log: the seed, and the config as Python text."""
        self.framework = self.framework or "mmengine"
        seed, text = plain(row.get("seed")), row.get("config")
        if seed is not None and seed == seed // 1:
            self.config["seed"] = int(seed)
        if isinstance(text, str):
            for key, value in scalars(python_settings(text)):
                self.config.setdefault(key, value)

    def _without_config(self, row: Row) -> Row:
        """The row without the configuration, which the first row gives to the settings."""
        inside = [key for key in row if key.startswith(_CONFIG_PREFIX)]
        for key in inside:
            value = row.pop(key)
            if isinstance(value, bool | int | float | str) and len(str(value)) <= LONGEST_SETTING:
                self.config.setdefault(key.removeprefix(_CONFIG_PREFIX), value)
        return row

    def _is_validation(self, row: Row, mode: object) -> bool:
        if mode is not None:
            return str(mode).lower().startswith(("val", "test", "eval"))
        return self._seen_iter and "iter" not in row and "step" in row

    def _with_totals(self, row: Row) -> Row:
        for key in [key for key, cell in row.items() if isinstance(cell, str)]:
            match = _DONE_OF_ALL.fullmatch(row[key][:40])
            if match and ("step" in key or "iter" in key):
                row.pop(key)
                row["step"] = int(match.group(1))
                self.config["total_steps"] = int(match.group(2))
        for key, name in _TOTALS.items():
            if key in row and any(k in row for k in ("step", "current_steps", "global_step")):
                value = plain(row.pop(key))
                if value is not None and 0 < value < math.inf:
                    self.config[name] = int(value)
        return row
