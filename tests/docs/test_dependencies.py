"""The page of dependencies lists what `pyproject.toml` does, each with its bound and a reason."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| `([\w-]+)` \| ([\d.]+) \| (.+) \|$", re.MULTILINE)
REQUIREMENT = re.compile(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)")


def declared() -> dict[str, set[tuple[str, str]]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    del groups["all"]
    return {name: {_parts(one) for one in listed} for name, listed in groups.items()}


def _parts(requirement: str) -> tuple[str, str]:
    match = REQUIREMENT.fullmatch(requirement)
    assert match, f"{requirement} has no lower bound"
    return match[1], match[2]


def tables() -> list[list[tuple[str, str, str]]]:
    page = (ROOT / "docs/explanation/dependencies.md").read_text(encoding="utf-8")
    return [ROW.findall(part) for part in page.split("\n## ")]


def test_the_page_lists_what_is_installed() -> None:
    always, on_request, dev = tables()
    groups = declared()
    assert {row[:2] for row in always} == groups.pop("")
    assert {row[:2] for row in dev} == groups.pop("dev")
    assert {row[:2] for row in on_request} == set().union(*groups.values())
    for package, bound, rest in on_request:
        extra = re.match(r"`(\w+)`", rest)
        assert extra
        assert (package, bound) in groups[extra[1]]


def test_each_has_its_reason_and_its_licence() -> None:
    always, on_request, dev = tables()
    assert all(len(rest.split(" | ")) == 2 for _, _, rest in always)
    assert all(len(rest.split(" | ")) == 3 for _, _, rest in on_request)
    assert all(len(rest) > 4 for _, _, rest in dev)
