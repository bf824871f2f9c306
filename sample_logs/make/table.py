"""Writes the table of cases in sample_logs/README.md from the case.toml files.

`python table.py` rewrites it, `python table.py --check` only says whether it is current.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BEGIN, END = "<!-- cases: written by make/table.py -->\n", "<!-- end of cases -->"


def one_or_many(value: str | list[str]) -> list[str]:
    """Return alternatives as a list."""
    return [value] if isinstance(value, str) else value


def shown(case: dict[str, Any]) -> str:
    """Return what must be found, in one cell."""
    cells = []
    for find in case.get("finds", ()):
        name = " or ".join(f"`{kind}`" for kind in one_or_many(find["kind"]))
        signal = " or ".join(one_or_many(find["signal"]))
        form = f" ({find['form']})" if "form" in find else ""
        place = f"{find['step']}–{find['until']}" if "until" in find else f"{find['step']}"
        cells.append(f"{name}{form} in {signal}, step {place}")
    return "<br>".join(cells) or "nothing"


def layout(run: Path) -> str:
    """Return the kind of log a run folder holds."""
    names = sorted(path.name for path in run.rglob("*") if path.is_file())
    if "trainer_state.json" in names:
        return "HF `trainer_state.json`"
    events = sum("tfevents" in name for name in names)
    if events:
        return f"{events} event files" if events > 1 else "event file"
    if "hparams.yaml" in names:
        return "Lightning `metrics.csv`"
    return "JSONL" if any(name.endswith(".jsonl") for name in names) else "CSV"


def table() -> str:
    """Return the table of all cases in Markdown."""
    lines = ["| case | what was done | log | must be found | cause |", "|---|---|---|---|---|"]
    for path in sorted(ROOT.glob("*/case.toml")):
        case = tomllib.loads(path.read_text("utf-8"))
        causes = ", ".join(f"`{cause}`" for cause in case.get("within", {})) or "–"
        cells = [f"`{path.parent.name}`", case["title"]["en"], layout(path.parent / "run")]
        lines.append(f"| {' | '.join([*cells, shown(case), causes])} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Rewrite the table, or check it."""
    text = README.read_text("utf-8")
    head, rest = text.split(BEGIN)
    current = head + BEGIN + table() + END + rest.split(END)[1]
    if "--check" in sys.argv:
        if text != current:
            print("sample_logs/README.md: run sample_logs/make/table.py", file=sys.stderr)
        return int(text != current)
    README.write_text(current, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
