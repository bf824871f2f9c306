"""The page of coverage: every row is there, and nothing it points to is missing."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _generate.coverage import ROWS, Ask, Row, coverage, load, problems, wanted  # noqa: E402
from _generate.references import Names, Reference, has_field, test_exists  # noqa: E402

from spikedoc.model.report import Report  # noqa: E402

is_a_test = test_exists  # a name that pytest does not collect
del test_exists

LEFT_OUT = 3  # rows without any answer, at most


@cache
def names() -> Names:
    return Names()


@cache
def rows() -> tuple[Row, ...]:
    return load()


def changed(index: int, **changes: object) -> list[Row]:
    """Return all rows with one of them changed."""
    out = list(rows())
    out[index] = replace(out[index], **changes)  # type: ignore[arg-type]
    return out


def test_every_row_is_answered_or_left_out_with_a_reason() -> None:
    assert list(problems(rows(), names())) == []
    assert [row.id for row in rows()] == wanted()
    assert len(rows()) == sum(ROWS.values()) == 211
    assert sum(1 for row in rows() if not row.by) <= LEFT_OUT


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("detector", "oracle"),
        ("label", "level-shift/sideways"),
        ("probe", "lr_was_fine"),
        ("rule", "SD999"),
        ("check", "ask-the-moon"),
        ("fix", "pray"),
        ("figure", "phase_of_moon"),
        ("stage", "isolated-spike/tea"),
        ("report", "causes.rule.smell"),
        ("command", "guess"),
        ("command", "analyze --crystal-ball"),
        ("format", "papyrus"),
        ("reader", "runes"),
        ("page", "how-to/give-up.md"),
        ("sample", "run_that_never_was"),
        ("spell", "abracadabra"),
    ],
)
def test_a_row_that_points_to_nothing_is_named(kind: str, name: str) -> None:
    wrong = changed(0, by=(Reference(kind, name),))
    assert list(problems(wrong, names())) == [f"A01: no {kind} {name!r}"]
    with pytest.raises(ValueError, match="A01: no "):
        coverage(wrong, names())


@pytest.mark.parametrize(
    "node",
    [
        "tests/docs/test_nothing.py::test_a",
        "tests/docs/test_mission.py::test_that_was_never_written",
        "tests/docs/test_mission.py::TestNever::test_a",
        "tests/docs/test_mission.py::changed",
        "tests/sample_logs/test_cases.py::test_status[no_such_run]",
        "spikedoc/pipeline.py::analyze",
    ],
)
def test_a_test_that_does_not_exist_is_named(node: str) -> None:
    assert not is_a_test(node)
    assert list(problems(changed(3, tests=(node,)), names())) == [f"A04: no test {node}"]


def test_tests_are_found_in_classes_and_by_case() -> None:
    assert is_a_test("tests/docs/test_mission.py::test_tests_are_found_in_classes_and_by_case")
    assert is_a_test("tests/classifier/test_labels.py::TestSpikes::test_several_are_a_warning")
    assert is_a_test("tests/sample_logs/test_cases.py::test_status[overfit]")


def test_missing_double_and_misplaced_rows_are_named() -> None:
    assert list(problems(rows()[:-1], names())) == ["C71: missing"]
    extra = (*rows(), replace(rows()[-1], id="C72"))
    assert list(problems(extra, names())) == ["C72: no such row"]
    turned = (rows()[1], rows()[0], *rows()[2:])
    assert list(problems(turned, names())) == ["the rows are not in order"]
    double = (rows()[0], *rows())
    assert "A01: twice" in list(problems(double, names()))


def test_no_row_is_empty_and_proof_belongs_to_an_answer() -> None:
    empty = changed(0, by=(), tests=(), missing="")
    assert list(problems(empty, names())) == ["A01: neither answered nor left out with a reason"]
    assert list(problems(changed(0, tests=()), names())) == ["A01: answers and tests go together"]


def test_a_malformed_row_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mission.toml"
    file.write_text('[A01]\nkind = "detect"\nasks = "Something."\nwhy = "?"\n')
    with pytest.raises(ValueError, match=r"A01: unknown keys \['why'\]"):
        load(file)


def test_fields_of_the_report_are_followed_through() -> None:
    for path in ("headline", "rollback.wasted_seconds", "causes.rule.domain", "gaps.signal",
                 "run.signals.nonfinite", "findings.anomaly.kind"):  # fmt: skip
        assert has_field(Report, path), path
    assert not has_field(Report, "status.value.name")


def test_rows_are_short_sentences_of_our_own() -> None:
    for row in rows():
        for text in (row.asks, *(t for t in (row.differs, row.missing) if t)):
            assert text.endswith((".", "?")), row.id
            assert text[0].isupper() or text.startswith(("exp(", "eps ")), row.id
            assert text.isascii(), row.id
            assert len(text) <= 160, row.id


def test_the_page_has_each_row_once_under_its_article() -> None:
    page = coverage(rows(), names())
    assert re.findall(r"^\| ([ABC]\d\d) \|", page, re.MULTILINE) == [
        row.id
        for article in ROWS
        for kind in Ask
        for row in rows()
        if row.id[0] == article and row.kind is kind
    ]
    counts = re.search(r"^211 rows: (\d+) answered, (\d+) answered in part, (\d+) left out\.$",
                       page, re.MULTILINE)  # fmt: skip
    assert counts is not None
    assert sum(map(int, counts.groups())) == 211


def test_the_ten_minutes_have_ten_steps_in_order() -> None:
    page = (ROOT / "docs/how-to/check-a-new-training.md").read_text("utf-8")
    steps = re.findall(r"^(\d+)\. \*\*(.*?)\*\*", page, re.MULTILINE | re.DOTALL)
    assert [int(number) for number, _ in steps] == list(range(1, 11))
    keys = ("seed", "Overfit 32 to 64", "first loss", "checks of the framework", "inputs",
            "each layer", "gradient norm", "learning rate", "resume", "Clip")  # fmt: skip
    for (_, title), key in zip(steps, keys, strict=True):
        assert key in title
    for signal in ("validation loss and metric", "learning rate", "gradient norm", "weight norm"):
        assert f"{signal}" in page.partition("## What to log")[2]
