from __future__ import annotations

import re
from pathlib import Path

import pytest

import spikedoc.renderers
from spikedoc.model.knowledge import Cost, Domain
from spikedoc.model.label import Severity, Status
from spikedoc.renderers._strings import Words, table
from spikedoc.text import Language

PLACEHOLDER = re.compile(r"\{(\w+)\}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")

# Signs, and words that are the same in both languages.
SAME = {
    *("plot.nonfinite", "column.rank", "fact.source", "place.at"),
    *("list.comma", "list.colon", "list.aside"),
}


@pytest.mark.parametrize("key", table())
def test_both_languages_say_the_same(key: str) -> None:
    text = table()[key]
    assert text.en
    assert text.zh
    assert sorted(PLACEHOLDER.findall(text.en)) == sorted(PLACEHOLDER.findall(text.zh))
    assert not CHINESE.search(text.en)
    if key not in SAME and not key.startswith("fact.points"):
        assert CHINESE.search(text.zh), f"{key} is not translated"
    # half-width marks between Chinese signs are a slip
    assert not re.search(r"[\u4e00-\u9fff][,;!?]|[,;!?][\u4e00-\u9fff]", text.zh)


@pytest.mark.parametrize(
    "key",
    [
        *(f"status.{status.value}" for status in Status),
        *(f"severity.{severity.value}" for severity in Severity),
        *(f"domain.{domain.value}" for domain in Domain),
        *(f"cost.{cost.value}" for cost in Cost),
    ],
)
def test_every_id_has_a_word(key: str) -> None:
    assert key in table()


def test_every_word_is_used() -> None:
    folder = Path(next(iter(spikedoc.renderers.__path__)))
    files = [*folder.glob("*.py"), *folder.glob("html_page/*.j2")]
    source = "\n".join(file.read_text(encoding="utf-8") for file in files)
    whole = ("status", "severity", "domain", "cost", "column", "duration", "strength", "heading")
    whole += ("evidence", "lane")
    for key in table():
        section = key.partition(".")[0]
        name = key.removesuffix("_one")
        if section not in (*whole, "script"):
            assert re.search(f"""["']{name}["']""", source), f"{key} is not used"


def test_scripts_say_every_word_that_is_theirs_and_no_other() -> None:
    folder = Path(next(iter(spikedoc.renderers.__path__)))
    source = "\n".join(file.read_text(encoding="utf-8") for file in folder.glob("html_page/*.js"))
    said = set(re.findall(r"""say\("(\w+)\"""", source))
    said |= {"copied", "not_copied", "drawn", "points"}  # one of two
    assert said == {key.partition(".")[2] for key in table() if key.startswith("script.")}


def test_one_is_singular() -> None:
    words = Words(Language.EN)
    assert words("more.causes", n=1) == "1 more cause: --verbose"
    assert words("more.causes", n=2) == "2 more causes: --verbose"
    with pytest.raises(KeyError):
        words("more.unheard")
