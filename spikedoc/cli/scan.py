"""`spikedoc scan`: many runs, diagnosed in parallel, kept in a store and summed up."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.analyze import parse_mapping
from spikedoc.cli.display import Display, deliver, display_of, look_of
from spikedoc.cli.messages import say
from spikedoc.cli.options import (
    NEVER,
    FormatName,
    budget_of,
    budget_options,
    fail_on_option,
    map_option,
    quiet_option,
    rules_option,
    text_options,
    traceback_option,
    with_options,
)
from spikedoc.cli.scan_options import moment, seconds
from spikedoc.cli.session import EXIT_BAD_INPUT, EXIT_CRASHED, EXIT_FINE, EXIT_FOUND, Session
from spikedoc.errors import UsageError
from spikedoc.model.label import Severity
from spikedoc.text import Text

if TYPE_CHECKING:
    from spikedoc.fleet.record import Record
    from spikedoc.fleet.scan import Harvest, Wish

FORMATS: Final = ("text", "json", "markdown")
BACKENDS: Final = ("loky", "dask", "ray")
PAGES: Final = ("findings", "all", "none")

NO_ROOT: Final = Text(
    "a ROOT is missing; for the folder you are in, say .", "缺少 ROOT；要扫描当前目录，请写 ."
)
NO_STORE: Final = Text(
    "--changed needs a STORE to compare with: -o results.jsonl",
    "--changed 需要用来对比的 STORE：-o results.jsonl",
)
NO_SCAN: Final = Text(
    "--summary scans nothing; leave out either it or ROOT",
    "--summary 不做扫描；请去掉它或 ROOT",
)
NO_RESULTS: Final = Text("{store}: holds no results", "{store}：没有结果")
NONE_SINCE: Final = Text(
    "{store}: holds no results since {since}", "{store}：自 {since} 以来没有结果"
)


@click.command(short_help="Diagnose many runs in parallel; keep the results and sum them up.")
@click.argument("roots", nargs=-1, metavar="ROOT...")
@with_options(
    click.option(
        "-o",
        "--output",
        "store",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="STORE",
        help="Keep a result per run in STORE: JSON lines, or SQLite for .db and .sqlite. "
        "What is in it already and did not change is not read again.",
    ),
    click.option(
        "--html",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write an index, and a page for runs, to DIR.",
    ),
    click.option(
        "--reports",
        type=click.Choice(PAGES),
        default=PAGES[0],
        show_default=True,
        help="Which runs get a page in DIR.",
    ),
    click.option(
        "--summary",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="STORE",
        help="Scan nothing; sum up what is in STORE.",
    ),
    click.option("--since", metavar="WHEN", help="Only logs written since a date, or 7d, 4w ago."),
    click.option("--changed", is_flag=True, help="Sum up only what is new or changed since STORE."),
    click.option(
        "--workers",
        type=click.IntRange(0),
        metavar="N",
        help="Processes; one per core unless given.",
    ),
    click.option(
        "--backend",
        type=click.Choice(BACKENDS),
        default=BACKENDS[0],
        show_default=True,
        help="Where the work is done: this machine, or a Dask or Ray cluster.",
    ),
    click.option(
        "--address", metavar="ADDRESS", help="Of the cluster; one is started here unless given."
    ),
    click.option(
        "--timeout", metavar="TIME", help="Give up a run after a time such as 90s or 10m."
    ),
    click.option(
        "--format",
        "format_",
        type=FormatName(FORMATS),
        default=FORMATS[0],
        show_default=True,
        help="How to write the summary.",
    ),
    text_options,
    quiet_option("summary"),
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
def scan(_: Session, /, *, roots: tuple[str, ...], **options: Any) -> int:
    """Diagnose all training runs below each ROOT and sum up what was found.

    A ROOT is a folder, a log file, a pattern or an address. Interrupted with Ctrl-C, the command
    goes on where it stopped when it is given again with the same STORE.

    Exit codes: 0 nothing at or above --fail-on, 1 something found, 2 a ROOT that cannot be used or
    no run that could be judged, 3 spikedoc failed on some run, 130 interrupted.
    """
    display = display_of(options, FORMATS)
    if options["summary"] is not None:
        return _sum_up_store(roots, display, options)
    if not roots:
        raise UsageError(NO_ROOT)
    if options["changed"] and options["store"] is None:
        raise UsageError(NO_STORE)
    return _scan(roots, display, options)


def _sum_up_store(roots: Sequence[str], display: Display, options: Mapping[str, Any]) -> int:
    from spikedoc.fleet.store import read_store

    if roots:
        raise UsageError(NO_SCAN)
    since = moment(options["since"], time.time())
    records = [
        one
        for one in read_store(options["summary"])
        if since is None or one.modified is None or one.modified >= since
    ]
    if not records:
        values = {"store": str(options["summary"]), "since": str(options["since"])}
        say((NO_RESULTS if since is None else NONE_SINCE).fill(values), fg="yellow")
    _conclude(records, records, display, options)
    return exit_code(records, options["fail_on"])


def _scan(roots: Sequence[str], display: Display, options: Mapping[str, Any]) -> int:
    from spikedoc.fleet.index import check_folder
    from spikedoc.fleet.scan import Harvest

    wish = _wish(roots, display, options)
    if wish.html is not None:
        check_folder(wish.html)
    _check_rules(wish.method.rules)
    harvest = Harvest()
    took = _carry_out(wish, harvest, options)
    for error in harvest.failures:
        say(error.text, fg="red")
    for note in harvest.notes:
        say(note)
    shown = harvest.fresh if options["changed"] else harvest.records
    _conclude(shown, harvest.records, display, options)
    if not options["quiet"]:
        from spikedoc.cli.scan_progress import say_done

        say_done(harvest, took, options["store"], options["html"])
    failed = EXIT_BAD_INPUT if harvest.failures else EXIT_FINE
    return max(failed, exit_code(shown, options["fail_on"], may_be_empty=options["changed"]))


def _carry_out(wish: Wish, harvest: Harvest, options: Mapping[str, Any]) -> float:
    """Do the work and return the seconds that it took; what was done is kept, come what may."""
    from spikedoc.cli.scan_progress import LongScan, say_interrupted
    from spikedoc.fleet.engines.choice import engine
    from spikedoc.fleet.scan import scan as carry_out
    from spikedoc.fleet.store import open_store

    with ExitStack() as stack:
        workers = engine(options["backend"], options["workers"], options["address"])
        stack.push(lambda kind, *_: workers.close(now=kind is not None))
        store = open_store(options["store"])
        stack.callback(store.close)
        watch = stack.enter_context(LongScan(enabled=not options["quiet"]))
        try:
            carry_out(wish, store, workers, harvest, watch)
        except KeyboardInterrupt:
            say_interrupted(harvest, options["store"])
            raise
    return watch.seconds


def _wish(roots: Sequence[str], display: Display, options: Mapping[str, Any]) -> Wish:
    from spikedoc.fleet.scan import Wish
    from spikedoc.fleet.task import Method, Pages

    store, html = options["store"], options["html"]
    return Wish(
        roots=tuple(roots),
        method=Method(
            rules=options["rules"].absolute() if options["rules"] is not None else None,
            mapping=parse_mapping(options["mapping"]),
            timeout=seconds(options["timeout"], "--timeout"),
            pages=Pages(options["reports"]) if html is not None else Pages.NONE,
            language=display.language,
            budget=budget_of(options),
            may_exit=options["workers"] != 0,
        ),
        since=moment(options["since"], time.time()),
        html=html,
        passed_over=_own_files(store, html, roots),
    )


def _own_files(store: Path | None, html: Path | None, roots: Sequence[str]) -> tuple[Path, ...]:
    """What the scan itself writes, as it would be met below the roots: it is no log."""
    own = [path for path in (store, html) if path is not None]
    if store is not None:
        own += [store.with_name(store.name + tail) for tail in ("-wal", "-shm", "-journal")]
    return tuple(
        root / path.absolute().relative_to(root.absolute())
        for root in map(Path, roots)
        for path in own
        if path.absolute().is_relative_to(root.absolute())
    )


def _check_rules(rules: Path | None) -> None:
    """Raise CatalogError for a faulty rule before anything is read."""
    if rules is not None:
        from spikedoc.rules.loader import load_catalog

        load_catalog(rules)


def exit_code(records: Sequence[Record], fail_on: str, *, may_be_empty: bool = False) -> int:
    """Return 3 when spikedoc failed on a run, else 1 when something is found.

    It is 2 when not one run could be judged; nothing at all is fine where it `may_be_empty`.
    """
    from spikedoc.fleet.record import JUDGED, State

    if any(one.status is State.FAILED for one in records):
        return EXIT_CRASHED
    if fail_on != NEVER and any(one.is_found(Severity(fail_on)) for one in records):
        return EXIT_FOUND
    is_unjudged = not any(one.status in JUDGED for one in records)
    is_excused = fail_on == NEVER or (may_be_empty and not records)
    return EXIT_BAD_INPUT if is_unjudged and not is_excused else EXIT_FINE


def _conclude(
    shown: Sequence[Record],
    records: Sequence[Record],
    display: Display,
    options: Mapping[str, Any],
) -> None:
    """Print the summary of what is shown, and write the index of all."""
    from spikedoc.fleet.digest import FORMATS as WRITERS
    from spikedoc.fleet.summary import summarise

    titles = _titles(options["rules"])
    look = look_of(display)
    whole = summarise(records)
    if records or display.format == "json":
        summary = whole if shown is records else summarise(shown, whole)
        deliver(WRITERS[display.format](summary, titles, look), None)
    if options["html"] is not None:
        from spikedoc.fleet.index import check_folder, write_index

        check_folder(options["html"])
        write_index(options["html"], records, whole, titles, display.language)


def _titles(rules: Path | None) -> dict[str, Text]:
    from spikedoc.rules.loader import load_catalog

    return {rule.code: rule.title for rule in load_catalog(rules).rules}
