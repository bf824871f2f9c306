"""Configuration files beside a log: JSON and YAML, read without running anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

# Names of configuration files, in the order in which they win.
NAMES: Final = (
    "config.json", "args.json", "hparams.json", "params.json", "training_args.json",
    "hparams.yaml", "hparams.yml", "args.yaml", "args.yml", "config.yaml", "config.yml",
    "train.yaml", "training_args.yaml", "hyperparameters.yaml", "torchtune_config.yaml",
    "axolotl_config.yml", ".hydra/config.yaml", "files/config.yaml",
)  # fmt: skip
PATTERNS: Final = ("ds_config*.json", "deepspeed_config*.json")
LARGEST_JSON: Final = 1_000_000
# PyYAML parses about a megabyte in three seconds.
LARGEST_YAML: Final = 200_000
# Brackets nested by the thousand make the parser recurse.
MOST_BRACKETS: Final = 1_000
DEEPEST: Final = 6
MOST_VALUES: Final = 2_000
# Aliases let a short YAML text describe a huge tree; no more nodes than this are visited.
MOST_NODES: Final = 20_000


def config_beside(folder: Path) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return the flat settings of all configuration files in `folder`, and notes on bad ones.

    Keys of nested settings are joined by `/`; None is kept: it says that a setting is off.
    """
    found: dict[str, object] = {}
    notes: list[str] = []
    for path in _paths(folder):
        content = _load(path)
        if content is None:
            notes.append(f"{path.name} could not be read as configuration")
            continue
        for key, value in _flat(content).items():
            found.setdefault(key, value)
    return found, tuple(notes)


def _paths(folder: Path) -> list[Path]:
    named = [folder / name for name in NAMES]
    try:
        matched = sorted(path for pattern in PATTERNS for path in folder.glob(pattern))
        return [path for path in [*named, *matched] if path.is_file()]
    except OSError:
        return []


def _load(path: Path) -> Mapping[str, Any] | None:
    is_json = path.suffix == ".json"
    try:
        if path.stat().st_size > (LARGEST_JSON if is_json else LARGEST_YAML):
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
        content = json.loads(text) if is_json else _yaml(text)
    except (OSError, ValueError, TypeError, RecursionError, AttributeError):
        return None
    return content if isinstance(content, dict) else None


def _yaml(text: str) -> object:
    """The content of a YAML text; tags of Python objects give plain values."""
    import yaml

    if text.count("[") + text.count("{") > MOST_BRACKETS:
        raise ValueError("too many brackets for a configuration")

    class Tolerant(yaml.SafeLoader):
        """Builds plain values only, whatever the tags say."""

    def plain(loader: yaml.SafeLoader, _: str, node: yaml.Node) -> object:
        if isinstance(node, yaml.SequenceNode):
            return loader.construct_sequence(node, deep=True)
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        return loader.construct_scalar(node) if isinstance(node, yaml.ScalarNode) else None

    Tolerant.add_multi_constructor("!", plain)
    Tolerant.add_multi_constructor("tag:yaml.org,2002:python/", plain)
    try:
        return yaml.load(text, Loader=Tolerant)
    except yaml.YAMLError as error:
        raise ValueError("no YAML") from error


def _flat(content: Mapping[str, Any]) -> dict[str, object]:
    found: dict[str, object] = {}
    pending: list[tuple[str, object, int]] = [("", content, 0)]
    visited = 0
    while pending and len(found) < MOST_VALUES and visited < MOST_NODES:
        visited += 1
        name, value, depth = pending.pop()
        if isinstance(value, dict):
            if depth < DEEPEST:
                inner = list(value.items())[:MOST_VALUES]
                prefix = f"{name}/" if name else ""
                pending.extend((f"{prefix}{k}", v, depth + 1) for k, v in reversed(inner))
        elif isinstance(value, list):
            if len(value) == 2:
                found[name] = value
        else:
            found[name] = value
    return found
