"""Configuration that writers leave in event files as text or hparams records."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any, Final

from spikedoc.model.run import ConfigValue
from spikedoc.readers._event_proto import TextValue, fields
from spikedoc.readers._json_rows import flatten

# The Trainer's arguments and the model's configuration, as JSON text.
JSON_TAGS: Final = ("args", "model_config", "config", "hparams", "training_args")
SESSION_START: Final = "_hparams_/session_start_info"
MOST_KEYS: Final = 2_000
LONGEST_VALUE: Final = 200
_SESSION_FIELD: Final = 3  # HParamsPluginData.session_start_info
_HPARAMS_FIELD: Final = 1  # SessionStartInfo.hparams, a map


def config_of(texts: Sequence[TextValue]) -> dict[str, ConfigValue]:
    """Return the settings found in text and hparams records, under the names the writer used.

    The Trainer's arguments win over the model's configuration.
    """
    config: dict[str, ConfigValue] = {}
    for text in sorted(texts, key=lambda text: not text.tag.startswith("model_config")):
        tag = text.tag.removesuffix("/text_summary")
        if text.tag == SESSION_START:
            found = _session_settings(text.content)
        elif tag in JSON_TAGS:
            found = _json_settings(text.content)
        elif text.plugin == "text" and len(text.content) <= LONGEST_VALUE:
            found = _single_setting(tag, text.content)
        else:
            continue
        for key, value in found.items():
            if len(config) < MOST_KEYS or key in config:
                config[key] = value
    return config


def _scalar(value: object) -> ConfigValue | None:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, str) and len(value) <= LONGEST_VALUE:
        return value
    return None


def _json_settings(content: bytes) -> dict[str, ConfigValue]:
    try:
        record: Any = json.loads(content.decode("utf-8", errors="replace"))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(record, dict):
        return {}
    rows = flatten(record).items()
    found = {key: "none" if value is None else _scalar(value) for key, value in rows}
    return {key: value for key, value in found.items() if value is not None}


def _single_setting(tag: str, content: bytes) -> dict[str, ConfigValue]:
    """One argument per text record, as Megatron-LM and MaxText write them."""
    text = content.decode("utf-8", errors="replace").strip()
    if "\n" in text or not text or " " in tag:
        return {}
    try:
        return {tag: json.loads(text.lower()) if text in ("True", "False") else _number(text)}
    except ValueError:
        return {tag: text}


def _number(text: str) -> float | int:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _session_settings(content: bytes) -> dict[str, ConfigValue]:
    found: dict[str, ConfigValue] = {}
    try:
        for number, _, a, b in fields(content, 0, len(content)):
            if number != _SESSION_FIELD:
                continue
            for inner, kind, c, d in fields(content, a, b):
                if inner == _HPARAMS_FIELD and kind == 2:
                    _take_entry(content, c, d, found)
    except ValueError:
        return found
    return found


def _take_entry(content: bytes, start: int, end: int, found: dict[str, ConfigValue]) -> None:
    """One entry of the map: key (field 1) and a Value (field 2: number, string or bool)."""
    key, value = "", None
    for number, _, a, b in fields(content, start, end):
        if number == 1:
            key = content[a:b].decode("utf-8", errors="replace")
            continue
        for inner, kind, c, d in fields(content, a, b):
            if inner == 2 and kind == 1:
                value = struct.unpack_from("<d", content, c)[0]
            elif inner == 3:
                value = content[c:d].decode("utf-8", errors="replace")[:LONGEST_VALUE]
            elif inner == 4:
                value = content[c] != 0
    if key and value is not None:
        found[key] = value
