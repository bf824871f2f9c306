"""Configuration files beside a log: JSON, YAML and literals in Python, none of it ever run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from spikedoc.readers._numbers import holds_endless_number
from spikedoc.readers._python_settings import python_settings
from spikedoc.text import Text

# Names of configuration files, in the order in which they win.
NAMES: Final = (
    "config.json", "args.json", "hparams.json", "params.json", "training_args.json",
    "hparams.yaml", "hparams.yml", "args.yaml", "args.yml", "config.yaml", "config.yml",
    "params.yaml", "train.yaml", "training_args.yaml", "hyperparameters.yaml",
    "torchtune_config.yaml", "axolotl_config.yml", ".hydra/config.yaml", "files/config.yaml",
    "debug.json", "vis_data/config.py",
)  # fmt: skip
PATTERNS: Final = ("ds_config*.json", "deepspeed_config*.json")
# Looked at when nothing of the above is there, and used when it is the only one of its kind.
_LAST_RESORT: Final = ("*.yaml", "*.yml", "*.py")
# A Python file is a config of MMEngine or MMCV when it assigns these; else it is a program.
_OF_MMENGINE: Final = ({"model", "optim_wrapper"}, {"model", "optimizer"})
_MODEL_CARD: Final = "README.md"
# The Trainer's model card lists its arguments under this heading.
_CARD_HEADING: Final = "### Training hyperparameters"
_CARD_ENTRY: Final = re.compile(r"[-*] (\w{1,60}): (.{1,200})")
# W&B and SwanLab put a setting under "value", beside its description and its place in a table.
_WRAPPED: Final = frozenset({"value", "desc"})
_WRAPPING: Final = _WRAPPED | {"sort"}
LARGEST_JSON: Final = 1_000_000
# PyYAML parses about a megabyte in three seconds.
LARGEST_YAML: Final = 200_000
# Brackets nested by the thousand make the parser recurse.
MOST_BRACKETS: Final = 1_000
DEEPEST: Final = 6
MOST_VALUES: Final = 2_000
# Aliases let a short YAML text describe a huge tree; no more nodes than this are visited.
MOST_NODES: Final = 20_000
UNREADABLE: Final = Text("{name} could not be read as configuration", "{name} 无法作为配置读取")


def config_beside(folder: Path) -> tuple[dict[str, object], tuple[Text, ...]]:
    """Return the flat settings of all configuration files in `folder`, and notes on bad ones.

    Keys of nested settings are joined by `/`; None is kept: it says that a setting is off.
    """
    found: dict[str, object] = {}
    notes: list[Text] = []
    for path in _paths(folder):
        content = _load(path)
        if content is None:
            notes.append(UNREADABLE.fill({"name": path.name}))
            continue
        for key, value in _flat(content).items():
            found.setdefault(key, value)
    for key, text in _model_card(folder / _MODEL_CARD).items():
        found.setdefault(key, text)
    return found, tuple(notes)


def _paths(folder: Path) -> list[Path]:
    named = [folder / name for name in NAMES]
    try:
        matched = sorted(path for pattern in PATTERNS for path in folder.glob(pattern))
        paths = [path for path in [*named, *matched] if path.is_file()]
        return paths or _only_one(folder)
    except OSError:
        return []


def _only_one(folder: Path) -> list[Path]:
    """The YAML or Python file of a folder that has a single one and holds settings of training."""
    for pattern in _LAST_RESORT:
        matched = list(islice((path for path in folder.glob(pattern) if path.is_file()), 2))
        if len(matched) == 1 and _is_of_training(_load(matched[0])):
            return matched
    return []


def _is_of_training(content: Mapping[str, Any] | None) -> bool:
    names = {re.split(r"[/.]", key)[-1].lower() for key in _flat(content or {})}
    return not names.isdisjoint(("lr", "learning_rate", "base_lr", "optimizer"))


def _load(path: Path) -> Mapping[str, Any] | None:
    is_json = path.suffix == ".json"
    try:
        if path.stat().st_size > (LARGEST_JSON if is_json else LARGEST_YAML):
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".py":
            return _python(text)
        content = json.loads(text) if is_json else _yaml(text)
    except (OSError, ValueError, TypeError, RecursionError, AttributeError):
        return None
    except (LookupError, ArithmeticError):  # of PyYAML at a scalar that is not what its tag says
        return None
    return content if isinstance(content, dict) else None


def _python(text: str) -> Mapping[str, Any] | None:
    settings = python_settings(text)
    return settings if any(names <= settings.keys() for names in _OF_MMENGINE) else None


def _model_card(path: Path) -> dict[str, object]:
    """The list of arguments in a model card; empty when there is none."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST_YAML:
            return {}
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    below = text.partition(_CARD_HEADING)[2].partition("\n#")[0]
    found: dict[str, object] = {m[1]: m[2] for m in _CARD_ENTRY.finditer(below)}
    optimizer = str(found.get("optimizer", ""))
    betas = re.search(r"betas=\((.{1,40}?)\)", optimizer)
    epsilon = re.search(r"epsilon=([\d.e-]{1,20})", optimizer)
    found |= {"betas": betas.group(1)} if betas else {}
    return found | ({"epsilon": epsilon.group(1)} if epsilon else {})


def _yaml(text: str) -> object:
    """The content of a YAML text; tags of Python objects give plain values."""
    import yaml

    if text.count("[") + text.count("{") > MOST_BRACKETS:
        raise ValueError("too many brackets for a configuration")
    if holds_endless_number(text):
        raise ValueError("a number too long for a configuration")

    class Tolerant(yaml.SafeLoader):
        """Builds plain values only, whatever the tags say."""

    def plain(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> object:
        if isinstance(node, yaml.SequenceNode):
            values = loader.construct_sequence(node, deep=True)
            return dict(values[0]) if tag.endswith("OrderedDict") and values else values
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        return loader.construct_scalar(node) if isinstance(node, yaml.ScalarNode) else None

    Tolerant.add_multi_constructor("!", plain)
    Tolerant.add_multi_constructor("tag:yaml.org,2002:python/", plain)
    try:
        return yaml.load(text, Loader=Tolerant)
    except yaml.YAMLError as error:
        raise ValueError("no YAML") from error


def _unwrapped(value: object) -> object:
    """The setting itself where a tracker wraps it: `{value: 3, desc: "", sort: 0}`."""
    is_wrapped = isinstance(value, dict) and _WRAPPED <= value.keys() <= _WRAPPING
    return value["value"] if is_wrapped and isinstance(value, dict) else value


def _of_list(name: str, value: list[Any], depth: int) -> list[tuple[str, object, int]]:
    """What to look at inside a list: its only value, or the last of several groups of settings.

    A list of schedulers begins with the warm-up and ends with the one that lasts.
    """
    if len(value) == 1 or (value and all(isinstance(one, dict) for one in value)):
        return [(name, value[-1], depth + 1)] if depth < DEEPEST else []
    return []


def _flat(content: Mapping[str, Any]) -> dict[str, object]:
    found: dict[str, object] = {}
    pending: list[tuple[str, object, int]] = [("", content, 0)]
    visited = 0
    while pending and len(found) < MOST_VALUES and visited < MOST_NODES:
        visited += 1
        name, value, depth = pending.pop()
        value = _unwrapped(value)
        if isinstance(value, dict):
            if depth < DEEPEST:
                inner = list(value.items())[:MOST_VALUES]
                prefix = f"{name}/" if name else ""
                pending.extend((f"{prefix}{k}", v, depth + 1) for k, v in reversed(inner))
        elif isinstance(value, list):
            pending.extend(_of_list(name, value, depth))
            if len(value) == 2:
                found[name] = value
        else:
            found[name] = value
    return found
