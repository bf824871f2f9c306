"""Runs with their reports become a comparison: sweeps, range tests, shared places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from spikedoc.coincidence.sets import coincidences, names_apart
from spikedoc.coincidence.weighing import shared_steps
from spikedoc.errors import InputError
from spikedoc.model.report import Report
from spikedoc.model.run import ConfigValue, Run
from spikedoc.sweep.members import Entry, Judged, judge
from spikedoc.sweep.notes import notes_of
from spikedoc.sweep.proposal import propose, window
from spikedoc.sweep.range_test import read_range_test
from spikedoc.sweep.result import Comparison, Kind, Origin, Proposal, RangeTest, Setting, Sweep
from spikedoc.sweep.setting import RUN, Found, find_setting
from spikedoc.text import Text, listed

Examined = tuple[Run, Report]
Places = Mapping[str, Sequence[int]]  # steps of shared spikes, by the name of the run
MOST_SWEEPS: Final = 50
ONLY_ONE: Final = Text(
    "only one run; a sweep needs two or more", "只有一次训练；扫描比较需要两次以上"
)
GIVE_OTHERS: Final = Text("give its other runs too", "请同时给出其他训练")
KEYS_TOLD: Final = 6


def compare(examined: Sequence[Examined], by: str | None = None) -> Comparison:
    """Return what the runs say together.

    `by` states the swept setting. Raises InputError when there is nothing to compare: fewer than
    two runs and no range test; UsageError for a setting that no run has.
    """
    tests: list[RangeTest] = []
    rest: list[Examined] = []
    for run, report in _told_apart(examined):
        test = read_range_test(run)
        if test is None:
            rest.append((run, report))
        else:
            tests.append(test)
    if len(rest) < 2 and not tests:
        name = rest[0][0].path if rest else ""
        raise InputError(name, ONLY_ONE, GIVE_OTHERS)
    shared = coincidences(rest)
    sweeps = _sweeps(rest, by, shared_steps(shared)) if len(rest) > 1 else ((), ())
    return Comparison(sweeps[0], tuple(tests), shared, sweeps[1])


def _told_apart(examined: Sequence[Examined]) -> list[Examined]:
    """The runs, those of equal names called by the last folders of their path and a count."""
    names = names_apart([(run.name, run.path) for run, _ in examined])
    return [
        (replace(run, name=name), report)
        for name, (run, report) in zip(names, examined, strict=True)
    ]


def _sweeps(
    examined: Sequence[Examined], by: str | None, places: Places
) -> tuple[tuple[Sweep, ...], tuple[Text, ...]]:
    runs = [run for run, _ in examined]
    found = find_setting(runs, by)
    if found.setting.key == RUN:
        return (_undecided(examined, found, places),), ()
    keys = [key for key in found.others if len(set(found.others[key])) > 1]
    groups: dict[tuple[ConfigValue | None, ...], list[int]] = {}
    for at, value in enumerate(found.values):
        if value is not None:
            groups.setdefault(tuple(found.others[key][at] for key in keys), []).append(at)
    several = {fixed: at for fixed, at in groups.items() if _varies(found, at)}
    if not several:
        return (_undecided(examined, found, places),), ()
    sweeps = []
    for fixed, group in list(several.items())[:MOST_SWEEPS]:
        told = dict(zip(keys, fixed, strict=True))
        sweeps.append(_sweep([examined[at] for at in group], found, group, told, places))
    return tuple(sweeps), _left_out(runs, several, found)


def _varies(found: Found, group: Sequence[int]) -> bool:
    return len({found.values[at] for at in group}) > 1


def _sweep(
    examined: Sequence[Examined],
    found: Found,
    group: Sequence[int],
    fixed: dict[str, ConfigValue | None],
    places: Places,
) -> Sweep:
    entries = [
        Entry(run, report, value, found.seeds[at])
        for (run, report), at in zip(examined, group, strict=True)
        if (value := found.values[at]) is not None
    ]
    judged = judge(entries, found.setting, places)
    known = {key: value for key, value in fixed.items() if value is not None}
    return _finished(judged, found, propose(judged, found.setting), known)


def _finished(
    judged: Judged, found: Found, proposal: Proposal, fixed: dict[str, ConfigValue]
) -> Sweep:
    return Sweep(
        setting=found.setting,
        signal=judged.signal,
        step=judged.step,
        values=judged.values,
        proposal=proposal,
        window=window(judged.values),
        fixed=fixed,
        notes=notes_of(judged, found),
    )


def _undecided(examined: Sequence[Examined], found: Found, places: Places) -> Sweep:
    """The runs side by side, each a value of its own, and why nothing can be proposed."""
    entries = [
        Entry(run, report, run.name, found.seeds[at]) for at, (run, report) in enumerate(examined)
    ]
    judged = judge(entries, found.setting, places, against_best=False)
    differing = [found.setting.key, *found.others] if found.setting.key != RUN else [*found.others]
    keys = listed(differing, KEYS_TOLD)
    if not differing:
        text = Text(
            "Cannot be told: no setting differs that the configs, the names or the logged learning "
            "rate show; say --by KEY.",
            "无法判断：配置、名称和记录的学习率都没有显示哪项设置不同；请用 --by KEY 指明。",
        )
    else:
        text = Text(
            f"Cannot be told: no two runs differ in one setting only ({keys.en}).",
            f"无法判断：没有两次训练只在一项设置上不同（{keys.zh}）。",
        )
    shown = replace(found, setting=Setting(RUN, Origin.NAME, is_rate=False))
    sweep = _finished(judged, shown, Proposal(Kind.UNTOLD, text), {})
    return replace(sweep, window=None)


def _left_out(
    runs: Sequence[Run], several: dict[tuple[ConfigValue | None, ...], list[int]], found: Found
) -> tuple[Text, ...]:
    told = {at for group in several.values() for at in group}
    left = [run.name for at, run in enumerate(runs) if at not in told]
    if not left:
        return ()
    shown = listed(left, KEYS_TOLD)
    key = found.setting.key
    return (
        Text(
            f"Left out, since no other run differs from them in {key} alone: {shown.en}",
            f"以下训练没有仅在 {key} 上不同的对照，因此略去：{shown.zh}",
        ),
    )
