"""The project's own thresholds: `spikedoc.toml` or `[tool.spikedoc]` in `pyproject.toml`."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from spikedoc.errors import (
    BOOLEAN_EXPECTED,
    NOT_A_FILE,
    UsageError,
    also,
    did_you_mean,
    one_of,
    reason_of,
)
from spikedoc.gate.expectation import BOUNDS, Expectation, parse_expectation
from spikedoc.model.label import FORMS, Kind, Severity
from spikedoc.text import Text, listed

FILES: Final = ("spikedoc.toml", "pyproject.toml")
OFF: Final = "off"
KEYS: Final = (
    *(
        "fail-on",
        "select",
        "ignore",
        "allow-unknown",
        "baseline",
        "reference",
        "severity",
        "expect",
        "map",
    ),
)
# A settings file is written by hand; a larger one is something else.
MAX_BYTES: Final = 1_000_000
# Of a word that is wrong.
SHOWN: Final = 100

KNOWN_SETTINGS: Final = Text("known are {known}", "可用的设置：{known}")
A_TABLE: Final = Text("expected a table", "应为表")
TOO_LARGE: Final = Text(
    f"larger than {MAX_BYTES} bytes, no settings file", f"超过 {MAX_BYTES} 字节，不是设置文件"
)
WITHOUT: Final = Text(
    "{reason} (--no-config goes without)", "{reason}（--no-config 可不用设置文件）"
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run must hold to pass; the defaults are those of `spikedoc check` without a file."""

    fail_on: Severity = Severity.WARNING
    select: tuple[str, ...] = ()  # labels to look at; empty: all
    ignore: tuple[str, ...] = ()
    allow_unknown: bool = False
    baseline: Path | None = None
    reference: Path | None = None  # bands of healthy runs: a file, or the runs themselves
    severity: Mapping[str, Severity | None] = field(default_factory=dict)  # None: off
    expectations: tuple[Expectation, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    source: Path | None = None


def find_settings(start: Path) -> Settings:
    """Return the settings of `start` or the nearest folder above that has any, else the defaults.

    Raises UsageError naming file and key for a mistake.
    """
    for folder in (start, *start.parents):
        for name in FILES:
            file = folder / name
            table = _table(file) if file.is_file() else None
            if table is not None:
                return _settings(table, file)
    return Settings()


def load_settings(file: Path) -> Settings:
    """Return the settings in `file`; UsageError naming file and key for a mistake."""
    table = _table(file)
    if table is None:
        raise UsageError(Text("no table [tool.spikedoc]", "没有表 [tool.spikedoc]"), at=file)
    return _settings(table, file)


def _settings(table: Mapping[str, Any], file: Path) -> Settings:
    where = str(file)
    _refuse_unknown(table, KEYS, where)
    return Settings(
        fail_on=_severity(table.get("fail-on", Severity.WARNING.value), f"{where}: fail-on"),
        select=labels(table.get("select", []), f"{where}: select"),
        ignore=labels(table.get("ignore", []), f"{where}: ignore"),
        allow_unknown=_flag(table.get("allow-unknown", False), f"{where}: allow-unknown"),
        baseline=_path(table, "baseline", file),
        reference=_path(table, "reference", file),
        severity=_severities(table.get("severity", {}), f"{where}: severity"),
        expectations=_expectations(table.get("expect", {}), f"{where}: expect"),
        mapping=_words(table.get("map", {}), f"{where}: map"),
        source=file,
    )


def _path(table: Mapping[str, Any], key: str, file: Path) -> Path | None:
    """Return a path as written beside the settings file."""
    written = table.get(key)
    if written is not None and (not isinstance(written, str) or not written):
        raise UsageError(Text("expected the path of a file", "应为文件路径"), at=f"{file}: {key}")
    return None if written is None else file.parent / written


def with_options(
    settings: Settings,
    *,
    fail_on: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    allow_unknown: bool,
    baseline: Path | None,
    reference: Path | None = None,
) -> Settings:
    """Return the settings with what the command line says instead; ignored labels add up."""
    return replace(
        settings,
        fail_on=Severity(fail_on) if fail_on else settings.fail_on,
        select=labels(list(select), "--select") or settings.select,
        ignore=settings.ignore + labels(list(ignore), "--ignore"),
        allow_unknown=allow_unknown or settings.allow_unknown,
        baseline=baseline or settings.baseline,
        reference=reference or settings.reference,
    )


def _table(file: Path) -> Mapping[str, Any] | None:
    """Return the settings table of a file; None for a pyproject.toml without one."""
    raw = _bytes(file)
    try:
        content = tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        # A broken file of another tool is no business of ours, unless it speaks of us.
        if file.name == "pyproject.toml" and b"spikedoc" not in raw:
            return None
        told = Text(f"cannot be read as TOML ({error})", f"无法按 TOML 读取（{error}）")
        raise UsageError(told, at=file) from error
    if file.name != "pyproject.toml":
        return content
    found = content.get("tool", {})
    table = found.get("spikedoc") if isinstance(found, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(A_TABLE, at=f"{file}: tool.spikedoc")
    return table


def _bytes(file: Path) -> bytes:
    """Return the content of a settings file; a pipe or device, or a huge file, is none."""
    try:
        if not file.is_file():
            raise UsageError(NOT_A_FILE, at=file)
        if file.stat().st_size > MAX_BYTES:
            raise UsageError(TOO_LARGE, at=file)
        return file.read_bytes()
    except OSError as error:
        raise UsageError(WITHOUT.fill({"reason": reason_of(error)}), at=file) from error


def labels(value: Any, where: str) -> tuple[str, ...]:
    """Return labels (`kind` or `kind/form`); a kind stands for all of its forms."""
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise UsageError(Text("expected a list of labels", "应为标签列表"), at=where)
    words = [part.strip() for word in value for part in word.split(",") if part.strip()]
    for word in words:
        _check_label(word, where)
    return tuple(words)


def _check_label(word: str, where: str) -> None:
    known = [kind.value for kind in Kind]
    known += [f"{kind.value}/{form.value}" for kind, forms in FORMS.items() for form in forms]
    if word not in known:
        near = difflib.get_close_matches(word, known, n=1)
        shown = repr(word[:SHOWN])
        told = Text(f"{shown} is not a label", f"没有标签 {shown}")
        raise UsageError(also(told, did_you_mean(near[0])) if near else told, at=where)


def _severities(value: Any, where: str) -> dict[str, Severity | None]:
    if not isinstance(value, dict):
        raise UsageError(
            Text("expected a table of label = severity", "应为“标签 = 严重程度”的表"), at=where
        )
    for word in value:
        _check_label(word, where)
    return {
        word: None if said == OFF else _severity(said, f"{where}.{word}", OFF)
        for word, said in value.items()
    }


def _severity(value: Any, where: str, *others: str) -> Severity:
    try:
        return Severity(value)
    except ValueError:
        words = [*(severity.value for severity in Severity), *others]
        raise UsageError(one_of(words), at=where) from None


def _expectations(value: Any, where: str) -> tuple[Expectation, ...]:
    if not isinstance(value, dict):
        raise UsageError(A_TABLE, at=where)
    try:
        flat = dict(_flatten(value))
    except RecursionError:
        raise UsageError(Text("nested too deep", "嵌套过深"), at=where) from None
    return tuple(parse_expectation(key, bounds, where) for key, bounds in flat.items())


def _flatten(table: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """Return key and bounds: `val_loss.final = …` may be written with dots or as a table."""
    out: list[tuple[str, Any]] = []
    for key, value in table.items():
        name = f"{before}{key}"
        deeper = isinstance(value, dict) and any(isinstance(v, dict) for v in value.values())
        out += _flatten(value, f"{name}.") if deeper or _is_group(value) else [(name, value)]
    return out


def _is_group(value: Any) -> bool:
    """Return whether a table holds statistics, and not the bounds of one."""
    return isinstance(value, dict) and bool(value) and not set(value) <= set(BOUNDS)


def _words(value: Any, where: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise UsageError(Text("expected a table of role = tag", "应为“角色 = 名称”的表"), at=where)
    return dict(value)


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError(BOOLEAN_EXPECTED, at=where)
    return value


def _refuse_unknown(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            others = KNOWN_SETTINGS.fill({"known": listed(known)})
            hint = did_you_mean(near[0]) if near else others
            shown = repr(key[:SHOWN])
            told = Text(f"{shown} is no setting ({hint.en})", f"没有设置 {shown}（{hint.zh}）")
            raise UsageError(told, at=where)
