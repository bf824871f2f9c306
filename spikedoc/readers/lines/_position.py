"""Where in the training a line stands: epochs, batches, steps in their many spellings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_EPOCH: Final = re.compile(
    r"(?<![\w.])(?:epoch|ep|epo)s?(?:\s{0,2}\(\w{1,10}\))?\]?[\s:=#_]{0,6}[\[(]?\s{0,8}"
    r"(\d{1,9}(?:\.\d{1,12})?)(?![\w.]\w)\s{0,4}(?:(?:/|of)\s{0,4}\d{1,9})?\s{0,4}[\])]?"
    r"(?:[\s,:|\-]{0,6}[\[(]\s{0,8}(\d{1,12})\s{0,4}(?:(?:/|of)\s{0,4}(\d{1,12}))?[\s)\]])?",
)
_COUNTER: Final = re.compile(
    r"(?<![\w.])(global[_ ]?step|train[_ ]?step|num_updates|steps?|iterations?|iters?|it|updates?"
    r"|mini-?batch|batch(?:es)?|timesteps?|episodes?|gen(?:eration)?s?)"
    r"(?:[_ \-]?(?:id|idx|index|num|number|count))?"
    r"(?:\]?\s{0,8}[:=#\[(_]\s{0,8}[\[(]?|\]?\s{1,8})\s{0,8}(\d{1,15})(?![\w]|\.\d|,\d)"
    r"(?:\s{0,4}(?:/|of)\s{0,4}(\d{1,15}))?(?![\w]|\.\d|:\d|-\d)",
)
_FRONT: Final = re.compile(
    r"\W{0,3}?(\d{1,12})(?:\s{0,3}/\s{0,3}(\d{1,12}))?(?:\s{0,3}(?:[\])|,]|:(?!\d))|\s(?=\s{0,9}[A-Za-z])"
    r"|\s{1,3}-{1,3}\s(?=\w{0,20}\s?(?:loss|acc|lr|err|rew)))"
)
_BOTH: Final = re.compile(r"\[\s{0,4}(\d{1,6}),\s{1,8}(\d{1,12})\]")
# An epoch and a batch, each of how many: [3/20][120/782].
_TWO: Final = re.compile(
    r"\W{0,3}?[\[(]\s{0,4}(\d{1,9})\s{0,3}/\s{0,3}\d{1,9}\s{0,4}[\])][\s,|\-]{0,4}"
    r"[\[(]\s{0,6}(\d{1,12})\s{0,3}/\s{0,3}(\d{1,12})\s{0,4}[\])]"
)
# Counters that go through the whole run.
_GLOBAL: Final = ("global", "train", "num_updates", "timestep", "episode", "gen")


@dataclass(frozen=True, slots=True)
class Position:
    """What a line says about its place; `end` is where the words about it end."""

    step: int | None = None
    epoch: str = ""
    batch: int | None = None
    batches: int | None = None
    end: int = 0
    is_bare: bool = False  # a number that opens the line, without a word for it


def position(line: str) -> Position | None:
    """Return the place that a line in lower case names, None when it names none."""
    epoch = _EPOCH.search(line) if "ep" in line else None
    found = _COUNTER.findall(line)
    if epoch is None:
        if len(found) == 1:
            return Position(step=int(found[0][1]))
        if not found:
            return _from_front(line)
    counters = [(w, int(n), int(t) if t else None) for w, n, t in found]
    number = epoch.group(1) if epoch else ""
    batch = int(epoch.group(2)) if epoch and epoch.group(2) else None
    batches = int(epoch.group(3)) if epoch and epoch.group(3) else None
    step = next((n for word, n, _ in counters if word.startswith(_GLOBAL)), None)
    others = [(w, n, t) for w, n, t in counters if not w.startswith(_GLOBAL)]
    if step is None and others and (epoch is None or batch is not None or len(others) > 1):
        step = next((n for word, n, _ in others if word.startswith("step")), others[0][1])
        others = [one for one in others if one[1] != step or len(others) > 1]
        others = [one for one in others if not one[0].startswith("step")]
    if batch is None and others and epoch:
        _, batch, batches = others[-1]
    end = epoch.end() if epoch else 0
    return Position(step, number, batch, batches, end)


def _from_front(line: str) -> Position | None:
    """A bare counter that opens the line: `[3/10] loss=…`, `12: loss …`, `[1, 2000] loss: …`.

    Or two of them, `[3/20][120/782] loss …`.
    """
    both = _BOTH.match(line) or _TWO.match(line)
    if both:
        place, batch = both.group(1), int(both.group(2))
        batches = int(both.group(3)) if both.re is _TWO else None
        return Position(None, place, batch, batches, both.end(), is_bare=True)
    match = _FRONT.match(line)
    if match is None:
        return None
    total = int(match.group(2)) if match.group(2) else None
    return Position(step=int(match.group(1)), batches=total, end=match.end(), is_bare=True)
