"""The command group, and the mapping of everything that can go wrong to an exit code."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from spikedoc.cli.analyze import analyze
from spikedoc.cli.baseline import baseline
from spikedoc.cli.check import check
from spikedoc.cli.compare import compare
from spikedoc.cli.convert import convert
from spikedoc.cli.knowledge import explain, list_rules
from spikedoc.cli.messages import say, say_crash
from spikedoc.cli.report import report
from spikedoc.cli.samples import samples
from spikedoc.cli.scan import scan
from spikedoc.cli.schema import schema
from spikedoc.cli.series import series
from spikedoc.cli.session import EXIT_BAD_INPUT, EXIT_CRASHED, EXIT_FINE, Session
from spikedoc.cli.sweep import sweep
from spikedoc.errors import SpikedocError, reason_of
from spikedoc.text import Text
from spikedoc.version import VERSION

# What a shell reports for a program stopped by Ctrl-C: 128 and the number of SIGINT.
EXIT_INTERRUPTED: Final = 130

TO_READ: Final = Text(
    "to read a log, say: spikedoc analyze {path}", "要读取日志，请用：spikedoc analyze {path}"
)
STANDARD_OUTPUT: Final = Text("the standard output", "标准输出")
NO_ACCESS: Final = Text("no access to {place}: {reason}", "无法访问 {place}：{reason}")


class Commands(click.Group):
    """The commands; a path where a command belongs is answered with the right call."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command named by the first argument."""
        if self.get_command(ctx, args[0]) is None and Path(args[0]).exists():
            ctx.fail(TO_READ.fill({"path": args[0]}).get(ctx.ensure_object(Session).language))
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 nothing at or above --fail-on, 1 something found, 2 unreadable input, "
    "nothing that could be judged, or wrong usage, 3 spikedoc itself failed.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    help="Show the version.",
    callback=lambda ctx, _option, wanted: _show_version(ctx) if wanted else None,
)
def commands() -> None:
    """Find out from its log what went wrong in a training run, why, and what to change."""


def _show_version(ctx: click.Context) -> None:
    click.echo(f"spikedoc {VERSION}")
    ctx.exit()


_ALL = (
    *(analyze, check, baseline, compare, sweep, scan, samples, series, convert),
    *(explain, list_rules, report, schema),
)
for _command in _ALL:
    commands.add_command(_command)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing is raised."""
    session = Session()
    try:
        code = commands.main(
            list(arguments), prog_name="spikedoc", obj=session, standalone_mode=False
        )
    except click.Abort:
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show()
        return EXIT_BAD_INPUT
    except SpikedocError as error:
        say(error.text, session, fg="red")
        return EXIT_BAD_INPUT
    except OSError as error:  # of click's own output: --help on a full disk
        place = error.filename or STANDARD_OUTPUT
        told = NO_ACCESS.fill({"place": place, "reason": reason_of(error)})
        say(told, session, fg="red")
        return EXIT_BAD_INPUT
    except SystemExit:  # click leaves like this when its help goes to a closed pipe
        return EXIT_FINE
    except Exception as error:  # the last line of defence: exit code 1 would mean "found"
        say_crash(error, session)
        return EXIT_CRASHED
    return code if isinstance(code, int) else EXIT_FINE


def main() -> None:
    """Run the command line of this process and exit."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # of numpy about the very NaNs that are the subject
    sys.exit(run(sys.argv[1:]))
