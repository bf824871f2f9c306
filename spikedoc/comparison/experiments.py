"""What an outcome of a replay proves and does not prove: the words of `experiments.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

from spikedoc.comparison.result import Change, Verdict
from spikedoc.text import Text

NOTHING: Final = Text("Nothing.", "什么也证明不了。")
UNTOUCHED: Final = Text(
    "Anything about the cause: neither data nor state nor numbers are ruled out.",
    "对原因不能下任何结论：数据、状态、数值都没有被排除。",
)


def conclusions(change: Change, verdict: Verdict) -> tuple[Text, Text, Text]:
    """Return what a verdict on an experiment proves, what it does not, and what to try next."""
    entry = _words()[change.value][verdict.value]
    return _text(entry["proves"]), _text(entry["proves_not"]), _text(entry["next"])


def remedy(reason: str) -> Text:
    """Return what makes a replay that tells nothing tell something."""
    return _text(_words()["cannot-tell"][reason]["next"])


def _text(entry: Mapping[str, str]) -> Text:
    return Text(entry["en"], entry["zh"])


@cache
def _words() -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    file = resources.files("spikedoc.comparison") / "experiments.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
