"""The fixed words of a comparison in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spikedoc.cleaning import name
from spikedoc.model.run import ConfigValue
from spikedoc.sweep.proposal import NAMES, shown_value
from spikedoc.sweep.result import Kind, Outcome, Sweep, Value
from spikedoc.text import Language, Text, format_value

BADGES: Final = {
    Kind.PROPOSED: Text("PROPOSED", "建议"),
    Kind.EXTEND_UP: Text("EXTEND", "扩大扫描"),
    Kind.EXTEND_DOWN: Text("EXTEND", "扩大扫描"),
    Kind.UNTOLD: Text("CANNOT BE TOLD", "无法判断"),
}
RANGE_TEST: Final = Text("Range test", "学习率范围测试")
COLUMNS: Final = (
    Text("ended", "结局"),
    Text("loss", "损失"),
    Text("among runs", "各次范围"),
    Text("runs", "次数"),
    Text("what was seen", "观察到"),
)
RUNS: Final = Text("Runs", "训练")
NOTES: Final = Text("Notes", "说明")
# Words of a proposal that its badge says already.
_REPEATED: Final = (Text("Cannot be told: ", "无法判断："), Text("", "建议"))


def title(sweep: Sweep, language: Language) -> str:
    """Return one line on what is compared."""
    runs = sum(len(value.members) for value in sweep.values)
    key = name(sweep.setting.key)
    fixed = settings(sweep.fixed)
    return Text(
        f"{key} · {count(len(sweep.values), 'value')}, {count(runs, 'run')}"
        f" · {name(sweep.signal)} up to step {sweep.step}" + (f" · {fixed}" if fixed else ""),
        f"{key} · {len(sweep.values)} 个取值，{runs} 次训练"
        f" · {name(sweep.signal)}，截至第 {sweep.step} 步" + (f" · {fixed}" if fixed else ""),
    ).get(language)


def count(number: int, noun: str) -> str:
    """Return a number with its English noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def settings(fixed: Mapping[str, ConfigValue]) -> str:
    """Return settings as `key = value, …`."""
    return ", ".join(f"{name(key)} = {shown_value(value)}" for key, value in fixed.items())


def statement(sweep: Sweep, language: Language) -> str:
    """Return the proposal without the words that its badge says."""
    text = sweep.proposal.text.get(language)
    for repeated in _REPEATED:
        text = text.removeprefix(repeated.get(language))
    return text[:1].upper() + text[1:]


def window_line(sweep: Sweep, language: Language) -> str:
    """Return the window of steady values; empty when there is none."""
    if sweep.window is None:
        return ""
    low, high = (format_value(edge) for edge in sweep.window)
    if low == high:
        return Text(f"Steady and not behind: {low} alone", f"稳定且不落后：只有 {low}").get(
            language
        )
    return Text(f"Steady and not behind: {low} to {high}", f"稳定且不落后：{low} 到 {high}").get(
        language
    )


def row(value: Value, language: Language) -> list[str]:
    """Return the cells of one value: value, ended, loss, range, runs, what was seen."""
    several = len(value.members) > 1
    ended = NAMES[value.outcome].get(language)
    if several and value.agreeing < len(value.members):
        ended = Text(
            f"{ended} ({value.agreeing} of {len(value.members)})",
            f"{ended}（{value.agreeing}/{len(value.members)}）",
        ).get(language)
    level = "-" if value.level is None else format_value(value.level)
    spread = ""
    if several and value.low is not None and value.high is not None and value.low < value.high:
        spread = f"{format_value(value.low)} - {format_value(value.high)}"
    return [
        shown_value(value.value), ended, level, spread, str(len(value.members)),
        seen(value, language),
    ]  # fmt: skip


def seen(value: Value, language: Language) -> str:
    """Return what the reports say about the worst of the runs."""
    remarks = [m.remark for m in value.members if m.outcome is value.outcome and m.remark]
    return remarks[0].get(language) if remarks else ""


def is_chosen(value: Value, sweep: Sweep) -> bool:
    """Return whether this is the value that is proposed."""
    return sweep.proposal.kind is Kind.PROPOSED and value.value == sweep.proposal.value


def legend(outcomes: set[Outcome], language: Language) -> list[tuple[Outcome, str]]:
    """Return the outcomes that occur, with their names."""
    return [(one, NAMES[one].get(language)) for one in Outcome if one in outcomes]
