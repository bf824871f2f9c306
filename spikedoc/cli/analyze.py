"""`spikedoc analyze`: read logs, print reports, set the exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.display import (
    Display,
    deliver,
    display_options,
    draws_charts,
    render,
)
from spikedoc.cli.inputs import gather, keep_inputs
from spikedoc.cli.messages import say, say_written
from spikedoc.cli.options import (
    NEVER,
    budget_of,
    budget_options,
    fail_on_option,
    map_option,
    quiet_option,
    rules_option,
    traceback_option,
    with_options,
)
from spikedoc.cli.session import EXIT_BAD_INPUT, EXIT_FINE, EXIT_FOUND, Session
from spikedoc.cli.side_by_side import SideBySide
from spikedoc.errors import UsageError, did_you_mean
from spikedoc.model.budget import DEFAULT, Budget
from spikedoc.model.label import Severity, Status
from spikedoc.model.metric import Metric
from spikedoc.text import Text, listed

if TYPE_CHECKING:
    from spikedoc.model.report import Report
    from spikedoc.model.run import Run
    from spikedoc.readers.base import Progress

# Worst first, in reports as in the summary.
STATUS_ORDER: Final = (Status.CRITICAL, Status.WARNING, Status.UNKNOWN, Status.HEALTHY)
STATUS_NAMES: Final = {
    Status.CRITICAL: Text("critical", "严重"),
    Status.WARNING: Text("warning", "警告"),
    Status.UNKNOWN: Text("unknown", "无法判断"),
    Status.HEALTHY: Text("healthy", "健康"),
}
COUNTED: Final = Text("{n} {status}", "{n} 次{status}")
REPORT: Final = Text("report", "报告")
ROLES: Final = Text("roles are {roles}", "可用的角色：{roles}")


@click.command(short_help="Diagnose training runs from their logs.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@with_options(
    display_options,
    quiet_option("report"),
    fail_on_option(
        [*(severity.value for severity in Severity), NEVER],
        Severity.CRITICAL.value,
        "Exit with 1 when something of this severity or worse is found.",
    ),
    map_option,
    budget_options,
    rules_option,
    traceback_option,
)
@click.pass_obj
def analyze(
    session: Session,
    /,
    *,
    paths: tuple[str, ...],
    display: Display,
    fail_on: str,
    mapping: tuple[str, ...],
    rules: Path | None,
    quiet: bool,
    **limits: Any,
) -> int:
    """Diagnose the training runs found at each PATH.

    A PATH is a log file, a folder of them, a pattern, or - for the standard input.

    Exit codes: 0 nothing at or above --fail-on, 1 something found, 2 unreadable or nothing that
    could be judged.
    """
    beside = SideBySide()
    read = partial(
        read_reports,
        mapping=parse_mapping(mapping),
        rules=rules,
        with_charts=draws_charts(display.format),
        budget=budget_of(limits),
        observe=beside.add,
    )
    harvest = gather(paths, read, session, quiet=quiet)
    reports = sorted(harvest.results, key=lambda report: STATUS_ORDER.index(report.status))
    if reports:
        logs = (source.path for report in reports for source in report.run.sources)
        keep_inputs([display.output], [*paths, *logs])
        text = beside.below(render(reports, display), display)
        deliver(text, display.output)
        if not quiet:
            _say_summary(reports, display.output)
    return max(harvest.code, exit_code(reports, fail_on))


def exit_code(reports: Sequence[Report], fail_on: str) -> int:
    """Return the exit code of reports: when not one run could be judged, the input was no good."""
    if any(is_found(report, fail_on) for report in reports):
        return EXIT_FOUND
    unjudged = all(report.status is Status.UNKNOWN for report in reports)
    return EXIT_BAD_INPUT if unjudged and fail_on != NEVER else EXIT_FINE


def parse_mapping(pairs: Sequence[str]) -> dict[str, str]:
    """Return role → tag from `ROLE=TAG` words; raises UsageError naming the faulty one."""
    roles = [*(metric.value for metric in Metric), "step"]
    found: dict[str, str] = {}
    for pair in pairs:
        role, separator, tag = pair.partition("=")
        if not separator or not tag:
            raise UsageError(Text("expected ROLE=TAG", "应写成 ROLE=TAG"), at=f"--map {pair}")
        if role not in roles:
            import difflib  # only to help after a mistake

            near = difflib.get_close_matches(role, roles, n=1)
            known = ROLES.fill({"roles": listed(roles)})
            hint = did_you_mean(near[0]) if near else known
            told = Text(f"{role!r} is not a role ({hint.en})", f"没有角色 {role!r}（{hint.zh}）")
            raise UsageError(told, at=f"--map {pair}")
        if role in found:
            twice = Text(f"{role} is given twice", f"{role} 给出了两次")
            raise UsageError(twice, at=f"--map {pair}")
        found[role] = tag
    return found


def read_reports(
    path: str,
    progress: Progress,
    *,
    mapping: Mapping[str, str],
    rules: Path | None,
    with_charts: bool = False,
    budget: Budget = DEFAULT,
    observe: Callable[[Run, Report], None] | None = None,
) -> list[Report]:
    """Return the reports on the runs at `path`; `observe` is shown each run with its report."""
    from spikedoc.pipeline import analyze_all

    return analyze_all(
        path,
        mapping=dict(mapping) or None,
        rules=rules,
        progress=progress,
        with_charts=with_charts,
        budget=budget,
        observe=observe,
    )


def is_found(report: Report, fail_on: str) -> bool:
    """Return whether the report holds something at or above the severity `fail_on`."""
    if fail_on == NEVER:
        return False
    threshold = Severity(fail_on).rank
    return any(finding.anomaly.severity.rank >= threshold for finding in report.findings)


def _say_summary(reports: Sequence[Report], output: Path | None) -> None:
    counts = Counter(report.status for report in reports)
    if len(reports) > 1:
        told = [
            COUNTED.fill({"n": counts[status], "status": STATUS_NAMES[status]})
            for status in STATUS_ORDER
            if counts[status]
        ]
        english, chinese = ", ".join(one.en for one in told), "，".join(one.zh for one in told)
        say(Text(f"{len(reports)} runs: {english}", f"{len(reports)} 次训练：{chinese}"))
    say_written(REPORT, output)
