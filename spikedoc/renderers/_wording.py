"""Phrases about a report that every readable format needs: places, numbers, facts of the run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

from spikedoc.cleaning import name, one_line
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.knowledge import Domain
from spikedoc.model.label import Severity, Status
from spikedoc.model.metric import spoken
from spikedoc.model.report import Advice, Cause, Finding, Report, Signal
from spikedoc.redaction import without_home
from spikedoc.renderers._strings import Words
from spikedoc.text import Text, format_value

# Causes told in full; from the fourth on one line each is enough until asked for.
FULL_CAUSES: Final = 3
# A cause that is more likely wrong than right is not worth the first line, nor is one that calls a
# healthy run's remark harmless. On 81 runs with a known fault a leading cause above it was right 79
# times of 79, below it once of two.
LEAST_TO_LEAD: Final = 0.5
# A score is a share of right answers among some tens of runs: it is never shown as a certainty.
MOST_SHOWN: Final = 0.99

# Names in a list before the rest is only counted.
LISTED_NAMES: Final = 8

# Groups of finding ids before the rest is only counted.
LISTED_GROUPS: Final = 6

# Ids as the program gives them; nine digits are more than any run has findings.
FINDING_ID: Final = re.compile(r"F[0-9]{1,9}")

BINARY_UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")
BINARY_STEP: Final = 1024

# Seconds in a unit, and from how many of them on the next larger unit reads better.
MINUTE_SECONDS: Final = 60.0
HOUR_SECONDS: Final = 3600.0
DAY_SECONDS: Final = 86400.0
ENOUGH_UNITS: Final = 2

# From here on three digits would need an exponent.
LONGEST_SHORT: Final = 999.5

# Parts kept of an absolute path outside the run folder.
KEPT_PARTS: Final = 2


def label(finding: Finding, words: Words) -> str:
    """Return what kind of anomaly a finding is: its name, or the id of its label."""
    return one_line(words.of(finding.title)) if finding.title else finding.anomaly.label


def place(finding: Finding, report: Report, words: Words) -> str:
    """Return series and steps of a finding, e.g. "loss, steps 900 to 950"."""
    signal = name(spoken(finding.anomaly.signal))
    return words("place.at", signal=signal, place=_steps(finding, report, words))


def _steps(finding: Finding, report: Report, words: Words) -> str:
    anomaly = finding.anomaly
    signal = report.run.signals.get(anomaly.signal)
    if anomaly.start_step == anomaly.end_step:
        return words("place.step", first=anomaly.start_step)
    if signal is not None and anomaly.end_step >= signal.last_step:
        return words("place.open", first=anomaly.start_step)
    return words("place.steps", first=anomaly.start_step, last=anomaly.end_step)


def score(value: float) -> str:
    """Return a score with two decimals, never as the certainty that 1.00 would be."""
    return f"{min(value, MOST_SHOWN):.2f}"


def size(count: int) -> str:
    """Return a number of bytes in the unit that keeps it short."""
    amount = float(count)
    for unit in BINARY_UNITS:
        if amount < BINARY_STEP or unit == BINARY_UNITS[-1]:
            break
        amount /= BINARY_STEP
    return f"{_short(amount)} {unit}"


def _short(amount: float) -> str:
    """Return three digits of a number, all digits before the point of a larger one."""
    return f"{amount:.3g}" if amount < LONGEST_SHORT else f"{amount:.0f}"


def duration(seconds: float, words: Words) -> str:
    """Return a time span in the unit that keeps it short."""
    for unit, length in (
        ("days", DAY_SECONDS),
        ("hours", HOUR_SECONDS),
        ("minutes", MINUTE_SECONDS),
    ):
        if seconds >= ENOUGH_UNITS * length:
            return words(f"duration.{unit}", n=_short(seconds / length))
    return words("duration.seconds", n=_short(seconds))


def names(items: Iterable[str], words: Words, limit: int = LISTED_NAMES) -> str:
    """Return names separated by commas, the rest counted beyond `limit`."""
    shown = [name(item) for item in items]
    rest = len(shown) - limit
    if rest > 0:
        shown[limit:] = [words("fact.more", n=rest)]
    return words("list.comma").join(shown)


def id_ranges(ids: Sequence[str]) -> str:
    """Return ids of findings in short: F1, F2, F3 and F7 become "F1–F3 F7"."""
    numbers = [int(id_[1:]) if FINDING_ID.fullmatch(id_) else None for id_ in ids]
    groups: list[list[int]] = []
    others = [name(id_) for id_, number in zip(ids, numbers, strict=True) if number is None]
    for number in sorted({number for number in numbers if number is not None}):
        if groups and groups[-1][-1] == number - 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    shown = [f"F{g[0]}–F{g[-1]}" if len(g) > 2 else " ".join(f"F{n}" for n in g) for g in groups]
    shown += others
    rest = len(shown) - LISTED_GROUPS
    return " ".join(shown[:LISTED_GROUPS] + ([f"+{rest}"] if rest > 0 else []))


def main_signal(report: Report) -> str | None:
    """Return the name of the series that the report is mainly about, None when there is none."""
    signals = report.run.signals
    wanted = report.plot.signal if report.plot else "loss"
    return wanted if wanted in signals else next(iter(signals), None)


def facts(report: Report, words: Words) -> list[str]:
    """Return what there was to look at, as short phrases."""
    signals = report.run.signals
    main = main_signal(report)
    if main is None:
        return [words("fact.nothing"), *_sources(report, words)]
    first = min(signal.first_step for signal in signals.values())
    last = max(signal.last_step for signal in signals.values())
    found = [words("fact.steps", first=first, last=last), _points(main, signals[main], words)]
    others = [other for other in signals if other != main]
    if others:
        found.append(words("fact.also", names=names(map(spoken, others), words)))
    restarts = len(report.run.segments) - 1
    if restarts > 0:
        found.append(words("fact.segments", n=restarts))
    return found + _sources(report, words)


def _points(series: str, signal: Signal, words: Words) -> str:
    key = "fact.points_dense" if signal.stride == 1 else "fact.points"
    stride = format_value(signal.stride)
    text = words(key, signal=name(spoken(series)), n=signal.points, stride=stride)
    if not signal.nonfinite:
        return text
    return words("fact.nonfinite", text=text, n=signal.nonfinite)


def _sources(report: Report, words: Words) -> list[str]:
    sources = report.run.sources
    if not sources:
        return []
    readers = names(sorted({source.reader for source in sources}), words)
    total = size(sum(source.size for source in sources))
    key = "fact.source" if len(sources) == 1 else "fact.sources"
    return [words(key, reader=readers, n=len(sources), size=total)]


def leading_cause(report: Report) -> Cause | None:
    """Return the likeliest cause, or None."""
    return min(report.causes, key=lambda cause: cause.rank, default=None)


def causes_to_tell(report: Report, *, verbose: bool) -> tuple[str, list[Cause]]:
    """Return the key of the heading and the causes under it, by rank.

    A healthy run needs its harmless explanations only, until everything is asked for.
    """
    causes = sorted(report.causes, key=lambda cause: cause.rank)
    harmless = [
        cause
        for cause in causes
        if cause.rule.domain is Domain.BENIGN and cause.score >= LEAST_TO_LEAD
    ]
    if report.status in (Status.HEALTHY, Status.UNKNOWN) and not verbose:
        return "heading.harmless", harmless
    quiet = report.status in (Status.HEALTHY, Status.UNKNOWN)
    return ("heading.behind" if quiet else "heading.causes"), causes


def verdict_line(report: Report, words: Words) -> str:
    """Return the line under the headline: the likeliest cause; empty when there is none."""
    cause = leading_cause(report)
    if cause is None or report.status in (Status.HEALTHY, Status.UNKNOWN):
        return ""
    alarms = {f.id for f in report.findings if f.anomaly.severity is not Severity.INFO}
    if not alarms.intersection(cause.findings):
        return words("verdict.none")  # it explains what needs no action
    key = "verdict.benign" if cause.rule.domain is Domain.BENIGN else "verdict.cause"
    if sum(e.verdict is Verdict.SUPPORTS for e in cause.evidence) == 1:
        key = "verdict.one_sign"
    if cause.score < LEAST_TO_LEAD:
        key = "verdict.weak"
    title = one_line(words.of(cause.rule.title))
    return words(key, title=title, code=name(cause.rule.code), score=score(cause.score))


# A cause less than half as likely as the first is no reason to change anything yet.
CURE_SHARE: Final = 0.5

# A note of one of several files.
OF_FILE: Final = Text("{file}: {note}", "{file}：{note}")


def to_cure(causes: Sequence[Cause], most: int) -> list[Cause]:
    """Return the causes whose fixes are told, by rank: at most so many, none far behind."""
    ordered = sorted(causes, key=lambda cause: cause.rank)
    return [c for c in ordered[:most] if c.score >= CURE_SHARE * ordered[0].score]


def fixes_of(causes: Iterable[Cause]) -> list[tuple[Advice, list[str]]]:
    """Return each fix once, with the codes of the causes that it would cure, in order."""
    found: dict[tuple[str, str], tuple[Advice, dict[str, None]]] = {}
    for cause in causes:
        for fix in cause.fixes:
            _, codes = found.setdefault((fix.id, fix.text.en), (fix, {}))
            codes[cause.rule.code] = None
    return [(fix, list(codes)) for fix, codes in found.values()]


def split(evidence: Sequence[Evidence]) -> dict[Verdict, list[Evidence]]:
    """Return the evidence by verdict."""
    return {verdict: [e for e in evidence if e.verdict is verdict] for verdict in Verdict}


def missing(evidence: Iterable[Evidence]) -> list[str]:
    """Return what was not logged and left these questions open, each once, in order."""
    found = [item for e in evidence for item in (*(m.value for m in e.missing), *e.missing_config)]
    return list(dict.fromkeys(found))


def notes_of(report: Report) -> list[Text]:
    """Return what readers skipped or guessed, each with its file where it has one, each once."""
    run = report.run
    by_file = {
        note: name(public_path(source.path, run.path))
        for source in run.sources
        for note in source.notes
    }
    texts = dict.fromkeys([*by_file, *report.notes])
    found = [OF_FILE.fill({"file": by_file[t], "note": t}) if t in by_file else t for t in texts]
    return [
        Text(without_user_paths(t.en, run.path), without_user_paths(t.zh, run.path)) for t in found
    ]


def public_path(path: str, run_path: str) -> str:
    """Return `path` without the folders above the run, which may tell who works where."""
    flavour = PureWindowsPath if "\\" in path else PurePosixPath
    pure, root = flavour(path), flavour(run_path).parent
    if not (pure.is_absolute() or path.startswith("~")):
        return path
    if pure.is_relative_to(root) and len(root.parts) > 1:
        return str(pure.relative_to(root))
    return "/".join(flavour(without_home(path)).parts[-KEPT_PARTS:]).lstrip("/")


def without_user_paths(text: str, run_path: str) -> str:
    """Return a sentence with the folders above the run and home folders taken out."""
    slash = "\\" if "\\" in run_path else "/"
    above = run_path.rpartition(slash)[0]
    if above.count(slash) and len(above) > 1:
        text = text.replace(above + slash, "")
    return without_home(text)
