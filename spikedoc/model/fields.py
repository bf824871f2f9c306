"""Typed access to a parsed JSON object; a mistake is reported with the path of its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, NoReturn, TypeVar

from spikedoc.errors import ReportError
from spikedoc.text import Text

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

# JSON has no words for these numbers, so they travel as strings.
NONFINITE_WORDS: Final = frozenset({"nan", "inf", "-inf"})

EXPECTED: Final = Text("expected {expected}, found {found}", "应为{expected}，却是{found}")
OBJECT: Final = Text("an object", "对象")
LIST: Final = Text("a list", "列表")
STRING: Final = Text("a string", "字符串")
NUMBER: Final = Text("a number", "数字")
NOTHING: Final = Text("nothing", "空缺")
UNEVEN: Final = Text("steps and values differ in length", "steps 与 values 长度不同")

# Tells "not given" from any value that could be a default.
REQUIRED: Final = object()


class Fields:
    """The keys of one JSON object; `where` is its own path, empty for the outermost."""

    def __init__(self, data: object, where: str) -> None:
        """Raises ReportError when `data` is not an object."""
        self.where = where
        if not isinstance(data, dict):
            found = _kind(data)
            told = Text(f"expected an object, found {found.en}", f"应为对象，却是{found.zh}")
            raise ReportError(told, at=where or "report")
        self._data: Mapping[str, Any] = data

    def _path(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def _fail(self, key: str, expected: Text) -> NoReturn:
        found = _kind(self._data[key]) if key in self._data else NOTHING
        told = EXPECTED.fill({"expected": expected, "found": found})
        raise ReportError(told, at=self._path(key))

    def is_absent(self, key: str) -> bool:
        """Return whether the key is missing or null."""
        return self._data.get(key) is None

    def string(self, key: str, default: object = REQUIRED) -> str:
        """Return a string."""
        value = self._data.get(key, default)
        return value if isinstance(value, str) else self._fail(key, STRING)

    def integer(self, key: str, default: object = REQUIRED) -> int:
        """Return an integer; a float with a whole value counts as one."""
        value = self._data.get(key, default)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        return self._fail(key, Text("an integer", "整数"))

    def number(self, key: str) -> float:
        """Return a float; "nan", "inf" and "-inf" are numbers too."""
        value = _as_number(self._data.get(key))
        return value if value is not None else self._fail(key, NUMBER)

    def boolean(self, key: str) -> bool:
        """Return a boolean."""
        value = self._data.get(key)
        return (
            value
            if isinstance(value, bool)
            else self._fail(key, Text("true or false", " true 或 false"))
        )

    def enum(self, key: str, kind: type[E]) -> E:
        """Return the member of `kind` with this value."""
        value = self.string(key)
        try:
            return kind(value)
        except ValueError:
            told = Text(f"{value!r} is not a known value", f"{value!r} 不是已知的值")
            raise ReportError(told, at=self._path(key)) from None

    def text(self, key: str, default: Text | None = None) -> Text:
        """Return a text in both languages."""
        if default is not None and self.is_absent(key):
            return default
        return self.object(key).as_text()

    def as_text(self) -> Text:
        """Return this object itself as a text in both languages."""
        return Text(self.string("en"), self.string("zh"))

    def object(self, key: str, *, required: bool = True) -> Fields:
        """Return a nested object; an empty one when it may be absent and is."""
        if not required and self.is_absent(key):
            return Fields({}, self._path(key))
        return Fields(self._data.get(key), self._path(key))

    def optional(self, key: str, convert: Callable[[Fields], T]) -> T | None:
        """Return the converted nested object, or None when it is missing or null."""
        return None if self.is_absent(key) else convert(self.object(key))

    def _list(self, key: str, *, required: bool = True) -> list[Any]:
        if not required and self.is_absent(key):
            return []
        value = self._data.get(key)
        return value if isinstance(value, list) else self._fail(key, LIST)

    def _object(self, key: str, *, required: bool = True) -> dict[str, Any]:
        if not required and self.is_absent(key):
            return {}
        value = self._data.get(key)
        return value if isinstance(value, dict) else self._fail(key, OBJECT)

    def items(
        self, key: str, convert: Callable[[Fields], T], *, required: bool = True
    ) -> tuple[T, ...]:
        """Return a list of objects, each converted."""
        found = self._list(key, required=required)
        return tuple(
            convert(Fields(item, f"{self._path(key)}[{place}]")) for place, item in enumerate(found)
        )

    def mapping(self, key: str, convert: Callable[[Fields], T]) -> dict[str, T]:
        """Return an object of objects, each converted."""
        found = self._object(key)
        return {
            name: convert(Fields(item, f"{self._path(key)}.{name}")) for name, item in found.items()
        }

    def strings(self, key: str, *, required: bool = True) -> tuple[str, ...]:
        """Return a list of strings."""
        found = self._list(key, required=required)
        if not all(isinstance(item, str) for item in found):
            self._fail(key, Text("a list of strings", "字符串列表"))
        return tuple(found)

    def number_list(self, key: str) -> tuple[float, ...]:
        """Return a list of floats."""
        found = [_as_number(item) for item in self._list(key)]
        if any(item is None for item in found):
            self._fail(key, Text("a list of numbers", "数字列表"))
        return tuple(item for item in found if item is not None)

    def integer_list(self, key: str) -> tuple[int, ...]:
        """Return a list of integers."""
        found = self._list(key)
        if not all(isinstance(item, int) and not isinstance(item, bool) for item in found):
            self._fail(key, Text("a list of integers", "整数列表"))
        return tuple(found)

    def numbers(self, key: str, *, required: bool = True) -> dict[str, float]:
        """Return an object of floats."""
        out: dict[str, float] = {}
        for name, value in self._object(key, required=required).items():
            number = _as_number(value)
            if number is None:
                told = Text("expected a number", "应为数字")
                raise ReportError(told, at=f"{self._path(key)}.{name}")
            out[name] = number
        return out

    def integers(self, key: str, *, required: bool = True) -> dict[str, int]:
        """Return an object of integers."""
        held = self.object(key, required=required)
        return {name: held.integer(name) for name in self._object(key, required=required)}

    def values(
        self, key: str, *, booleans: bool = False, required: bool = True
    ) -> dict[str, float | int | str]:
        """Return an object of numbers and strings, and of booleans where they may occur."""
        out: dict[str, float | int | str] = {}
        for name, value in self._object(key, required=required).items():
            is_boolean = isinstance(value, bool) and not booleans
            if is_boolean or not isinstance(value, int | float | str):
                told = Text("expected a number or a string", "应为数字或字符串")
                raise ReportError(told, at=f"{self._path(key)}.{name}")
            out[name] = float(value) if value in NONFINITE_WORDS else value
        return out


def _as_number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return None
    return float(value) if isinstance(value, str) and value in NONFINITE_WORDS else None


def _kind(value: object) -> Text:
    names = {dict: OBJECT, list: LIST, str: STRING, bool: Text("a boolean", "布尔值")}
    if value is None:
        return Text("null", " null")
    return names.get(type(value), NUMBER)
