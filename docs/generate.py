"""Write what follows from the program: whole pages of docs/; lists and output in other pages.

python docs/generate.py            write it
python docs/generate.py --check    change nothing; tell what is stale and fail
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from _generate import architecture, coverage, reference
from _generate.console import BLOCK, ROOT, refreshed
from _generate.formats import LIST, filled
from _generate.references import Names
from _generate.rule_pages import RULES, RulePages

import spikedoc.evidence
from spikedoc.evidence.base import Probe
from spikedoc.plugins import discover
from spikedoc.rules.loader import load_catalog
from spikedoc.text import Language

# Folders that hold generated pages alone: any other file in them is left over from a renamed rule.
OWNED: Final = tuple(f"docs/{folder}" for folder in RULES.values())
HINTS: Final = 5  # pages whose first difference is shown
HINT_LINES: Final = 6


def generated_pages() -> dict[str, str]:
    """Return path → text of every page that is written as a whole."""
    families = discover(spikedoc.evidence, "PROBES")
    probes: dict[str, Probe] = {p.name: p for family in families.values() for p in family}
    catalog = load_catalog()
    pages = dict(reference.pages(probes))
    for language in Language:
        pages |= RulePages(catalog, probes, language).pages()
    pages["reference/mission.md"] = coverage.coverage(coverage.load(), Names(catalog))
    pages["explanation/architecture.md"] = architecture.page()
    return {f"docs/{name}": text for name, text in pages.items()}


def hand_written_pages() -> Iterator[Path]:
    """Yield every page written by hand, in the root and in docs/."""
    for file in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]:
        name = file.relative_to(ROOT).as_posix()
        if not name.startswith(OWNED) and "Written by docs/generate.py" not in _first_line(file):
            yield file


def _first_line(file: Path) -> str:
    with file.open(encoding="utf-8") as lines:
        return lines.readline()


def filled_pages() -> tuple[dict[str, str], list[str]]:
    """Return path → text of the hand-written pages with lists or console blocks, filled anew.

    The second part names pages that cannot be filled because a command prints something else.
    """
    pages, problems = {}, []
    for file in hand_written_pages():
        text, name = file.read_text(encoding="utf-8"), file.relative_to(ROOT).as_posix()
        if BLOCK.search(text) or LIST.search(text):
            try:
                pages[name] = refreshed(filled(text))
            except LookupError as error:
                problems.append(f"{name}: {error.args[0]}")
    return pages, problems


def stale(pages: Mapping[str, str], root: Path = ROOT) -> list[tuple[str, str]]:
    """Return path and reason of each page that is missing, differs, or is left over."""
    found = []
    for name, text in pages.items():
        file = root / name
        written = file.read_text(encoding="utf-8") if file.is_file() else None
        if written is None:
            found.append((name, "missing"))
        elif written != text:
            found.append((name, _difference(written, text)))
    return found + [(name, "left over") for name in _left_over(pages, root)]


def _left_over(pages: Mapping[str, str], root: Path) -> list[str]:
    files = [file for folder in OWNED for file in sorted((root / folder).glob("*"))]
    names = [file.relative_to(root).as_posix() for file in files]
    return [name for name in names if name not in pages]


def _difference(written: str, wanted: str) -> str:
    lines = difflib.unified_diff(written.splitlines(), wanted.splitlines(), n=0, lineterm="")
    changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return "\n    ".join(["stale", *changed[:HINT_LINES]])


def write(pages: Mapping[str, str], root: Path = ROOT) -> int:
    """Write what is stale, remove what is left over, and return how many files that were."""
    changed = stale(pages, root)
    for name, _ in changed:
        file = root / name
        if name not in pages:
            file.unlink()
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(pages[name], encoding="utf-8")
    return len(changed)


def main() -> int:
    """Write the pages, or with --check return 1 when that would change something."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail when stale")
    check = parser.parse_args().check
    others, problems = filled_pages()
    pages = generated_pages() | others
    if check:
        problems += [f"{name}: {reason}" for name, reason in stale(pages)]
    else:
        print(f"{write(pages)} of {len(pages)} pages written")
    for problem in problems[:HINTS]:
        print(problem)
    if problems:
        print(f"{len(problems)} pages are stale; run: python docs/generate.py")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
