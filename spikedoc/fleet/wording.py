"""The words of summaries and of the index, and the tables that they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from spikedoc.classifier.wording import meaning
from spikedoc.cleaning import name, one_line
from spikedoc.coincidence.words import SHARED
from spikedoc.fleet.record import RUNS, Record, Seen, State
from spikedoc.fleet.summary import Group, Summary, label
from spikedoc.model.metric import spoken
from spikedoc.text import Language, Text, listed

# Rows of a table for people; the store and the JSON summary have all.
MOST_ROWS: Final = 20

STATES: Final = {
    State.CRITICAL: Text("critical", "严重"),
    State.WARNING: Text("warning", "警告"),
    State.UNKNOWN: Text("unknown", "无法判断"),
    State.HEALTHY: Text("healthy", "健康"),
    State.UNREADABLE: Text("unreadable", "无法读取"),
    State.FAILED: Text("failed", "分析失败"),
    State.NO_RUN: Text("no run", "没有训练"),
}
RUNS_COUNTED: Final = Text("{count} runs", "{count} 次训练")
ONE_RUN: Final = Text("1 run", "1 次训练")
RUN: Final = Text("run", "训练")
RUNS_COLUMN: Final = Text("runs", "次数")
CAUSES: Final = Text("Likeliest causes", "最可能的原因")
PROJECTS: Final = Text("Projects", "项目")
WEEKS: Final = Text("Weeks", "按周")
ILL: Final = Text("Runs to look at", "需要查看的训练")
BROKEN: Final = Text("Without a result", "没有结果")
RULE: Final = Text("rule", "规则")
CAUSE: Final = Text("cause", "原因")
EXAMPLES: Final = Text("for example", "例如")
PROJECT: Final = Text("project", "项目")
WEEK: Final = Text("week", "周")
STATUS: Final = Text("status", "状态")
FINDING: Final = Text("first finding", "首要发现")
STEP: Final = Text("step", "步")
WHAT: Final = Text("what was seen", "观察到")
PLACE: Final = Text("place", "位置")
FOUND: Final = Text("{signal}: {kind}", "{signal}：{kind}")
REASON: Final = Text("reason", "原因")
NO_CAUSE: Final = Text("none named", "未能确定")
NO_TIME: Final = Text("no time", "无时间")
MORE: Final = Text("and {count} more", "另有 {count} 项")


@dataclass(frozen=True, slots=True)
class Column:
    """Head of a column, and whether numbers stand below it."""

    head: Text
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts that are safe to show; `left_out` rows do not stand in it."""

    title: Text
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0


def headline(summary: Summary, language: Language) -> str:
    """Return the counts in one line."""
    runs = ONE_RUN if summary.runs == 1 else RUNS_COUNTED.fill({"count": summary.runs})
    told = [
        f"{summary.counts[state]} {STATES[state].get(language)}"
        for state in State
        if summary.counts.get(state) and state is not State.NO_RUN
    ]
    colon, comma = (": ", ", ") if language is Language.EN else ("：", "，")
    return runs.get(language) + (colon + comma.join(told) if told else "")


def tables(
    summary: Summary, titles: Mapping[str, Text], language: Language, most: int = MOST_ROWS
) -> list[Table]:
    """Return the tables that have rows; `titles` are those of the rules, by code."""
    found = [
        _causes(summary, titles, language, most),
        _shared(summary, language, most),
        _groups(PROJECTS, PROJECT, summary.projects, most, language),
        _groups(WEEKS, WEEK, summary.weeks, most, language),
        _ill(summary.ill, language, most),
        _broken(summary.broken, language, most),
    ]
    return [table for table in found if table.rows]


def title_of(rule: str, cause: str, titles: Mapping[str, Text], language: Language) -> str:
    """Return the title of a rule; of one that is not at hand, what it blames."""
    if not rule:
        return NO_CAUSE.get(language)
    return one_line(titles[rule].get(language)) if rule in titles else name(cause)


def _causes(summary: Summary, titles: Mapping[str, Text], language: Language, most: int) -> Table:
    rows = [
        (
            name(one.rule) if one.rule else "–",
            title_of(one.rule, one.cause, titles, language),
            str(one.runs),
            listed(map(name, one.examples)).get(language),
        )
        for one in summary.causes[:most]
    ]
    columns = (Column(RULE), Column(CAUSE), Column(RUNS_COLUMN, is_number=True), Column(EXAMPLES))
    return Table(CAUSES, columns, tuple(rows), len(summary.causes) - len(rows))


def _shared(summary: Summary, language: Language, most: int) -> Table:
    rows = [
        (name(one.project), one_line(one.place.text.get(language))) for one in summary.shared[:most]
    ]
    return Table(
        SHARED, (Column(PROJECT), Column(WHAT)), tuple(rows), len(summary.shared) - len(rows)
    )


def _groups(
    title: Text, head: Text, groups: Sequence[Group], most: int, language: Language
) -> Table:
    columns = [Column(head), Column(RUNS_COLUMN, is_number=True)]
    columns += [Column(STATES[state], is_number=True) for state in RUNS]
    rows = [
        (
            name(group.name) if group.name else NO_TIME.get(language),
            str(group.runs),
            *(str(group.counts.get(state, 0)) for state in RUNS),
        )
        for group in groups[:most]
    ]
    return Table(title, tuple(columns), tuple(rows), len(groups) - len(rows))


def _ill(records: Sequence[Record], language: Language, most: int) -> Table:
    rows = [(name(label(one)), *described(one, language)) for one in records[:most]]
    columns = (
        Column(RUN), Column(STATUS), Column(FINDING), Column(STEP, is_number=True), Column(RULE)
    )  # fmt: skip
    return Table(ILL, columns, tuple(rows), len(records) - len(rows))


def described(record: Record, language: Language) -> tuple[str, str, str, str]:
    """Return status, gravest finding, its step, and the code of the likeliest cause of a run."""
    first = record.findings[0] if record.findings else None
    return (
        STATES[record.status].get(language),
        "" if first is None else _found(first, language),
        "" if first is None else str(first.start_step),
        name(record.causes[0].rule) if record.causes else "",
    )


def _found(first: Seen, language: Language) -> str:
    """Return the series and the kind of a finding, a kind of another version by its id."""
    try:
        kind = meaning(f"{first.kind}/{first.form}" if first.form else first.kind)[0].get(language)
    except KeyError:
        kind = name(first.kind)
    return FOUND.fill({"signal": name(spoken(first.signal)), "kind": kind}).get(language)


def _reason(record: Record, language: Language) -> str:
    chinese = record.error_zh if language is Language.ZH else None
    return chinese or record.error or ""


def _broken(records: Sequence[Record], language: Language, most: int) -> Table:
    rows = [
        (name(one.path), STATES[one.status].get(language), one_line(_reason(one, language)))
        for one in records[:most]
    ]
    columns = (Column(PLACE), Column(STATUS), Column(REASON))
    return Table(BROKEN, columns, tuple(rows), len(records) - len(rows))
