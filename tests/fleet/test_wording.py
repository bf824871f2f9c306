from __future__ import annotations

import fleets

from spikedoc.fleet.record import State
from spikedoc.fleet.summary import summarise
from spikedoc.fleet.wording import BROKEN, STATES, described, headline, tables, title_of
from spikedoc.text import Language, Text

TITLES = {"SD401": Text("A value leaves the range", "数值溢出")}


def test_the_headline_counts_in_both_languages() -> None:
    summary = summarise([fleets.record("a", State.CRITICAL), fleets.record("b")])
    assert headline(summary, Language.EN) == "2 runs: 1 critical, 1 healthy"
    assert headline(summary, Language.ZH) == "2 次训练：1 严重，1 健康"
    assert headline(summarise([]), Language.EN) == "0 runs"
    assert headline(summarise([fleets.record()]), Language.EN) == "1 run: 1 healthy"


def test_every_state_has_a_word_of_its_own() -> None:
    assert set(STATES) == set(State)
    assert len({text.zh for text in STATES.values()}) == len(State)


def test_tables_say_what_they_leave_out() -> None:
    many = [fleets.record(f"p{n}/run", State.CRITICAL) for n in range(30)]
    found = {table.title.en: table for table in tables(summarise(many), TITLES, Language.EN)}
    assert set(found) == {"Likeliest causes", "Projects", "Weeks", "Runs to look at"}
    assert found["Likeliest causes"].rows[0][:3] == ("SD401", "A value leaves the range", "30")
    assert (len(found["Projects"].rows), found["Projects"].left_out) == (20, 10)
    assert found["Projects"].rows[0] == ("p0", "1", "1", "0", "0", "0")


def test_names_from_logs_are_made_safe() -> None:
    hostile = fleets.record("\x1b[31mred\u202e/a", State.WARNING, run="x")
    broken = fleets.record("b", State.FAILED, error="one\ntwo\x1b]0;title\x07")
    for table in tables(summarise([hostile, broken]), TITLES, Language.ZH):
        for row in table.rows:
            assert all(cell.isprintable() for cell in row)


def test_titles_fall_back_to_the_cause() -> None:
    assert title_of("SD401", "fp16-overflow", TITLES, Language.ZH) == "数值溢出"
    assert title_of("MY001", "own", TITLES, Language.EN) == "own"
    assert title_of("", "", TITLES, Language.EN) == "none named"
    assert described(fleets.record(), Language.EN) == ("healthy", "", "", "")


def test_why_there_is_no_result_is_told_in_both_languages() -> None:
    broken = fleets.record("b", State.FAILED, error="killed", error_zh="被终止")
    older = fleets.record("c", State.FAILED, error="killed")
    shown = [
        [row[2] for row in table.rows]
        for language in Language
        for table in tables(summarise([broken, older]), {}, language)
        if table.title is BROKEN
    ]
    assert shown == [["killed", "killed"], ["被终止", "killed"]]
