"""What a report says, and the slips of language that a program can see in it.

What is right word for word and what nobody would say is for a reader; these are the slips that
readers found, each held wherever it may come again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from spikedoc.model.evidence import Evidence
from spikedoc.model.report import Advice, Report
from spikedoc.text import Text

# An English sentence that counts one of a thing and calls it several.
ONE_OF_SEVERAL: Final = re.compile(
    r"(?<![\d.,/+-])\b1 (?:[a-z]+ )?"
    r"(?:batches|bytes|classes|cycles|epochs|evaluations|events|files|halvings|lines|losses|points|"
    r"ranks|records|rows|runs|samples|spikes|steps|values)\b"
)
# What a person would say with "no" or "none".
NOTHING_OF: Final = re.compile(
    r"\b(?:[Oo]nly|at most) 0(?! ?%|\.\d)\b|\b[Oo]nly 0 %|只有 0 |最多连续 0 "
)
# Digits behind a decimal point beyond the four that a report shows, zeros before them left out.
TOO_PRECISE: Final = re.compile(r"(?<![\w.])\d+\.(?:\d{5,})(?![\w.])")
SHOWN_DIGITS: Final = 4
# Code is no prose, nor is a formula in brackets.
CODE: Final = re.compile(r"`[^`]*`|\([^()\u3000-\u9fff]*\)")
HAN: Final = "\u4e00-\u9fff"
LIST_OF_NAMES: Final = re.compile(rf"[{HAN}][^。；]*?\w, \w")
HALF_WIDTH: Final = re.compile(rf"[{HAN}] ?[,;:!?](?![\w/])|[,;:!?)][{HAN}]")


def evidence(report: Report) -> Iterator[Evidence]:
    """Yield all answers that the report tells, cause by cause."""
    for cause in report.causes:
        yield from cause.evidence


def advice(report: Report) -> Iterator[Advice]:
    """Yield every check and fix of the report."""
    for item in report.checklist:
        yield item.check
    for cause in report.causes:
        yield from (*cause.checks, *cause.fixes)


def told_texts(report: Report) -> Iterator[Text]:
    """Yield the sentences that people read and that the program, not the log, has written."""
    yield report.headline
    yield from (finding.summary for finding in report.findings)
    yield from (said.statement for said in evidence(report))
    yield from (found.text for found in advice(report))
    yield from (gap.would_tell for gap in report.gaps)
    yield from report.limits
    yield from (guard.statement for guard in report.guards)
    if report.rollback is not None:
        yield report.rollback.reason


def prose(text: str) -> str:
    """Return a text without its code and formulas, brackets in brackets included."""
    bare = CODE.sub("", text)
    return bare if bare == text else prose(bare)


def one_called_several(report: Report) -> list[str]:
    """Return English sentences such as "1 rows"."""
    return [t.en for t in told_texts(report) if ONE_OF_SEVERAL.search(prose(t.en))]


def nothing_counted(report: Report) -> list[str]:
    """Return sentences such as "only 0 spikes"."""
    both = (text for told in told_texts(report) for text in (told.en, told.zh))
    return [text for text in both if NOTHING_OF.search(text)]


def too_precise(report: Report) -> list[str]:
    """Return sentences with a number of more digits than a log can mean."""
    wrong = []
    for told in told_texts(report):
        for number in TOO_PRECISE.findall(prose(told.en)):
            digits = number.replace(".", "").lstrip("0")
            wrong += [f"{number}: {told.en}"] if len(digits) > SHOWN_DIGITS else []
    return wrong


def english_marks(report: Report) -> list[str]:
    """Return Chinese sentences with the commas and lists of English."""
    plain = ((told.zh, prose(told.zh)) for told in told_texts(report))
    return [zh for zh, bare in plain if HALF_WIDTH.search(bare) or LIST_OF_NAMES.search(bare)]


SLIPS: Final[tuple[Callable[[Report], list[str]], ...]] = (
    one_called_several,
    nothing_counted,
    too_precise,
    english_marks,
)
