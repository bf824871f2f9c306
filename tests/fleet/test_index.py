from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import fleets
import pytest

from spikedoc.errors import UsageError
from spikedoc.fleet.index import check_folder, render, write_index
from spikedoc.fleet.record import Record, State
from spikedoc.fleet.summary import summarise
from spikedoc.text import Language, Text

TITLES = {"SD401": Text("A <b>value</b>", "数值")}
PAGE = "0123456789abcdef-1.html"
HOSTILE = '"><script>alert(1)</script><a href="javascript:alert(1)">'


class Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


def outline(folder: Path, records: list[Record], language: Language = Language.EN) -> Outline:
    found = Outline()
    found.feed(render(folder, records, summarise(records), TITLES, language))
    return found


def test_runs_with_a_page_are_linked(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / PAGE).write_text("page")
    records = [
        fleets.record("a", State.CRITICAL, report=PAGE),
        fleets.record("b", State.WARNING, report="fedcba9876543210-1.html"),  # not there
        fleets.record("c"),
    ]
    assert outline(tmp_path, records).links == [f"reports/{PAGE}"]


@pytest.mark.parametrize("language", list(Language))
def test_nothing_from_a_log_is_markup(tmp_path: Path, language: Language) -> None:
    (tmp_path / "evil.html").write_text("x")
    records = [
        fleets.record(f"{HOSTILE}/a", State.CRITICAL, report="../evil.html"),
        fleets.record("b", State.FAILED, error=HOSTILE),
        fleets.record("c", State.WARNING, report='x" onclick="y'),
    ]
    found = outline(tmp_path, records, language)
    assert found.links == []
    assert "script" not in found.tags
    assert "b" not in found.tags


def test_the_policy_allows_one_style_and_no_script(tmp_path: Path) -> None:
    page = render(tmp_path, [], summarise([]), TITLES, Language.ZH)
    match = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert match is not None
    assert match[1].startswith("default-src &#39;none&#39;; style-src &#39;sha256-")
    assert "script-src" not in match[1]
    assert 'lang="zh-Hans"' in page


def test_the_worst_come_first(tmp_path: Path) -> None:
    records = [fleets.record("good"), fleets.record("bad", State.CRITICAL)]
    page = render(tmp_path, records, summarise(records), TITLES, Language.EN)
    runs = page.rpartition("<h2>Runs</h2>")[2]
    assert runs.index("bad") < runs.index("good")


def test_places_that_several_runs_share_are_told(tmp_path: Path) -> None:
    records = [
        fleets.record(
            f"{HOSTILE}/run{n}", first_step=0, last_step=4000, spikes=fleets.trace(n, 777)
        )
        for n in range(3)
    ]
    page = render(tmp_path, records, summarise(records), TITLES, Language.EN)
    assert "<h2>The same place in several runs</h2>" in page
    assert "Step 777 spikes in 3 of 3 runs" in page
    assert "script" not in outline(tmp_path, records).tags


def test_an_index_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    check_folder(tmp_path / "new")
    write_index(tmp_path, [], summarise([]), TITLES, Language.EN)
    check_folder(tmp_path)
    (tmp_path / "index.html").write_text("<html>my page</html>")
    with pytest.raises(UsageError, match="not of a scan"):
        check_folder(tmp_path)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError):
        write_index(tmp_path / "file", [], summarise([]), TITLES, Language.EN)
