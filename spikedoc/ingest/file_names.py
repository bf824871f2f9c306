"""What the names of logs say of their trainings: one, two, or nothing."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.ingest.aliases import MOST_KNOWN, role_of
from spikedoc.model.metric import Metric
from spikedoc.model.run import IntArray

Mask = NDArray[np.bool_]

# Words that tell what a file holds or who wrote it, the same in every project, and parts of one
# model; names of quantities are more of them.
_GENERIC: Final = re.compile(
    r"train(?:ing|er)?|val(?:id(?:ation)?)?|eval(?:uation)?|test|dev|log(?:s|ging|ger)?|metrics?"
    r"|hist(?:ory)?|std|stdout|stderr|out(?:put)?s?|err(?:ors?)?|console|terminal|screen|print"
    r"|results?|progress|events?|scalars?|stat(?:s|istics)?|records?|reports?|summary|data|runs?"
    r"|nohup|slurm|jobs?|debug|info|epochs?|steps?|iter(?:ation)?s?|batch(?:es)?|state|main|monitor"
    r"|tb|tensorboard|wandb|tracker|csv|tsv|jsonl?|txt|ndjson|parquet|feather|gz|xz|bz|zst"
    r"|curves?|vis|all|full|raw|file|table|export|experiments?|exp|trial|version|model|net|the|my|of"
    r"|python|py|node|worker|gpu|cuda|rank|host|local|process|lightning|pytorch|torch|keras|tf|hf"
    r"|actor|critic|policy|value|gen(?:erator)?|disc(?:riminator)?|encoder|decoder|agent|env"
    r"|per|by|and|in|last|latest|final|total|perf(?:ormance)?|time(?:s|stamp)?"
)
_PARTS: Final = re.compile(r"[a-z]+|[^\W\d_a-z]+")
_COUNTER: Final = re.compile(r"\d+")
# Dates, clocks and numbers of jobs are longer: two files of one run have different ones.
LONGEST_COUNTER: Final = 5


class Names:
    """The names of many logs, told apart all at once."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Look at the names."""
        words = [_words(path.name) for path in paths]
        numbers = [_numbers(path.stem) for path in paths]
        self._words, self._has_words = _told(words)
        self._numbers, self._has_numbers = _told(numbers)
        self._rest, _ = _told([_COUNTER.sub("", path.stem) for path in paths])

    def apart(self, index: int) -> Mask:
        """Return which names call another training, as `vit.jsonl` beside `resnet.log` does.

        Both must have a word of their own, or the same name but for another number. `metrics.csv`
        beside `resnet.log` says nothing, nor do a date and the number of a job.
        """
        other = self._words != self._words[index]
        renamed = other & self._has_words & self._has_words[index]
        counted = self._numbers != self._numbers[index]
        counted &= self._has_numbers & self._has_numbers[index]
        found: Mask = renamed | (~other & counted & (self._rest == self._rest[index]))
        return found


def _told(keys: Sequence[Hashable]) -> tuple[IntArray, Mask]:
    """The keys as numbers, equal for equal keys, and whether each says anything."""
    known: dict[Hashable, int] = {}
    numbers = [known.setdefault(key, len(known)) for key in keys]
    return np.array(numbers, dtype=np.int64), np.array([bool(key) for key in keys], dtype=bool)


def _words(name: str) -> frozenset[str]:
    return frozenset(word for word in _PARTS.findall(name.lower()) if _is_own(word))


@lru_cache(MOST_KNOWN)
def _is_own(word: str) -> bool:
    return not _GENERIC.fullmatch(word) and role_of(word).metric is Metric.OTHER


def _numbers(stem: str) -> tuple[str, ...]:
    return tuple(one for one in _COUNTER.findall(stem) if len(one) <= LONGEST_COUNTER)
