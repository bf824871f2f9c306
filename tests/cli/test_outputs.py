"""Several outputs of the gate in one go."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.cli.outputs import SUFFIXES, Output, choose_outputs, formats
from spikedoc.errors import UsageError


@pytest.mark.parametrize(
    ("given", "output", "expected"),
    [
        ((), None, [Output("text")]),
        (("github",), None, [Output("github")]),
        ((), "a.xml", [Output("junit", Path("a.xml"))]),
        (("json",), "a.txt", [Output("json", Path("a.txt"))]),
        (("junit=b.xml",), None, [Output("junit", Path("b.xml")), Output("text")]),
        (
            ("github", "junit=b.xml", "sarif=c=d.sarif"),
            None,
            [
                Output("junit", Path("b.xml")),
                Output("sarif", Path("c=d.sarif")),
                Output("github"),
            ],
        ),
    ],
)
def test_where_each_goes(given: tuple[str, ...], output: str | None, expected: list) -> None:
    assert list(choose_outputs(given, None if output is None else Path(output))) == expected


@pytest.mark.parametrize(
    ("given", "output", "said"),
    [
        (("pdf",), None, "--format pdf: expected one of"),
        (("base",), None, "expected one of"),
        (("junit=",), None, "no file after the ="),
        (("json", "github"), None, "json and github for one output; say github=FILE"),
        (("json=a", "junit=a"), None, "two formats for one file, a"),
        (("json=a.xml",), "a.xml", "two formats for one file, a.xml"),
        ((), "r.html", "a .html is written by spikedoc analyze"),
    ],
)
def test_what_makes_no_sense(given: tuple[str, ...], output: str | None, said: str) -> None:
    with pytest.raises(UsageError) as error:
        choose_outputs(given, None if output is None else Path(output))
    assert said in str(error.value)


def test_a_suffix_names_a_format_there_is() -> None:
    assert set(SUFFIXES.values()) <= set(formats())
