"""Reference pages taken from the program itself: its commands and the quantities it knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from _generate.markup import page, prose, table
from _generate.metrics import NAMES
from spikedoc.cli.entry import commands
from spikedoc.evidence.base import Probe
from spikedoc.ingest.aliases import role_of
from spikedoc.model.metric import MANY, Metric
from spikedoc.model.role import ROLES


def pages(probes: Mapping[str, Probe]) -> Iterator[tuple[str, str]]:
    """Yield path under docs/ and text of every page."""
    yield "reference/cli.md", cli()
    yield "reference/metrics.md", metrics(probes)


def cli() -> str:
    """Return the page of the commands: arguments, options, defaults."""
    blocks = [
        "# Command line",
        prose(_first_line(commands.help)),
        prose(commands.epilog or ""),
        "The report goes to the standard output and nothing else does; what concerns the work"
        " itself goes to the standard error.",
    ]
    above = click.Context(commands, info_name="spikedoc", **commands.context_settings)
    for name, command in _all_commands(commands):
        context = click.Context(command, info_name=name, parent=above)
        usage = " ".join(command.collect_usage_pieces(context))
        blocks += [f"## spikedoc {name}", f"```\nspikedoc {name} {usage}\n```"]
        blocks += [prose(_paragraphs(command.help)), _options(command, context)]
    return page("the program", blocks)


def _all_commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its name, those of a group after it."""
    for name in sorted(group.commands):
        command = group.commands[name]
        yield f"{before}{name}", command
        if isinstance(command, click.Group):
            yield from _all_commands(command, f"{before}{name} ")


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]


def _paragraphs(text: str | None) -> str:
    found = (text or "").strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in found)


def _options(command: click.Command, context: click.Context) -> str:
    rows = []
    for option in command.get_params(context):
        if isinstance(option, click.Option) and not option.hidden:
            names = ", ".join((*option.opts, *option.secondary_opts))
            rows.append([f"`{names}`", _value(option, context), prose(_help(option))])
    return table(["Option", "Value", "What it does"], rows)


def _help(option: click.Option) -> str:
    default = option.default
    shown = f" Default: `{default}`." if option.show_default and default is not None else ""
    return f"{option.help or ''}{shown}"


def _value(option: click.Option, context: click.Context) -> str:
    if option.is_flag:
        return "–"
    if isinstance(option.type, click.Choice):
        return ", ".join(f"`{choice}`" for choice in option.type.choices)
    if isinstance(option.type, click.IntRange):
        if option.type.max is None:
            return f"a whole number, {option.type.min} or more"
        return f"a whole number from {option.type.min} to {option.type.max}"
    repeated = " (may be repeated)" if option.multiple else ""
    return f"`{option.make_metavar(context)}`{repeated}"


def metrics(probes: Mapping[str, Probe]) -> str:
    """Return the page of the roles a series can have, and what logging each of them tells."""
    blocks = [
        "# Quantities",
        "Every series of a log is given one of these roles by its name. The role is its name in"
        " the report and in `--map ROLE=TAG`, which gives a role by hand. Upper and lower case and"
        " the separators `/ . _ - :` make no difference. A name that no pattern of"
        " `spikedoc/readers/metric_aliases.toml` matches is `other`: it is kept and named in the"
        " report, and nothing else is made of it.",
    ]
    head = ["Role", "What it is", "Recognised names, for example"]
    rows = []
    for metric in Metric:
        known = NAMES.get(metric, ())
        for name in known:
            if role_of(name).metric is not metric:
                raise ValueError(f"{name} is {role_of(name).metric}, not {metric}")
        many = " A run may hold several." if metric in MANY else ""
        names = ", ".join(f"`{name}`" for name in known) or "–"
        rows.append([f"`{metric}`", ROLES[metric].en + many, names])
    blocks += [table(head, rows), "## What each one tells", _INTRO]
    for metric in Metric:
        asked = [p for p in probes.values() if metric in p.needs]
        if asked:
            lines = [f"- {prose(p.question.en)}" for p in sorted(asked, key=lambda p: p.name)]
            blocks += [f"### {metric}", "\n".join(lines)]
    return page("the program", blocks)


_INTRO = (
    "Questions that can be answered only when the quantity is logged. Every report lists the ones"
    " that it had to leave open and that would have told its causes apart."
)
