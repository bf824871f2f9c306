"""The one place that finds plug-ins: the modules of a folder, each with its constant."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any

# Modules that belong to a plug-in folder without being plug-ins.
NOT_PLUGINS = frozenset({"base"})


def discover(package: ModuleType, constant: str) -> dict[str, Any]:
    """Return module name → its `constant`, in name order, for each plug-in module of `package`.

    Raises TypeError naming the module when a plug-in lacks the constant.
    """
    return {name: load(package, name, constant) for name in names(package)}


def names(package: ModuleType) -> list[str]:
    """Return the names of the plug-in modules of `package`, sorted, none of them imported.

    Modules named `base` or starting with an underscore are support code, a sub-folder is a shelf of
    its own.
    """
    found = (info.name for info in pkgutil.iter_modules(package.__path__) if not info.ispkg)
    return sorted(name for name in found if not name.startswith("_") and name not in NOT_PLUGINS)


def load(package: ModuleType, name: str, constant: str) -> Any:
    """Return the `constant` of one plug-in module; raises TypeError when it has none."""
    module = importlib.import_module(f"{package.__name__}.{name}")
    if not hasattr(module, constant):
        raise TypeError(f"{module.__name__} must export {constant}")
    return getattr(module, constant)
