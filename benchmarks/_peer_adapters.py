"""Two tools without a command for a file, asked about a table through their functions.

    python _peer_adapters.py gradsnitch|runwise TABLE

Runs inside the environment of the tool, so it imports nothing else that is not in every Python.
Prints a JSON list of {"name", "is_alarm"}.
"""

from __future__ import annotations

import csv
import json
import sys
from typing import Any


def gradsnitch(path: str) -> list[dict[str, Any]]:
    """Return its findings; both of its severities, error and warning, are alarms."""
    import gradsnitch as tool  # type: ignore[import-not-found]  # in a venv of its own

    return [{"name": found.code, "is_alarm": True} for found in tool.lint_csv(path)]


def runwise(path: str) -> list[dict[str, Any]]:
    """Return its anomalies, each a warning or critical, after one row for each logged step."""
    from runwise import detect_anomalies  # type: ignore[import-not-found]

    with open(path, newline="", encoding="utf-8") as file:  # noqa: PTH123
        rows = [
            {name: float(cell) for name, cell in row.items() if cell}
            for row in csv.DictReader(file)
        ]
    found = []
    for one in detect_anomalies(rows):
        name = one.type
        if name == "gradient":  # one type for two opposite things
            name = "gradient explosion" if "explosion" in one.message else "gradient vanishing"
        found.append({"name": name, "is_alarm": True})
    return found


if __name__ == "__main__":
    # The folder of this file comes first on the path, and none of it is meant for the tool.
    sys.path.pop(0)
    print(json.dumps({"gradsnitch": gradsnitch, "runwise": runwise}[sys.argv[1]](sys.argv[2])))
