"""In whose words settings are said: the framework that wrote the log, or plain PyTorch."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import PurePath
from typing import Any, Final

from spikedoc.model.knowledge import SETTINGS
from spikedoc.model.report import Framework, Gap
from spikedoc.model.run import Run
from spikedoc.text import FieldValue

TABLE: Final = "frameworks.toml"
DEFAULT: Final = "torch"
DEFAULT_OPTIMIZER: Final = "AdamW"
# Frameworks on top of PyTorch: what they do not log themselves is logged in its words.
ON_TORCH: Final = frozenset({"hf", "lightning", "megatron", "deepspeed", "ultralytics"})
# Settings that only optimizers of Adam's kind have, and optimizers that are none.
OF_ADAM: Final = frozenset({"beta2", "eps"})
NO_ADAM: Final = frozenset({"sgd", "rmsprop", "adagrad", "adadelta", "lars", "adafactor", "ftrl"})
# Entries of a `log` table that are no signal: what begins and ends a snippet that fills `row`, the
# loss of every step, and settings of any kind.
BEGIN: Final = "begin"
WRITE: Final = "write"
EVERY_STEP: Final = "every_step"
SETTINGS_ENTRY: Final = "settings"
# How a line begins that belongs between those two.
FILLING: Final = ("row", "before = ")
# Missing signals and settings that a snippet is written for; more would not be read.
GAPS_SHOWN: Final = 6


@dataclass(frozen=True, slots=True)
class Words:
    """How one framework spells settings and logging."""

    id: str
    name: str
    places: Mapping[str, str]
    settings: Mapping[str, tuple[str, str]]  # setting → place, words
    log: Mapping[str, tuple[str, ...]]  # signal → lines of code
    optimizers: Mapping[str, str]  # name in the config → class

    def lines(self, values: Mapping[str, FieldValue], optimizer: str = "") -> tuple[str, ...]:
        """Return the settings as lines of code, those of one place in one line."""
        by_place: dict[str, list[str]] = {}
        for setting, value in values.items():
            if setting not in self.settings or (setting in OF_ADAM and optimizer in NO_ADAM):
                continue
            place, words = self.settings[setting]
            key = place or f"/{setting}"
            by_place.setdefault(key, []).append(words.replace("{value}", spelt(value)))
        class_ = self.optimizers.get(optimizer, DEFAULT_OPTIMIZER)
        return tuple(self._placed(place, words, class_) for place, words in by_place.items())

    def _placed(self, place: str, words: list[str], optimizer: str) -> str:
        template = self.places.get(place, "{words}").replace("{optimizer}", optimizer)
        separator = " " if template == "{words}" else ", "
        return template.replace("{words}", separator.join(words))

    def logging(self, signal: str) -> tuple[str, ...]:
        """Return the lines that log a signal or keep a setting; none where it is unknown."""
        known = self.log.get(signal)
        if known is None and self.id in ON_TORCH:
            known = _all()[DEFAULT].log.get(signal)
        if known is None and signal in CONFIG_GAPS:
            known = self.log.get(SETTINGS_ENTRY)
        return known or ()


# Settings that the evidence asks for and that a config file beside the log would answer.
CONFIG_GAPS: Final = frozenset(
    {
        *("optimizer", "lr", "beta1", "beta2", "eps", "clip", "weight_decay", "momentum"),
        *("batch_size", "accumulation", "precision", "schedule", "warmup_steps", "total_steps"),
        *("steps_per_epoch", "num_classes", "label_smoothing", "shuffle", "world_size", "seed"),
    }
)


def spelt(value: FieldValue) -> str:
    """Return a number as code, or a text in quotes."""
    if isinstance(value, str):
        return repr(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def recognise(run: Run) -> tuple[Words, Framework]:
    """Return the words of the framework that wrote the log, and how sure that is."""
    known = _all()
    raw = _table()
    for id_, entry in raw.items():
        if _fits(run, entry):
            return known[id_], Framework(id_, known[id_].name, recognised=True)
    return known[DEFAULT], Framework(DEFAULT, known[DEFAULT].name, recognised=False)


def _fits(run: Run, entry: Mapping[str, Any]) -> bool:
    if str(run.config.get("framework", "")) in entry["framework"]:
        return True
    if any(key in run.config for key in entry["keys"]):
        return True
    tags = frozenset(entry.get("tags", ()))
    if tags and tags <= {series.tag for series in run.series}:
        return True
    folders = {part for source in run.sources for part in PurePath(source.path).parts}
    return not folders.isdisjoint(entry["folders"])


def snippet(words: Words, gaps: Iterable[Gap], *, sparse: bool) -> tuple[str, ...]:
    """Return code that logs what was missing, each line once; `sparse`: every step as well."""
    lines = list(words.logging(EVERY_STEP)) if sparse else []
    for gap in list(gaps)[:GAPS_SHOWN]:
        lines.extend(words.logging(gap.signal))
    filling = [line for line in lines if line.startswith(FILLING)]
    setting = [line for line in lines if not line.startswith(FILLING)]
    if filling:
        filling = [*words.logging(BEGIN), *filling, *words.logging(WRITE)]
    return tuple(dict.fromkeys([*setting, *filling]))


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    source = resources.files("spikedoc.rules").joinpath(TABLE)
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def _all() -> Mapping[str, Words]:
    return {id_: _words(id_, entry) for id_, entry in _table().items()}


def _words(id_: str, entry: Mapping[str, Any]) -> Words:
    settings = {name: (place, words) for name, (place, words) in entry["setting"].items()}
    unknown = settings.keys() - SETTINGS
    if unknown:
        raise ValueError(f"{TABLE}: {id_}: unknown settings {sorted(unknown)}")
    log = {name: tuple(lines) for name, lines in entry["log"].items()}
    return Words(id_, entry["name"], entry["place"], settings, log, entry.get("optimizers", {}))
