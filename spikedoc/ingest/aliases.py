"""Names to roles: the patterns of `metric_aliases.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

from spikedoc.errors import CatalogError
from spikedoc.model.metric import Metric
from spikedoc.readers._chinese_names import in_english
from spikedoc.readers._european_names import in_english as european
from spikedoc.text import Text

_FILE: Final = "metric_aliases.toml"
# Longer names (parameter paths) are cut before matching: time stays bounded.
LONGEST_NAME: Final = 160
# Names whose roles are remembered: more than a run has, and a few megabytes at most.
MOST_KNOWN: Final = 16_384
_SEPARATORS: Final = re.compile(r"[/._\-:\s()\[\]{}#,|%=<>]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Tables exported from W&B: "run name - train/loss", and its envelope over merged steps.
_RUN_SEPARATOR: Final = " - "
# Ray Tune's event files repeat the results of its tables.
_TUNE_PREFIX: Final = "ray/tune/"
_ENVELOPES: Final = ("__MIN", "__MAX")
_WORD: Final = re.compile(r"<([a-z]+)>")


@dataclass(frozen=True, slots=True)
class Role:
    """What a name stands for; a lower `preference` wins among names of the same role."""

    metric: Metric
    preference: int = 0
    coarse: bool = False  # a mean over an epoch
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    metric: Metric
    coarse: bool
    patterns: tuple[str, ...]


def role_of(tag: str) -> Role:
    """Return the role of a tag; `Metric.OTHER` when no pattern knows it."""
    return _role_of(tag[:LONGEST_NAME])


@lru_cache(MOST_KNOWN)
def _role_of(tag: str) -> Role:
    rank = None
    if tag.endswith(_ENVELOPES):
        return Role(Metric.OTHER)
    forms = _forms(tag.rpartition(_RUN_SEPARATOR)[2] or tag)
    match = _rank_pattern().search(forms[-1])
    if match:
        rank = int(match.group(1))
        forms = tuple(" ".join(_rank_pattern().sub(" ", form).split()) for form in forms)
    for index, entry in enumerate(_entries()):
        preference = _matching(index, entry, forms)
        if preference is not None:
            return Role(entry.metric, preference, entry.coarse, rank)
    return Role(Metric.OTHER, rank=rank)


def _matching(index: int, entry: _Entry, forms: tuple[str, ...]) -> int | None:
    if not any(_whole(index).fullmatch(form) for form in forms):
        return None
    for preference, pattern in enumerate(entry.patterns):
        if any(re.fullmatch(pattern, form) for form in forms):
            return preference
    return len(entry.patterns)


@cache
def _whole(index: int) -> re.Pattern[str]:
    """All patterns of one role in one."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in _entries()[index].patterns))


def _forms(tag: str) -> tuple[str, ...]:
    """The name in lower case with one space for every separator, and with camel case split."""
    tag = in_english(european(tag)).removeprefix(_TUNE_PREFIX)
    plain = " ".join(_SEPARATORS.sub(" ", tag).lower().split())
    split = " ".join(_SEPARATORS.sub(" ", _CAMEL.sub(" ", tag)).lower().split())
    return (plain, split) if split != plain else (plain,)


def plain_name(tag: str) -> str:
    """Return the tag in the form in which separators and case do not matter."""
    return _forms(tag)[0]


@cache
def _file() -> dict[str, Any]:
    text = resources.files("spikedoc.readers").joinpath(_FILE).read_text(encoding="utf-8")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(_FILE, "", Text(f"{error}", f"系统报告：{error}")) from error


@cache
def _rank_pattern() -> re.Pattern[str]:
    return re.compile(str(_file()["unclear"]["rank"]))


@cache
def _entries() -> tuple[_Entry, ...]:
    words = {key: f"(?:{value})" for key, value in _file()["words"].items()}
    words = {key: _expand(value, words) for key, value in words.items()}
    entries = []
    for number, role in enumerate(_file()["role"]):
        key = f"role[{number}]"
        try:
            patterns = tuple(_expand(pattern, words) for pattern in role["patterns"])
            entries.append(_Entry(Metric(role["metric"]), bool(role.get("coarse")), patterns))
        except (KeyError, ValueError) as error:
            raise CatalogError(_FILE, key, Text(f"{error}", f"系统报告：{error}")) from error
    return tuple(entries)


def _expand(pattern: str, words: dict[str, str]) -> str:
    return _WORD.sub(lambda match: words[match.group(1)], pattern)
