"""Records told in words, put as names and numbers: `Cost after epoch 3: 0.5`, `loss of 0.5`."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = r"[-+]?(?:\d|\.\d|nan|inf)"
_QUANTITY: Final = r"(?:loss|cost|error|accuracy|acc|reward|perplexity)"
# "Loss of 0.5 on iteration 3", "train loss was 0.5": a word for the sign between.
_WORD_BETWEEN: Final = re.compile(
    rf"\b({_QUANTITY}) (?:of|was|equals|is now|now is) (?=\[?{_NUMBER})",
    re.IGNORECASE,
)
# "Cost after epoch 3: 0.5", "The loss at epoch 3 is 0.5": the place stands before the number.
_PLACE_BETWEEN: Final = re.compile(
    rf"\b(?:the\s)?([\w /\-]{{0,30}}?{_QUANTITY})\s(?:at|after|in|on|for)\s(?:the\s)?"
    rf"(epoch|iteration|step|batch)\s?#?(\d{{1,12}})\s?(?:[:=]|is|was)\s{{0,8}}(?={_NUMBER})",
    re.IGNORECASE,
)
# "Loss after 100 steps: 0.5".
_COUNT_BETWEEN: Final = re.compile(
    rf"\b([\w /\-]{{0,30}}?{_QUANTITY})\safter\s(\d{{1,12}})\s(epoch|iteration|step|update)s\s?"
    rf"[:=]\s{{0,8}}(?={_NUMBER})",
    re.IGNORECASE,
)
# "Accuracy of the network on the 10000 test images: 53 %", "Accuracy on 50,000 train images: 53 %".
_ON_IMAGES: Final = re.compile(
    r"\baccuracy (?:of the (?:network|model) )?on (?:the |all )?[\d,]{0,12} ?"
    r"(train|training|test|validation|val|eval) (?:images|samples|examples|sentences)\s?[:=]",
    re.IGNORECASE,
)
# "Accuracy: 980/10000 (10%)": the count is the exact share.
_COUNTED: Final = re.compile(
    r"\b(accuracy|acc)([:=\s]{1,4})(\d{1,9})\s?/\s?(\d{1,9})\s{0,4}\(\s?\d[\d.]{0,8}\s?%\s?\)",
    re.IGNORECASE,
)
# "(i, loss(x)) = (3, 0.5)", as a macro shows a tuple.
_TUPLE: Final = re.compile(r"\((\w{1,20}), (.{1,120}?)\) = \((\d{1,12}), (.{1,80})\)")
PERCENT: Final = 100.0


def as_pairs(line: str) -> str:
    """Return the line with each sentence of these kinds as a name, a sign and a number."""
    lower = line.lower()
    if not any(word in lower for word in ("loss", "cost", "acc", "err", "rew", "perp")):
        return line
    shown = _TUPLE.search(line)
    if shown:
        counter, name, count, value = shown.groups()
        place = "step" if len(counter) == 1 else counter
        return f"{place} {count} {name} = {value}"
    line = _PLACE_BETWEEN.sub(r"\2 \3 \1: ", line)
    line = _COUNT_BETWEEN.sub(r"\3 \2 \1: ", line)
    line = _ON_IMAGES.sub(lambda m: f"{m.group(1).lower()}_accuracy:", line)
    line = _COUNTED.sub(_share, line)
    return _WORD_BETWEEN.sub(r"\1: ", line)


def _share(match: re.Match[str]) -> str:
    right, count = int(match.group(3)), int(match.group(4))
    if not count > 0 or right > count:
        return match.group()
    return f"{match.group(1)}{match.group(2)}{PERCENT * right / count:.4f}%"
