"""`spikedoc check`: the gate on nightly logs, with the project's own thresholds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.analyze import parse_mapping
from spikedoc.cli.display import DEFAULT_FORMAT, deliver, display_of
from spikedoc.cli.inputs import gather, keep_inputs
from spikedoc.cli.messages import say, say_written
from spikedoc.cli.options import (
    budget_of,
    budget_options,
    fail_on_option,
    map_option,
    output_option,
    quiet_option,
    reference_option,
    text_options,
    traceback_option,
    verbose_option,
    with_options,
)
from spikedoc.cli.outputs import Output, choose_outputs, deliver_all, formats, refuse_twice
from spikedoc.cli.references import open_reference
from spikedoc.cli.session import EXIT_BAD_INPUT, EXIT_FINE, EXIT_FOUND, Session
from spikedoc.errors import UsageError, reason_of
from spikedoc.model.budget import Budget
from spikedoc.model.label import Severity
from spikedoc.text import Language, Text

if TYPE_CHECKING:
    from spikedoc.gate.baseline import Entry
    from spikedoc.gate.settings import Settings
    from spikedoc.gate.verdict import Verdict
    from spikedoc.readers.base import Progress
    from spikedoc.reference.band import Reference

STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"

RESULT: Final = Text("result", "结果")
SUMMARY: Final = Text(
    "{n} {n|run|runs}: {passed} passed, {failed} failed",
    "{n} 次训练：{passed} 次通过，{failed} 次未通过",
)
KEPT: Final = Text("{n} {n|finding|findings} written to {file}", "{n} 项发现已写入 {file}")
STILL: Final = Text(
    "{n} {n|check still fails|checks still fail}: a baseline holds findings, no expectations and "
    "no bands",
    "仍有 {n} 项检查未通过：基线只保存发现，不含期望和区间",
)
STALE: Final = Text("baseline: {what}: {why}", "基线：{what}：{why}")
OUT_OF_DATE: Final = Text("out of date", "已过期")
GONE: Final = Text("no longer found", "不再出现")


@click.command(short_help="Gate: fail when a run is not as the project expects.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@with_options(
    click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Settings file; else spikedoc.toml or pyproject.toml here or above.",
    ),
    click.option("--no-config", is_flag=True, help="Use no settings file."),
    click.option("--select", multiple=True, metavar="LABEL,...", help="Look at these labels only."),
    click.option(
        "--ignore", multiple=True, metavar="LABEL,...", help="Do not look at these labels."
    ),
    click.option("--allow-unknown", is_flag=True, help="Let runs pass that cannot be judged."),
    click.option(
        "--baseline",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Findings that are known and do not fail.",
    ),
    reference_option,
    click.option(
        "--write-baseline",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write what fails now as the baseline, and pass.",
    ),
    click.option(
        "--format",
        "formats",
        multiple=True,
        metavar="FORMAT[=FILE]",
        help=f"How to write the result: {', '.join(formats())}; {DEFAULT_FORMAT} unless the suffix "
        "of FILE says otherwise. With =FILE it is written there beside the others.",
    ),
    output_option("result"),
    text_options,
    verbose_option("Show the checks that passed, too."),
    quiet_option("result"),
    fail_on_option(
        [severity.value for severity in Severity],
        None,
        "Fail on findings of this severity or worse; warning unless the settings say otherwise.",
    ),
    map_option,
    budget_options,
    traceback_option,
)
@click.pass_obj
def check(session: Session, /, *, paths: tuple[str, ...], **options: Any) -> int:
    """Check the training runs found at each PATH against what the project expects.

    Exit codes: 0 all passed, 1 something failed, 2 unreadable or not to be judged.
    """
    outputs = choose_outputs(options["formats"], options["output"])
    display = display_of(options | {"output": None}, formats())
    written: Path | None = options["write_baseline"]
    refuse_twice(outputs, [written])
    settings = _settings(options)
    entries = _entries(settings, written)
    reference = open_reference(
        settings.reference, session, mapping=settings.mapping, quiet=options["quiet"]
    )
    _find_healthy_numbers(settings, reference)
    read = partial(
        _verdicts,
        settings=settings,
        entries=entries,
        reference=reference,
        budget=budget_of(options),
    )
    harvest = gather(paths, read, session, quiet=options["quiet"])
    verdicts: list[Verdict] = harvest.results
    _keep_inputs(outputs, written, settings, [*paths, *(f for v in verdicts for f in v.sources)])
    code = harvest.code
    if written is not None:
        verdicts = _write_baseline(written, verdicts, entries)
        outputs = outputs if options["formats"] or options["output"] else ()
    else:
        code = max(code, exit_code(verdicts))
    if verdicts:
        deliver_all(verdicts, outputs, display)
        _append_step_summary(verdicts, display.language)
    if not options["quiet"]:
        if written is None:
            _say_summary(verdicts, entries, settings)
        for output in outputs if verdicts else ():
            say_written(RESULT, output.file)
    return code


def _keep_inputs(
    outputs: Sequence[Output], written: Path | None, settings: Settings, logs: Sequence[str]
) -> None:
    """Refuse to write over what was read; only a baseline may be read and written again."""
    files = [output.file for output in outputs]
    keep_inputs([*files, written], [*logs, settings.source, settings.reference])
    keep_inputs(files, [settings.baseline])


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """Return 1 when a check failed, else 2 when a run could not be judged, else 0."""
    if any(verdict.failures for verdict in verdicts):
        return EXIT_FOUND
    return EXIT_BAD_INPUT if any(verdict.is_unjudged for verdict in verdicts) else EXIT_FINE


def _settings(options: dict[str, Any]) -> Settings:
    """Return the project's settings with the options of the command line on top."""
    from spikedoc.gate.settings import Settings, load_settings, with_options

    if options["no_config"]:
        settings = Settings()
    else:
        settings = load_settings(options["config"]) if options["config"] else _found_settings()
    settings = with_options(
        settings,
        fail_on=options["fail_on"],
        select=options["select"],
        ignore=options["ignore"],
        allow_unknown=options["allow_unknown"],
        baseline=options["baseline"],
        reference=options["reference"],
    )
    try:
        mapping = parse_mapping([f"{role}={tag}" for role, tag in settings.mapping.items()])
    except UsageError as error:
        raise UsageError(error.text, at=f"{settings.source}: map") from None
    return replace(settings, mapping=mapping | parse_mapping(options["mapping"]))


def _found_settings() -> Settings:
    from spikedoc.gate.settings import Settings, find_settings

    try:
        return find_settings(Path.cwd())
    except OSError:  # the folder we are in was removed
        return Settings()


def _entries(settings: Settings, written: Path | None) -> tuple[Entry, ...]:
    """Return the findings that are known; none where the baseline is about to be written first."""
    from spikedoc.gate.baseline import load

    known = settings.baseline
    if known is None:
        return ()
    is_written = written is not None and known.resolve() == written.resolve()
    return () if is_written and not known.exists() else load(known)


def _find_healthy_numbers(settings: Settings, reference: Reference | None) -> None:
    """Raise UsageError when an expectation needs a number that the reference does not hold."""
    try:
        for expectation in settings.expectations:
            expectation.healthy(reference)
    except UsageError as error:
        raise UsageError(error.text, at=f"{settings.source}") from None


def _verdicts(
    path: str,
    progress: Progress,
    *,
    settings: Settings,
    entries: tuple[Entry, ...],
    reference: Reference | None,
    budget: Budget,
) -> list[Verdict]:
    """Return the verdicts on the runs at `path`."""
    from spikedoc.gate.baseline import current
    from spikedoc.gate.judge import judge
    from spikedoc.pipeline import examine

    known = current(entries, datetime.now(UTC).date())
    mapping = dict(settings.mapping) or None
    examined = examine(path, mapping=mapping, progress=progress, budget=budget)
    return [judge(run, report, settings, known, reference) for run, report in examined]


def _write_baseline(
    file: Path, verdicts: Sequence[Verdict], entries: Sequence[Entry]
) -> list[Verdict]:
    """Write the failed and the known findings; dates given by hand are kept.

    Returns the verdicts as they are with that baseline.
    """
    from spikedoc.gate.baseline import Entry, dump
    from spikedoc.gate.judge import accepted, is_finding
    from spikedoc.gate.verdict import Outcome

    dated = {entry.fingerprint: entry for entry in entries}
    found = [
        dated.get(check.fingerprint)
        or Entry(check.fingerprint, verdict.run, check.id, check.signal)
        for verdict in verdicts
        for check in verdict.checks
        if check.outcome in (Outcome.FAILED, Outcome.KNOWN) and is_finding(check)
    ]
    deliver(dump(found), file)
    count = len({entry.fingerprint for entry in found})
    say(KEPT.fill({"n": count, "file": str(file)}))
    known = [accepted(verdict) for verdict in verdicts]
    left = sum(len(verdict.failures) for verdict in known)
    if left:
        say(STILL.fill({"n": left}), fg="yellow")
    return known


def _append_step_summary(verdicts: Sequence[Verdict], language: Language) -> None:
    """Append a Markdown table to the summary of the job where GitHub asks for one."""
    target = os.environ.get(STEP_SUMMARY)
    if not target or (Path(target).exists() and not Path(target).is_file()):
        return
    from spikedoc.gate.summary import markdown

    try:
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(markdown(verdicts, language))
    except OSError as error:
        say(UsageError(reason_of(error), at=STEP_SUMMARY).text, fg="yellow")


def _say_summary(verdicts: Sequence[Verdict], entries: Sequence[Entry], settings: Settings) -> None:
    from spikedoc.gate.baseline import stale
    from spikedoc.gate.judge import is_selected

    failed = sum(not verdict.passed for verdict in verdicts)
    say(SUMMARY.fill({"n": len(verdicts), "passed": len(verdicts) - failed, "failed": failed}))
    seen = {check.fingerprint for verdict in verdicts for check in verdict.checks}
    runs = {verdict.run for verdict in verdicts}
    looked_at = [entry for entry in entries if is_selected(entry.label, settings)]
    for entry in stale(looked_at, seen, runs, datetime.now(UTC).date()):
        why = OUT_OF_DATE if entry.until is not None else GONE
        say(STALE.fill({"what": f"{entry.run}: {entry.label} {entry.signal}", "why": why}))
