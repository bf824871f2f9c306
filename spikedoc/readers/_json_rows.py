"""What frameworks do to their JSON rows: other counters for validation, steps inside text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from spikedoc.model.run import ConfigValue
from spikedoc.readers._numbers import plain

Row = dict[str, Any]

# A record may nest (a dict per group of metrics); deeper than this it is no record of numbers.
DEEPEST_KEY: Final = 6
MOST_KEYS: Final = 4000
# "12/300": done and total.
_DONE_OF_ALL: Final = re.compile(r"\s*(\d{1,15})\s*/\s*(\d{1,15})\s*")
# Keys that repeat one number in every row and say how long the run is to be.
_TOTALS: Final = {"total_steps": "total_steps", "max_steps": "total_steps"}
# Counters of a validation row that do not count optimizer steps (mmcv, mmengine).
_COUNTERS: Final = ("step", "iter", "epoch")


def flatten(record: Mapping[str, Any]) -> Row:
    """Return the record with nested keys joined by `/`; lists and deeper levels are left out."""
    row: Row = {}
    stack: list[tuple[str, Mapping[str, Any], int]] = [("", record, 0)]
    while stack:
        prefix, level, depth = stack.pop()
        for key, value in level.items():
            if isinstance(value, dict):
                if depth < DEEPEST_KEY:
                    stack.append((f"{prefix}{key}/", value, depth + 1))
            elif not isinstance(value, list) and len(row) < MOST_KEYS:
                row[f"{prefix}{key}"] = value
    return row


def numeric(row: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the cells of the row that hold numbers, text such as "NaN" included."""
    return [(key, value) for key, cell in row.items() if (value := plain(cell)) is not None]


# Keys that make a row more than a plain record.
_SPECIAL_KEYS: Final = frozenset({"mode", "iter", "env_info", *_TOTALS})


def is_plain(keys: tuple[str, ...]) -> bool:
    """Return whether rows with these keys need no profile, as long as all cells are numbers."""
    return bool(keys) and _SPECIAL_KEYS.isdisjoint(keys)


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
    def notes(self) -> tuple[str, ...]:
        """What was assumed about the rows."""
        if not self._validation_rows:
            return ()
        return (
            f"{self._validation_rows} validation rows count epochs; "
            "they were given the step of the training row before them",
        )

    def apply(self, row: Row) -> Row:
        """Return the row with a usable step and totals moved to the config."""
        if "env_info" in row:
            return {}
        mode = row.pop("mode", None)
        if mode is not None or ("iter" in row and "step" in row and "data_time" in row):
            self.framework = self.framework or "mmengine"
        self._seen_iter = self._seen_iter or "iter" in row
        if self.framework == "mmengine" and self._is_validation(row, mode):
            self._validation_rows += 1
            return {f"val/{k}": v for k, v in row.items() if k not in _COUNTERS}
        return self._with_totals(row)

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
                if value is not None and value > 0:
                    self.config[name] = int(value)
        return row
