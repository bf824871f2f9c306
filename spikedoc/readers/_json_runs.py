"""Records of several runs that take turns, in JSON lines or in a table, each with its run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from spikedoc.readers._csv_long import RUN_NAMES, VALUE_NAMES
from spikedoc.readers._text_parts import are_parts

# Keys whose text is the name of the run that wrote a record.
_NAMES: Final = (*RUN_NAMES, "run_id", "model", "model_name", "experiment", "exp_name", "name")
# Keys whose number tells runs apart that differ in nothing else.
_NUMBERED: Final = ("seed", "fold", "trial", "trial_id", "replicate")
# Parts of one training that come one after the other, unless they pass the same steps in turns; 0
# and 1 are training and held-out data then (`_phase_codes`).
_PHASES: Final = ("phase", "stage")
# Settings by which the runs of a search differ, where their rows stand at the same steps.
_SETTINGS: Final = ("optimizer", "config", "batch_size", "lr", "learning_rate")
KEYS: Final = (*_NAMES, *_NUMBERED, *_PHASES, *_SETTINGS)
# Keys whose names may be those of networks that are trained together, or of terms of a loss.
_OF_PARTS: Final = frozenset({"model", "model_name", "name"})
_OF_TWO_SETS: Final = frozenset({"0", "1"})
_KEYS: Final = frozenset(KEYS)
_VALUES: Final = frozenset(VALUE_NAMES)
# A name stands in so many records at least; a file has no more runs than this. As in printed logs.
LEAST_RECORDS: Final = 3
MOST_RUNS: Final = 64
# Of a file of one run another quantity may bear a name now and then.
LEAST_SHARE: Final = 0.9
LONGEST_NAME: Final = 80
# Names of the two sides of one training are no runs.
_OF_ONE_TRAINING: Final = frozenset(
    {
        *("g", "d", "gen", "disc", "generator", "discriminator", "actor", "critic", "policy"),
        *("value", "train", "training", "val", "valid", "validation", "eval", "evaluation"),
        *("test", "dev", "student", "teacher", "encoder", "decoder"),
    }
)


def run_named(key: str, record: Mapping[str, Any]) -> str:
    """Return the name of the run that `record` has under `key`, empty where it has none.

    A number is one behind the key, `seed=3`; of phases and stages only numbers are names.
    """
    cell = record.get(key)
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f"{key}={cell}"
    if isinstance(cell, float) and key in _SETTINGS:
        return f"{key}={cell:g}"
    if not isinstance(cell, str) or len(cell) > LONGEST_NAME:
        return ""
    cell = cell.strip()
    if key in _SETTINGS and cell:
        return f"{key}={cell}"
    if cell.removesuffix(".0").isdecimal():
        return f"{key}={cell.removesuffix('.0')}"
    return "" if key in _PHASES else cell


class Named:
    """Counts the names of runs in the records of a file."""

    def __init__(self) -> None:
        """Start with none."""
        self._counts: dict[str, Counter[str]] = {key: Counter() for key in KEYS}
        self._turns: Counter[str] = Counter()
        self._last: dict[str, str] = {}
        self._records = 0

    def see(self, record: Mapping[str, Any]) -> None:
        """Look at a record."""
        self._records += 1
        keys = record.keys() & _KEYS
        if not keys or record.keys() & _VALUES:  # a long table has names of quantities
            return
        for key in keys:
            self._count(key, record)

    def see_column(self, key: str, cells: Sequence[float | str]) -> None:
        """Look at the cells that a block of records has under `key`; other keys tell no run."""
        if key not in _KEYS:
            return
        if len(set(cells)) == 1 and self._last.get(key) == run_named(key, {key: cells[0]}) != "":
            self._counts[key][self._last[key]] += len(cells)
            return
        for cell in cells:
            self._count(key, {key: cell})

    def see_count(self, count: int) -> None:
        """Take note of so many records, whose cells are given column by column."""
        self._records += count

    def _count(self, key: str, record: Mapping[str, Any]) -> None:
        name, counts = run_named(key, record), self._counts[key]
        if name and len(counts) <= MOST_RUNS:
            counts[name] += 1
            self._turns[key] += self._last.get(key, name) != name
            self._last[key] = name

    def key(self) -> str:
        """Return the key under which records name their runs, empty where it is of one run.

        Runs take turns: what comes one after the other may be parts of one training.
        """
        return next((key for key, counts in self._counts.items() if self._tells(key, counts)), "")

    def _tells(self, key: str, counts: Counter[str]) -> bool:
        if key in _PHASES and {name.rpartition("=")[2] for name in counts} <= _OF_TWO_SETS:
            return False
        if key in _OF_PARTS and are_parts(list(counts)):
            return False
        return (
            1 < len(counts) <= MOST_RUNS
            and min(counts.values()) >= LEAST_RECORDS
            and counts.total() >= LEAST_SHARE * self._records
            and self._turns[key] >= len(counts)
            and not any(name.lower() in _OF_ONE_TRAINING for name in counts)
        )
