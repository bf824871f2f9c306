"""Hugging Face Trainer, TRL, PEFT, Axolotl, Unsloth, ms-swift: a Python dict in a line."""

from __future__ import annotations

import json
import math
import re
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines._pairs import unwrapped
from spikedoc.readers.lines._quantities import SURE
from spikedoc.readers.lines.base import LineProfile, Record, stateless

# An epoch number above this is a damaged one.
MOST_EPOCHS: Final = 1e6
_DICT: Final = re.compile(r"\{\s{0,9}(['\"])[A-Za-z_][^{}]{0,8000}\}")
_ITEM: Final = re.compile(
    r"(['\"])([^'\"]{1,100})\1\s{0,9}:\s{0,9}(?:(['\"])([^'\"]{0,60})\3|([^\s,{}'\"]{1,60}))"
)
_STEPS: Final = ("step", "global_step", "num_updates", "global_step/max_steps")
# "epoch=5 step=250 metrics={…}": d3rlpy, and loops that print a dict behind its place.
_PLACE: Final = re.compile(
    r"(?<![A-Za-z_/-])(global_step|step|iteration|iter|epoch)\s?[=: ]\s?#?(\d{1,15})(?![\d.])",
    re.IGNORECASE,
)
LONGEST_PLACE: Final = 400
# A word processor or a forum has made typographic quotation marks of the plain ones.
_PLAIN_QUOTES: Final = str.maketrans("‘’“”", "''\"\"")
# A dict of settings has words among its values; a record hardly any.
LEAST_NUMBERS: Final = 0.5
_SETTINGS: Final = (
    (re.compile(r"Num Epochs = ([\d,.]{1,15})"), "epochs"),
    (re.compile(r"Total optimization steps = ([\d,]{1,15})"), "total_steps"),
    (re.compile(r"Gradient Accumulation steps = ([\d,]{1,15})", re.IGNORECASE), "accumulation"),
    (re.compile(r"Total train batch size .{0,80}= ([\d,]{1,15})"), "batch_size"),
)


def _claims(line: str) -> bool:
    return "{" in line or " = " in line


def _take(line: str) -> Record | None:
    if "{" not in line:
        return _setting(line)
    text = unwrapped(line if line.isascii() else line.translate(_PLAIN_QUOTES))
    match = _DICT.search(text)
    if match is None:
        return None
    values: dict[str, float] = {}
    epoch, items = "", 0
    for key, token in _items(match.group()):
        items += 1
        value = number(token.partition("/")[0] if key == _STEPS[-1] else token)
        if value is None:
            continue
        values[key] = value
        epoch = token if key == "epoch" and 0 <= value < MOST_EPOCHS else epoch
    if len(values) < LEAST_NUMBERS * items or not _is_record(values):
        return None
    step = next((values.pop(key) for key in _STEPS if key in values), None)
    whole = int(step) if step is not None and step == step // 1 else None
    if whole is None and not epoch:
        whole, epoch = _place_before(text[: match.start()])
    return Record(values, whole, epoch, is_summary="train_runtime" in values)


def _place_before(text: str) -> tuple[int | None, str]:
    """Step and epoch that stand before the dict, the last ones where there are several."""
    found = {name.lower(): token for name, token in _PLACE.findall(text[-LONGEST_PLACE:])}
    epoch = found.pop("epoch", "")
    step = next(iter(found.values()), None)
    return None if step is None else int(step), epoch


def _items(text: str) -> list[tuple[str, str]]:
    """Keys and values as printed. The JSON parser is quick, and knows no `nan` nor `None`."""
    try:
        content = json.loads(text.replace("'", '"'), parse_float=str, parse_int=str)
        if all(isinstance(value, str) for value in content.values()):
            return list(content.items())
    except (ValueError, RecursionError):
        pass
    return [
        (m.group(2), m.group(4) if m.group(4) is not None else m.group(5))
        for m in _ITEM.finditer(text)
    ]


def _is_record(values: dict[str, float]) -> bool:
    return "train_runtime" in values or any(map(SURE.search, values))


def _setting(line: str) -> Record | None:
    for pattern, key in _SETTINGS:
        match = pattern.search(line)
        value = number(match.group(1)) if match else None
        if value is not None and math.isfinite(value):
            return Record(config={key: int(value) if value == int(value) else value})
    return None


PROFILE: Final = LineProfile("hf", 200, _claims, stateless(_take), framework="hf")
