"""How large the HTML report of a long run is, and how long a browser takes to open it.

    python benchmarks/page.py [--write]

Diagnoses a CSV log of a million steps with five series, opens the page in Chromium, and asks the
browser for the time it spent in scripts and in all until everything was drawn. --write keeps the
table in the docs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Final

from _logs import columns, write_csv
from _measure import keep, run, table

STEPS: Final = (20_000, 1_000_000)
TAGS: Final = 5
REPEATS: Final = 5
GOAL_BYTES: Final = 1_000_000
GOAL_SECONDS: Final = 1.0
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
# No sandbox: it may run as root. The rest keeps Chromium from calling home.
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


def page_of(folder: Path, steps: int) -> Path:
    """Return the HTML report on a log of `steps` steps."""
    log, page = folder / f"{steps}.csv", folder / f"{steps}.html"
    write_csv(log, columns(steps, TAGS))
    command = ["-m", "spikedoc", "analyze", str(log), "--fail-on", "never", "-q"]
    run([*command, "--output", str(page)])
    return page


def opening(page: Path) -> tuple[float, float]:
    """Return seconds in scripts and seconds in all until the page is drawn; medians."""
    from playwright.sync_api import sync_playwright

    found = []
    named = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=named, args=list(FLAGS))
        for _ in range(REPEATS):
            tab = browser.new_page(viewport={"width": 1400, "height": 1000})
            session = tab.context.new_cdp_session(tab)
            session.send("Performance.enable")
            tab.goto(page.as_uri())
            tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => done()))")
            metrics = session.send("Performance.getMetrics")["metrics"]
            used = {metric["name"]: metric["value"] for metric in metrics}
            found.append((used["ScriptDuration"], used["TaskDuration"]))
            tab.close()
        browser.close()
    scripts, tasks = zip(*found, strict=True)
    return statistics.median(scripts), statistics.median(tasks)


def main() -> None:
    """Measure, print, and keep the table when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="keep the table in the docs")
    wanted = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for steps in STEPS:
            page = page_of(Path(name), steps)
            size = page.stat().st_size
            scripts, tasks = opening(page)
            met = "met" if size <= GOAL_BYTES and scripts < GOAL_SECONDS else "missed"
            kilobytes = f"{size / 1000:.0f}"
            rows.append([f"{steps:,}", kilobytes, f"{scripts:.2f}", f"{tasks:.2f}", met])
    goal = f"Goal: at most {GOAL_BYTES // 1000:,} kB, scripts below {GOAL_SECONDS:g} s."
    head = ["Steps, 5 series", "Page (kB)", "Seconds in scripts", "Seconds in all", "Goal"]
    text = f"{table(head, rows)}\n\n{goal}"
    print(text)
    if wanted.write:
        keep("page", text)


if __name__ == "__main__":
    main()
