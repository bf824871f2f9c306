"""Messages of the errors meant for the user: one line that says what, where and what to do."""

from __future__ import annotations

import ast
import errno
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import spikedoc
from spikedoc.errors import (
    CatalogError,
    InputError,
    ReportError,
    SpikedocError,
    UsageError,
    cannot_read,
    cannot_write,
)
from spikedoc.text import Text

PACKAGE = Path(spikedoc.__file__).parent
# Of each error the arguments that people read: their places and their names.
TOLD = {
    "SpikedocError": ((0,), ("text",)),
    "UsageError": ((0,), ("text",)),
    "ReportError": ((0,), ("text",)),
    "CatalogError": ((2,), ("reason",)),
    "InputError": ((1, 2), ("reason", "hint")),
}


@pytest.mark.parametrize(
    "error",
    [
        InputError("runs/a", Text("no log found", "没有日志"), "name a file"),
        CatalogError("rule.toml", "check.a", "expected text"),
        UsageError("expected a number", at="--top"),
        ReportError("not a report"),
    ],
)
def test_an_error_comes_whole_out_of_another_process(error: SpikedocError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (str(copy), copy.__dict__) == (str(error), error.__dict__)


def test_an_input_error_says_where_and_what_to_do() -> None:
    error = InputError(Path("runs/a"), "no log found", "name a file")
    assert str(error) == "runs/a: no log found (name a file)"
    assert (error.path, error.reason, error.hint) == ("runs/a", "no log found", "name a file")
    assert str(InputError("runs/a", "no log found")) == "runs/a: no log found"


def test_a_catalog_error_names_file_and_key() -> None:
    error = CatalogError(Path("SD101-x.toml"), "prior.spike", "is no kind")
    assert str(error) == "SD101-x.toml: prior.spike: is no kind"
    assert (error.source, error.key, error.reason) == ("SD101-x.toml", "prior.spike", "is no kind")
    assert str(CatalogError("SD101-x.toml", "", "is empty")) == "SD101-x.toml: is empty"


@pytest.mark.parametrize(
    "error", [InputError("p", "r"), UsageError("u"), CatalogError("s", "k", "r"), ReportError("x")]
)
def test_all_are_caught_by_one_name(error: Exception) -> None:
    assert isinstance(error, SpikedocError)
    assert "\n" not in str(error)


def test_an_input_error_is_one_line_in_both_languages() -> None:
    error = InputError("runs/a", Text("no log", "没有日志"), Text("name a file", "请给出文件"))
    assert error.text == Text("runs/a: no log (name a file)", "runs/a：没有日志（请给出文件）")
    assert str(error) == error.text.en
    assert (error.why.zh, error.advice.zh) == ("没有日志", "请给出文件")


def test_the_place_comes_before_the_text() -> None:
    wrong = Text("is missing", "缺失")
    assert UsageError(wrong, at="--map").text == Text("--map: is missing", "--map：缺失")
    assert CatalogError("a.toml", "why", wrong).text.zh == "a.toml: why：缺失"
    assert ReportError(wrong).text == wrong


def test_what_the_system_says_is_said_in_both_languages() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    assert cannot_write("a.html", full).text == Text(
        "cannot write a.html: No space left on device", "无法写入 a.html：设备上没有剩余空间"
    )
    odd = OSError(errno.ENOLINK, "Link has been severed")
    assert cannot_read("a", odd).text.zh == "无法读取 a：系统报告：Link has been severed"


def is_plain(node: ast.AST, strings: set[str]) -> bool:
    """Return whether an expression is a string of one language."""
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
        case ast.Name(id=name):
            return name in strings
        case ast.BinOp(left=left, right=right):
            return is_plain(left, strings) or is_plain(right, strings)
        case ast.IfExp(body=one, orelse=other):
            return is_plain(one, strings) or is_plain(other, strings)
        case ast.Call(func=ast.Name(id="str")):
            return True
        case ast.Call(func=ast.Attribute(attr="join" | "format" | "lower")):
            return True
    return False


def in_one_language(code: str) -> Iterator[int]:
    """Yield the lines at which an error gets a string where a text belongs."""
    tree = ast.parse(code)
    strings: set[str] = set()
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        value = getattr(node, "value", None)
        if value is not None and is_plain(value, set()):
            strings |= {one.id for one in targets if isinstance(one, ast.Name)}
    for node in ast.walk(tree):
        name = getattr(getattr(node, "func", None), "id", "")
        if isinstance(node, ast.Call) and name in TOLD:
            places, names = TOLD[name]
            told = [node.args[place] for place in places if place < len(node.args)]
            told += [one.value for one in node.keywords if one.arg in names]
            if any(is_plain(one, strings) for one in told):
                yield node.lineno


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ('raise UsageError("no such role")', [1]),
        ('raise InputError(path, NONE, f"see {path}")', [1]),
        ('hint = "a" + b\nraise InputError(path, NONE, hint)', [2]),
        ('raise CatalogError(file, "", reason=str(error))', [1]),
        ('raise CatalogError(str(file), "key", MISSING)', []),
        ('raise InputError(f"a/{b}", NONE.fill({"a": str(b)}), HINT)', []),
        ('raise UsageError(Text(f"no {a}", f"没有 {a}"), at=f"--map {a}")', []),
    ],
)
def test_a_plain_string_is_seen(code: str, lines: list[int]) -> None:
    assert list(in_one_language(code)) == lines


def test_no_error_speaks_one_language() -> None:
    found = [
        f"{file.relative_to(PACKAGE)}:{line}"
        for file in sorted(PACKAGE.rglob("*.py"))
        for line in in_one_language(file.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_all_errors_are_looked_at() -> None:
    assert {one.__name__ for one in SpikedocError.__subclasses__()} | {"SpikedocError"} == set(TOLD)
