"""Asks OfficeBench's own checker about a folder, and prints what it says: a program of its own.

``python checker.py CLONE SUBTASK.json TESTBED``. The checker runs as it is, with three things for what it has in its
container: readers are loaded alone, and not with all its tools, which need more than reading does; what is not installed
and only its command lines use is stood in for; mail, which it reads at ``/testbed`` whatever it is told, is read in TESTBED.
"""

from __future__ import annotations

import glob
import importlib
import importlib.util
import json
import sys
import types
from contextlib import redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

READERS = ("excel_app", "word_app", "pdf_app", "email_app")


def prepare(clone: Path, testbed: str) -> None:
    """Make its modules importable."""
    sys.path.insert(0, str(clone))
    for name in ("apps", "utils", *(f"apps.{reader}" for reader in READERS)):
        package = types.ModuleType(name)
        package.__path__ = [str(clone.joinpath(*name.split(".")))]
        sys.modules[name] = package
    stand_ins: dict[str, dict[str, Any]] = {
        "fire": {},
        "pytz": {"UTC": types.SimpleNamespace(localize=_localized)},
        "PyPDF2": {"PdfReader": _pdf_reader},
        "icalendar": {},
    }
    for name, members in stand_ins.items():
        if importlib.util.find_spec(name) is None:
            module = types.ModuleType(name)
            module.__dict__.update(members)
            sys.modules[name] = module

    def mails(pattern: str) -> list[str]:
        return sorted(glob.glob(f"{testbed}{pattern.removeprefix('/testbed')}"))

    importlib.import_module("apps.email_app.email_list_emails").__dict__["glob"] = mails


def _localized(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)


def _pdf_reader(path: str) -> object:
    from pypdf import PdfReader

    return PdfReader(path)


def main() -> None:
    """Print one line: ``[right, what it says]``."""
    clone, subtask, testbed = sys.argv[1:4]
    with redirect_stdout(sys.stderr):
        prepare(Path(clone), testbed)
        checker = importlib.import_module("utils.evaluate")
        checks = json.loads(Path(subtask).read_bytes())["evaluation"]
        failed = (check for check in checks if not getattr(checker, check["function"])(testbed, check["args"]))
        first = next(failed, None)
    print(json.dumps([first is None, f"{first['function']} {first['args']}" if first else ""]))


if __name__ == "__main__":
    main()
