"""Several outputs of the gate in one go."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.cli.outputs import Output, choose_outputs, refuse_twice
from spikedoc.errors import UsageError


@pytest.mark.parametrize(
    ("given", "output", "expected"),
    [
        ((), None, [Output("text")]),
        (("github",), None, [Output("github")]),
        ((), "a.xml", [Output("junit", Path("a.xml"))]),
        (("json",), "a.txt", [Output("json", Path("a.txt"))]),
        (("sarif=-",), None, [Output("sarif")]),
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
        (("json=-", "github"), None, "json and github for one output; say github=FILE"),
        (("json=a", "junit=./a"), None, "two outputs for one file, a"),
        (("json=a", "junit=a"), None, "two outputs for one file, a"),
        (("json=a.xml",), "a.xml", "two outputs for one file, a.xml"),
        ((), "r.html", "cannot write r.html: no format for .html here"),
    ],
)
def test_what_makes_no_sense(given: tuple[str, ...], output: str | None, said: str) -> None:
    with pytest.raises(UsageError) as error:
        choose_outputs(given, None if output is None else Path(output))
    assert said in str(error.value)


def test_the_former_name_of_the_text() -> None:
    assert choose_outputs(("terminal=a.log", "json"), None)[0] == Output("text", Path("a.log"))


def test_a_link_is_the_file_it_leads_to(tmp_path: Path) -> None:
    file, link, other = (tmp_path / name for name in ("a", "b", "c"))
    file.touch()
    link.symlink_to(file)
    other.hardlink_to(file)
    for twin in (link, other):
        with pytest.raises(UsageError, match="two outputs for one file"):
            choose_outputs((f"json={file}", f"junit={twin}"), None)
    with pytest.raises(UsageError, match="two outputs for one file"):
        refuse_twice([Output("json", file)], [link])


def test_a_device_holds_nothing_that_could_be_lost() -> None:
    choose_outputs(("json=/dev/null", "junit=/dev/null"), None)
