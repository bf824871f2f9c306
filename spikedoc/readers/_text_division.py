"""Printed logs of several runs: in turns, each line with the name of its run, or one by one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from spikedoc.model.run import ConfigValue, FloatArray, IntArray
from spikedoc.readers._text_parts import are_parts
from spikedoc.readers._text_trainings import is_fresh
from spikedoc.readers.lines._pairs import is_held_out, is_training
from spikedoc.readers.lines.base import Record
from spikedoc.readers.lines.settings_banner import settings_in

# Records whose words are compared: the runs of a log take turns from the start.
MOST_LINES: Final = 400
LONGEST_LINE: Final = 400
# A name of a run stands in so many of them at least; a log has no more runs than this.
LEAST_LINES: Final = 3
MOST_RUNS: Final = 64
# Values of one quantity at one step, on average, from which on runs may take turns.
LEAST_AT_ONE_STEP: Final = 1.5
# A number is the name of a run behind such a word.
_WORD: Final = re.compile(
    r"(?:run|model|trial|fold|seed|exp|experiment|job|net|agent|variant)[ _#:=\-]{1,3}\d{1,9}"
    r"(?!\.?\d)"
    r"|[A-Za-z_][\w.\-/]{0,80}",
    re.IGNORECASE,
)
_NO_NAMES: Final = frozenset(
    {"nan", "inf", "infinity", "info", "debug", "warning", "error", "critical", "none"}
)
# What a training that goes on is given anew, and what differs from start to start.
_OF_START: Final = re.compile(
    r"resume|restart|ckpt|checkpoint|load|init|start|begin|continue|path|dir|file|name|time|date"
    r"|port|pid|host|rank|addr|node|debug|verbose|worker|device|gpu|log|wandb|seed_offset|\bid\b",
    re.IGNORECASE,
)


class Division:
    """Tells to which run a line belongs; asked for one line after the other."""

    def __init__(self, names: Sequence[str] = (), banners: Sequence[int] = ()) -> None:
        """Divide by the `names` of runs, or at the `banners` that begin a run, by their number."""
        self._names = frozenset(names)
        self._banners = frozenset(banners)
        self._seen = -1
        self._run = "" if names else "1"
        self.is_of_parts = bool(names) and are_parts(names)

    @property
    def by_name(self) -> bool:
        """Whether lines bear the names of their runs."""
        return bool(self._names)

    def run_of(self, line: str) -> str:
        """Return the name of the run of the next line; empty before the first line with one.

        Of parts of one training each line without a name is of no part.
        """
        if self._names:
            said = (one for one in _WORD.findall(line[:LONGEST_LINE]) if one in self._names)
            self._run = next(said, "" if self.is_of_parts else self._run)
        elif settings_in(line):
            self._seen += 1
            self._run = str(int(self._run) + (self._seen in self._banners))
        return self._run


class Divider:
    """Remembers what tells runs apart: some lines, and the settings printed at each start."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._lines: list[tuple[tuple[str, ...], str]] = []
        self._banners: list[tuple[int, Mapping[str, ConfigValue]]] = []

    def see(self, record: Record, line: str, row: int) -> None:
        """Look at a line and its record, of `row` if it has values."""
        if record.opens:
            self._banners.append((row, record.config))
        elif record.values and len(self._lines) < MOST_LINES:
            self._lines.append((tuple(record.values), line[:LONGEST_LINE]))

    def see_alike(self, record: Record, lines: bytes) -> None:
        """Look at lines of one kind; `record` is what one of them says."""
        more = MOST_LINES - len(self._lines)
        for line in lines.split(b"\n", more)[:more] if more > 0 and record.values else ():
            self.see(record, line.decode("utf-8", errors="replace"), 0)

    def found(
        self, rows: IntArray, places: FloatArray, keys: Callable[[IntArray], FloatArray]
    ) -> Division | None:
        """Return how the log is to be divided, None where it is of one run.

        `rows` are those of the main quantity, rising, `places` their steps or epochs; `keys` gives
        all that is known of where rows stand, a row for each.
        """
        names = (self._names() or self._names(_last_words)) if rows.size else []
        if names and _come_again(keys(rows)):
            return Division(names)
        banners = self._beginning(rows, places) if rows.size and len(self._banners) > 1 else []
        return Division(banners=banners) if banners else None

    def _names(self, kind: Callable[[Iterable[str]], Iterable[str]] = tuple) -> list[str]:
        """The words by which lines that say the same things differ: the first one of each line.

        Others may differ along with it: `model resnet seed 1` and `model vit seed 2`. Lines say
        the same things when `kind` makes the same of their tags.
        """
        by_kind: dict[tuple[object, ...], list[list[str]]] = defaultdict(list)
        for tags, line in self._lines:
            words = [word for word in _WORD.findall(line) if word.lower() not in _NO_NAMES]
            by_kind[(*kind(tags), len(words))].append(words)
        names: Counter[str] = Counter()
        for lines in by_kind.values():
            differing = [at for at in zip(*lines, strict=True) if len(set(at)) > 1]
            if differing and all(_differ_alike(differing[0], at) for at in differing[1:]):
                names.update(differing[0])
        found = [name for name, count in names.items() if count >= LEAST_LINES]
        if not 1 < len(found) <= MOST_RUNS or len(found) < len(names):
            return []
        return [] if any(is_held_out(name) or is_training(name) for name in found) else found

    def _beginning(self, rows: IntArray, places: FloatArray) -> list[int]:
        """The banners behind which another training begins, not the same one anew, by number.

        It does where settings differ and the steps, if there are any, go back to their start: the
        same settings may be those of a job that was sent again.
        """
        ends = np.searchsorted(rows, [*(row for row, _ in self._banners), np.iinfo(np.int64).max])
        found = []
        before: Mapping[str, ConfigValue] | None = None
        for number, (at, end) in enumerate(pairwise(ends)):
            settings = _of_training(self._banners[number][1])
            if at == end:  # another banner follows at once
                continue
            if at and before is not None and settings != before:
                found += [number] if _goes_back(places[:at], places[at:end]) else []
            before = settings
        return found


def _last_words(tags: Iterable[str]) -> Iterable[str]:
    """What tags such as `resnet lr`, which begin with the name of a run, have in common."""
    return (tag.rpartition(" ")[2] for tag in tags)


def _differ_alike(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether each of the words stands beside one of the others, the same one always."""
    both = len(set(zip(words, others, strict=True)))
    return both == len(set(words)) == len(set(others))


def _come_again(keys: FloatArray) -> bool:
    """Whether places are named more than once on average."""
    distinct = np.unique(np.nan_to_num(keys, nan=-1.0), axis=0).shape[0]
    return bool(distinct * LEAST_AT_ONE_STEP <= keys.shape[0])


def _goes_back(before: FloatArray, behind: FloatArray) -> bool:
    """Whether places go back to the beginning, as far as they are known."""
    last, known = before[~np.isnan(before)], behind[~np.isnan(behind)]
    return not known.size or not last.size or is_fresh(known, float(last[-1]))


def _of_training(settings: Mapping[str, ConfigValue]) -> Mapping[str, ConfigValue]:
    return {name: value for name, value in settings.items() if not _OF_START.search(name)}
