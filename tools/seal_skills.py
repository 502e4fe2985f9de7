"""Writes the digests of the programs of shipped skills anew, after one was changed: .venv/bin/python tools/seal_skills.py"""

from __future__ import annotations

import hashlib
from pathlib import Path

from deskcrew.learning.skills.folders import METHOD, SHARED, SHIPPED
from deskcrew.learning.skills.skill import Code, Method


def sealed(folder: Path, code: Code) -> dict[str, str]:
    """What is new of a program."""
    places = [SHIPPED / SHARED / each.removeprefix("scripts/") for each in code.shares]
    data = b"".join(each.read_bytes() for each in (*places, folder / code.script))
    return {"digest": hashlib.sha256(data).hexdigest()}


def main() -> None:
    for file in sorted(SHIPPED.glob(f"*/{METHOD}")):
        method = Method.model_validate_json(file.read_bytes())
        function = method.function
        assert function is not None
        checker = function.checker
        assert checker is not None
        new = checker.model_copy(update=sealed(file.parent, checker))
        own = function.model_copy(update={**sealed(file.parent, function), "checker": new})
        text = f"{method.model_copy(update={'function': own}).model_dump_json(indent=1, exclude_defaults=True)}\n"
        if text != file.read_text(encoding="utf-8"):
            file.write_text(text, encoding="utf-8")
            print(f"{file.parent.name}: sealed")


if __name__ == "__main__":
    main()
