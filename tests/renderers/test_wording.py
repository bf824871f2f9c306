from __future__ import annotations

from dataclasses import replace

import pytest
import report_factory

from spikedoc.model.evidence import Verdict
from spikedoc.renderers._strings import Words
from spikedoc.renderers._wording import (
    causes_to_tell,
    duration,
    id_ranges,
    notes_of,
    place,
    public_path,
    score,
    size,
    to_cure,
    verdict_line,
    without_user_paths,
)
from spikedoc.text import Language, Text

EN, ZH = Words(Language.EN), Words(Language.ZH)


@pytest.mark.parametrize(
    ("ids", "short"),
    [
        ((), ""),
        (("F1",), "F1"),
        (("F1", "F2"), "F1 F2"),
        (("F1", "F2", "F3", "F7"), "F1–F3 F7"),
        (("F3", "F1", "F2", "F2"), "F1–F3"),
        (("x", "F2"), "F2 x"),
        (tuple(f"F{n}" for n in range(1, 30, 2)), "F1 F3 F5 F7 F9 F11 +9"),
        (("F" + "9" * 5000,), "F" + "9" * 38 + "…" + "9" * 40),
    ],
)
def test_id_ranges(ids: tuple[str, ...], short: str) -> None:
    assert id_ranges(ids) == short


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0 s"), (90.0, "90 s"), (120.0, "2 min"), (5520.0, "92 min"), (7200.0, "2 h"),
     (86400.0, "24 h"), (200_000.0, "2.31 days"), (1e9, "11574 days")],
)  # fmt: skip
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds, EN) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (5 * 2**30, "5 GiB")],
)
def test_size(count: int, text: str) -> None:
    assert size(count) == text


def test_place_of_a_finding() -> None:
    report = report_factory.failing()
    first, second, third = report.findings
    assert place(first, report, EN) == "loss, step 12400 to the end"
    assert place(second, report, EN) == "grad_norm, steps 12190 to 12390"
    assert place(third, report, EN) == "loss, step 7000"
    assert place(second, report, ZH) == "grad_norm，第 12190 至 12390 步"


@pytest.mark.parametrize(
    ("path", "run", "shown"),
    [
        ("/home/alice/runs/a/x.csv", "/home/alice/runs/a", "a/x.csv"),
        ("/home/alice/x.csv", "/home/alice/x.csv", "x.csv"),
        ("/home/alice/other/ckpt/1.pt", "/data/runs/a", "ckpt/1.pt"),
        ("/home/alice/1.pt", "/data/runs/a", "~/1.pt"),
        ("/scratch/1.pt", "/", "scratch/1.pt"),
        ("runs/a/x.csv", "runs/a", "runs/a/x.csv"),
        ("C:\\Users\\alice\\runs\\a\\x.csv", "C:\\Users\\alice\\runs\\a", "a\\x.csv"),
        ("D:\\x\\y\\z.pt", "C:\\runs\\a", "y/z.pt"),
    ],
)
def test_public_path(path: str, run: str, shown: str) -> None:
    assert public_path(path, run) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cannot read /home/alice/runs/a/x.yaml", "cannot read a/x.yaml"),
        ("see /home/bob/y", "see ~/y"),
        ("see /Users/bob/y and /root/z", "see ~/y and ~/z"),
        ("see C:\\Users\\bob\\y", "see ~\\y"),
        ("a loss of 3/4 in data/home/x", "a loss of 3/4 in data/home/x"),
    ],
)
def test_without_user_paths(text: str, shown: str) -> None:
    assert without_user_paths(text, "/home/alice/runs/a") == shown


def test_notes_are_told_once_with_their_file() -> None:
    report = report_factory.failing()
    assert notes_of(report) == [
        Text(
            "gpt-small-fp16/events.out.tfevents.1.node3: 2 damaged records skipped",
            "gpt-small-fp16/events.out.tfevents.1.node3：跳过 2 条损坏的记录",
        ),
        Text(
            "step 8010 was written twice; the later value was kept",
            "第 8010 步写了两次，保留后写的值",
        ),
    ]


def test_no_score_is_shown_as_a_certainty() -> None:
    assert [score(points) for points in (0.0, 0.614, 0.994, 0.999, 1.0)] == [
        "0.00",
        "0.61",
        "0.99",
        "0.99",
        "0.99",
    ]


@pytest.mark.parametrize(
    ("points", "first"), [(0.50, "Likeliest cause"), (0.49, "No cause stands")]
)
def test_a_thin_cause_does_not_lead(points: float, first: str) -> None:
    failing = report_factory.failing()
    report = replace(failing, causes=(replace(failing.causes[0], score=points),))
    assert verdict_line(report, EN).startswith(first)


def test_a_healthy_run_gets_its_harmless_explanations_only() -> None:
    report = report_factory.healthy()
    fault = replace(report_factory.failing().causes[0], rank=2)
    mixed = replace(report, causes=(fault, *report.causes))
    heading, causes = causes_to_tell(mixed, verbose=False)
    assert heading == "heading.harmless"
    assert causes == list(report.causes)
    assert causes_to_tell(mixed, verbose=True) == ("heading.behind", [*report.causes, fault])
    assert causes_to_tell(replace(mixed, causes=(fault,)), verbose=False)[1] == []
    (harmless,) = report.causes
    faint = replace(report, causes=(replace(harmless, score=0.49),))
    assert causes_to_tell(faint, verbose=False)[1] == []
    assert causes_to_tell(faint, verbose=True)[1] == list(faint.causes)
    failing = report_factory.failing()
    assert causes_to_tell(failing, verbose=False) == ("heading.causes", list(failing.causes))


def test_the_first_line_counts_the_signs_and_keeps_to_what_is_wrong() -> None:
    failing = report_factory.failing()
    lead = failing.causes[0]
    said = [e for e in lead.evidence if e.verdict is Verdict.SUPPORTS]
    alone = replace(lead, evidence=(said[0],), score=0.8)
    assert verdict_line(replace(failing, causes=(alone,)), EN).startswith("Possible cause, by one")
    assert "仅有一条依据" in verdict_line(replace(failing, causes=(alone,)), ZH)
    of_remarks = replace(lead, findings=("F99",))
    line = verdict_line(replace(failing, causes=(of_remarks,)), EN)
    assert line == "Nothing that was logged tells its cause."


def test_only_causes_near_the_first_send_to_a_cure() -> None:
    first, second, *_ = report_factory.failing_causes()
    likely = replace(first, rank=1, score=0.9)
    at, below = (replace(second, rank=2, score=score) for score in (0.45, 0.44))
    assert to_cure([at, likely], 3) == [likely, at]
    assert to_cure([likely, below], 3) == [likely]
    assert to_cure([likely, at], 1) == [likely]
    assert to_cure([], 3) == []
