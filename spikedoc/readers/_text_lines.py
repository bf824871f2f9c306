"""Shapes of record lines, tried in order; each turns a line into a step and named values."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from spikedoc.model.run import ConfigValue
from spikedoc.readers._numbers import number

# A record line is shorter; what is printed behind is not searched for pairs.
LONGEST_RECORD: Final = 4_000
FAIRSEQ_NOTE: Final = "fairseq logs losses to the base 2: natural ones are 0.69 times as large"
# An epoch number above this is a damaged one.
MOST_EPOCHS: Final = 1e6
_WORD: Final = r"[A-Za-z][\w/.\-]"
_NUMBER: Final = r"[-+]?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf(?:inity)?)\b"
# A Python or JSON dict in a line, as the Trainer and fairseq print it.
_DICT: Final = re.compile(r"\{\s*(['\"])[A-Za-z_][^{}]{0,8000}\}")
_ITEM: Final = re.compile(
    r"(['\"])([^'\"]{1,100})\1\s*:\s*(?:(['\"])([^'\"]{0,60})\3|([^\s,{}'\"]{1,60}))"
)
# nanoGPT: "iter 10: loss 2.1, time 80.1ms, mfu 3.1%" and "step 10: train loss 2.0, val loss 2.1".
_ITER: Final = re.compile(
    r"iter (\d{1,15}): loss (\S{1,40}?), time (\S{1,40}?)ms(.{0,400})", re.IGNORECASE
)
_EVAL: Final = re.compile(
    r"step (\d{1,15}): train loss (\S{1,40}?), val loss (\S{1,40})", re.IGNORECASE
)
_EXTRA: Final = re.compile(rf",\s*([A-Za-z][\w/]{{0,60}})[ :=]\s*({_NUMBER})", re.IGNORECASE)
# Anything else: pairs, one of which is a step.
_PAIR: Final = re.compile(
    rf"(?<![\w.])({_WORD}{{0,60}}(?: {_WORD}{{0,30}}){{0,4}}?(?: \(ms\))?)"
    rf"\s*[:=]\s*({_NUMBER})(?![\w.])",
    re.IGNORECASE,
)
_STEP: Final = re.compile(
    r"(?<![\w.])(?:global[_ ]?step|step|iteration|iter|it|update|num_updates)s?\s*[:=#\[ ]\s*\[?\s*"
    r"(\d[\d,]{0,15})(?:\s*/\s*(\d[\d,]{0,15}))?(?![\w.])",
    re.IGNORECASE,
)
_STEP_WORDS: Final = frozenset(
    {"step", "steps", "global_step", "global step", "iter", "iteration", "iterations", "it",
     "update", "updates", "num_updates"}
)  # fmt: skip
# A generic line needs one of these words to be a record of training.
_ABOUT_TRAINING: Final = re.compile(
    r"loss|grad|\blr\b|learning|acc|ppl|perplexity|reward", re.IGNORECASE
)
# Settings that the Trainer prints before the first step.
_SETTINGS: Final = (
    (re.compile(r"Num Epochs = ([\d,.]+)"), "epochs"),
    (re.compile(r"Total optimization steps = ([\d,]+)"), "total_steps"),
    (re.compile(r"Gradient Accumulation steps = ([\d,]+)", re.IGNORECASE), "accumulation"),
    (re.compile(r"Total train batch size .{0,80}= ([\d,]+)"), "batch_size"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One record: its values, its step, or the epoch as printed when there is no step."""

    values: dict[str, float]
    step: int | None = None
    epoch: str = ""
    framework: str = ""
    is_summary: bool = False
    notes: tuple[str, ...] = field(default=())


def parse_line(line: str) -> Line | None:
    """Return the record in the line, None when it is none."""
    for profile in PROFILES:
        record = profile(line)
        if record is not None:
            return record
    return None


def settings_in(line: str, config: dict[str, ConfigValue]) -> None:
    """Take over settings announced in the line."""
    if "=" not in line:
        return
    for pattern, key in _SETTINGS:
        match = pattern.search(line)
        value = number(match.group(1)) if match else None
        if value is not None:
            config[key] = int(value) if value == int(value) else value


def _dict_line(line: str) -> Line | None:
    match = _DICT.search(line) if "{" in line else None
    if match is None:
        return None
    values: dict[str, float] = {}
    epoch = ""
    for item in _ITEM.finditer(match.group()):
        key, token = item.group(2), item.group(4) if item.group(4) is not None else item.group(5)
        value = number(token)
        if value is None:
            continue
        values[key] = value
        epoch = token if key == "epoch" and 0 <= value < MOST_EPOCHS else epoch
    if (
        not any("loss" in key or "reward" in key for key in values)
        and "train_runtime" not in values
    ):
        return None
    step = next(
        (values.pop(k) for k in ("step", "global_step", "num_updates") if k in values), None
    )
    whole = int(step) if step is not None and step == step // 1 else None
    if "wps" in values and "gnorm" in values:
        return Line(values, whole, epoch, "fairseq", notes=(FAIRSEQ_NOTE,))
    framework = "hf" if "learning_rate" in values or "eval_runtime" in values else ""
    return Line(values, whole, epoch, framework, "train_runtime" in values)


def _nanogpt_line(line: str) -> Line | None:
    match = _ITER.match(line)
    if match:
        loss, milliseconds = number(match.group(2)), number(match.group(3))
        values = {"loss": loss} if loss is not None else {}
        if milliseconds is not None:
            values["iter_time_ms"] = milliseconds
        for extra in _EXTRA.finditer(match.group(4)):
            value = number(extra.group(2))
            if value is not None:
                values[extra.group(1)] = value
        return Line(values, int(match.group(1)), framework="nanogpt")
    match = _EVAL.match(line)
    if match is None:
        return None
    value = number(match.group(3))
    note = "the train loss of evaluation lines is a mean in evaluation mode and was left out"
    return Line({"val_loss": value} if value is not None else {}, int(match.group(1)),
                framework="nanogpt", notes=(note,))  # fmt: skip


def _generic_line(line: str) -> Line | None:
    line = line[:LONGEST_RECORD]
    match = _STEP.search(line)
    if match is None or not _ABOUT_TRAINING.search(line):
        return None
    values: dict[str, float] = {}
    for pair in _PAIR.finditer(line):
        key = pair.group(1).strip()
        value = number(pair.group(2))
        if value is not None and key.lower() not in _STEP_WORDS:
            values[key] = value
    return Line(values, int(match.group(1).replace(",", ""))) if values else None


PROFILES: Final[tuple[Callable[[str], Line | None], ...]] = (
    _nanogpt_line,
    _dict_line,
    _generic_line,
)
