"""JSON lines of several runs that take turns, each record with the name of its run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from spikedoc.readers._csv_long import RUN_NAMES, VALUE_NAMES

# Keys whose text is the name of the run that wrote a record.
KEYS: Final = (*RUN_NAMES, "run_id", "model", "model_name", "experiment", "exp_name", "name")
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
    """Return the name of the run that `record` has under `key`, empty where it has none."""
    name = record.get(key)
    return name if isinstance(name, str) and len(name) <= LONGEST_NAME else ""


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
        return (
            1 < len(counts) <= MOST_RUNS
            and min(counts.values()) >= LEAST_RECORDS
            and counts.total() >= LEAST_SHARE * self._records
            and self._turns[key] >= len(counts)
            and not any(name.lower() in _OF_ONE_TRAINING for name in counts)
        )
