"""Names and numbers in a line: `loss: 0.5`, `lr=1e-3`, `acc 0.9`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from spikedoc.readers._numbers import number as plain_number
from spikedoc.readers.lines._quantities import BARE

# A record line is shorter; what is printed behind is not searched.
LONGEST_RECORD: Final = 4_000
# No logged quantity has a longer name; layer names may.
LONGEST_KEY: Final = 120
# The text before a number is nearly the same in every record, unless a time stamp is in it.
LONGEST_CACHED: Final = 32
CACHED_NAMES: Final = 4_096
NUMBER: Final = (
    r"[-+]?1\.#(?:INF|IND|QNAN|SNAN)\d{0,4}"
    r"|[-+]?(?:\d{1,60}(?:\.\d{0,60})?|\.\d{1,60})(?:[eE][-+]?\d{1,4})?"
    r"|[-+]?(?:[nN][aA][nN]|[iI][nN][fF](?:inity)?)(?:\(ind\)|\.0{1,3}(?!\d)|x{1,6}(?!\w))?"
)
_WINDOWS_NAN: Final = re.compile(r"([-+]?)1\.#(INF)?|([-+]?)nan\(ind\)", re.IGNORECASE)
# Behind a number: the unit of a duration or a share. What looks like a part of a date, a path,
# a version or a longer number is no value.
_PAIR: Final = re.compile(
    rf"(\s{{1,12}}(?:[:=]\s{{0,12}})?|[:=]\s{{0,12}})({NUMBER})"
    r"(\s?ms|\s?sec|s|%)?(?![\w#]|\.\w|,\d|[:/\-]\d|\s{0,3}[:=](?!\s*$))",
)
# A full stop ends a sentence, but not behind an abbreviation: Val. Loss, Avg. Loss.
_BREAK: Final = re.compile(
    r"[|,;\t\[\](){}<>\"'!?*]|\s{2,}|\s-{1,3}\s|:|=|[→—–•█▏▎▍▌▋▊▉━]"
    r"|(?<![Vv]al)(?<![Vv]alid)(?<![Aa]vg)\.\s"
)
_KEY: Final = re.compile(r"[A-Za-z_μ][\w/.\-+@%]{0,100}(?: [\w/.\-+@%]{1,60}){0,4}")
# "Loss at step 100: 0.5": the place is no part of the name.
_PLACE: Final = re.compile(
    r"(?:\s(?:at|in|on|after|for|of))?\s?(?:(?:global )?step|iter(?:ation)?|epoch|batch)"
    r"\s?#?\d{1,15}$",
    re.IGNORECASE,
)
# "step 12.5x loss": a counter of unknown spelling is no part of the name either, nor one without
# a word: "3/50 loss".
_LEADING_PLACE: Final = re.compile(
    r"(?:(?:global )?(?:step|it(?:er(?:ation)?)?|ep(?:och)?|batch|update)\s?#?\d[\w.,'/]{0,40}"
    r"|\s?\d{1,12}/\d{1,12})\s",
    re.IGNORECASE,
)
# "loss None lr 0.1": what stands in place of a number ends the name before.
_NOTHING: Final = re.compile(r"^.{0,100}\s(?:None|null|N/A|\d{1,20}[.'_]\d[\d.'_]{0,40})\s")
_REMARK: Final = re.compile(r"\s?\([^()]{0,40}\)\s{0,3}$")
_SOURCE_FILE: Final = re.compile(r"\.(?:py|cpp|cc|c|cu|h|hpp|go|rs|js|java)$")
_HELD_OUT: Final = re.compile(
    r"(?<![a-z])(?:val|valid|validation|validate|validating|eval|evaluation|evaluating|test|testing"
    r"|dev)(?![a-z])",
    re.IGNORECASE,
)
_TRAIN: Final = re.compile(r"(?<![a-z])(?:train|training|trn)(?![a-z])", re.IGNORECASE)
# tensor(0.5, grad_fn=<…>), tensor([0.5], device='cuda:0'), np.float32(0.5), Array(0.5, dtype=…)
_OBJECT: Final = re.compile(
    rf"\b(?:tensor|(?:np|numpy)\.float\d{{2,3}}|[aA]rray)\(\[{{0,3}}\s{{0,4}}({NUMBER})\s{{0,4}}\]{{0,3}}"
    r"(?:,[^()]{0,120})?\)"
)
# D(x), D(G(z)), Q(s,a): what a function of one letter gives is a name as a whole. Two values of it,
# D(G(z)): 0.30 / 0.25, are those before and after an update.
_CALL: Final = re.compile(
    r"(?<![\w.)])[A-Z]\w?\((?:[a-z]\d?(?:,\s?[a-z]\d?)?|[A-Z]\w?\([a-z]\d?\))\)$"
)
_SECOND: Final = re.compile(rf"\s{{0,3}}/\s{{1,3}}({NUMBER})(?![\w.])")
# episodic_return=[5.]: an array of one number prints so.
_ARRAY: Final = re.compile(rf"(?<=[=:])\s?\[\s{{0,4}}({NUMBER})\s{{0,4}},?\](?!\s?[\[(])")
_MS: Final = 1e-3


def value(token: str) -> float | None:
    """Return the number in `token`; knows the NaN and infinity of Windows and of C."""
    match = _WINDOWS_NAN.match(token) if "#" in token or "(" in token else None
    if match:
        sign = -1.0 if "-" in (match.group(1) or match.group(3) or "") else 1.0
        return sign * float("inf") if match.group(2) else float("nan")
    if token.lstrip("+-")[:1].isalpha():
        # Lightning pads all values alike: "nan.0"; PaddleOCR fills up with x: "nanxxx".
        return plain_number(token.partition(".")[0].rstrip("x"))
    return plain_number(token)


def unwrapped(line: str) -> str:
    """Return the line with numbers that print as objects put plainly: `tensor(0.5, …)`."""
    line = _OBJECT.sub(r"\1", line) if "(" in line else line
    return _ARRAY.sub(r" \1", line) if "=[" in line or ":[" in line or ": [" in line else line


def pairs(line: str) -> dict[str, float]:
    """Return names and values in the order of the line; milliseconds become seconds.

    A name takes the words just before its number. Numbers set off by white space alone count
    only behind a known quantity. Behind `val:` and the like names get the prefix `val_`, and so
    does a name that comes again behind one of held-out data: `Loss 1 | Acc 2 | Val Loss 3 | Acc 4`.
    """
    found: dict[str, float] = {}
    end, held_out = 0, False
    for match in _PAIR.finditer(line[:LONGEST_RECORD]):
        chunk = line[end : match.start()]
        end = match.end()
        sign, token, unit = match.groups()
        read = _name if len(chunk) <= LONGEST_CACHED else _name.__wrapped__
        name, held_out = read(chunk, held_out, sign.isspace())
        number = value(token) if name else None
        if number is not None:
            if name in found and _is_behind_validation(name, found):
                name = f"val_{name}"
            found[name] = number * _MS if unit and unit.strip().lower() == "ms" else number
            second = _SECOND.match(line, end) if name.endswith(")") else None
            if second:
                end, after = second.end(), value(second.group(1))
                found.update({} if after is None else {f"{name} 2": after})
    return found


def _is_behind_validation(name: str, found: Iterable[str]) -> bool:
    """Whether the last of the names that speaks of training or held-out data does of the latter."""
    if is_held_out(name.replace("_", " ")):
        return False
    for other in reversed([one.replace("_", " ") for one in found]):
        if is_held_out(other) or is_training(other):
            return is_held_out(other)
    return False


@lru_cache(maxsize=CACHED_NAMES)
def _name(chunk: str, held_out: bool, is_bare: bool) -> tuple[str, bool]:
    """The name at the end of `chunk`, empty when there is none; whether held-out data follows."""
    held_out = _section(chunk, held_out)
    if is_bare and not chunk.endswith(")") and not BARE.search(chunk.rpartition(" ")[2]):
        return "", held_out  # the usual case in prose
    key = _key(chunk)
    if not key or (is_bare and not BARE.search(key.rpartition(" ")[2])):
        return "", held_out
    return (f"val_{key}" if held_out and not _HELD_OUT.search(key) else key), held_out


def _section(chunk: str, held_out: bool) -> bool:
    """Whether the names that follow are of held-out data; a heading changes that."""
    heading, sep, _ = chunk.rpartition(":")
    if not sep:
        heading, sep, _ = chunk.rpartition("|")
    if sep and _HELD_OUT.search(heading):
        return True
    return held_out and not (sep and _TRAIN.search(heading))


def _key(chunk: str) -> str:
    """The name at the end of `chunk`; empty when there is none."""
    call = _CALL.search(chunk[-LONGEST_KEY:])
    if call:
        return call.group()
    text = _REMARK.sub("", chunk[-LONGEST_KEY:]).rstrip(" '\"]")
    last = 0
    for match in _BREAK.finditer(text):
        last = match.end()
    text = _NOTHING.sub("", _LEADING_PLACE.sub("", _PLACE.sub("", text[last:])))
    text = text.strip(" -_.#>&~").removeprefix("with ")
    if not _KEY.fullmatch(text) or _SOURCE_FILE.search(text):
        return ""
    return text


def is_held_out(text: str) -> bool:
    """Return whether the words speak of validation or test."""
    return _HELD_OUT.search(text) is not None


def is_training(text: str) -> bool:
    """Return whether the words speak of training."""
    return _TRAIN.search(text) is not None
