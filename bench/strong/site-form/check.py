"""The answer is the confirmation number that the page gives for exactly the right course and these details."""

import os
import re
import sys
import tempfile
from pathlib import Path

from make import build, facts


def scan(folder):
    """The files below the folder by their path, without those whose path has a part that starts with a dot."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in name.parts):
            found[name.as_posix()] = path.read_bytes()
    return found


def untouched(changed=(), added=(), gone=()):
    """Ends with a reason if anything but these files was changed, added or taken away."""
    with tempfile.TemporaryDirectory() as folder:
        build(os.environ["DESKCREW_SEED"], folder)
        before = scan(folder)
    after = scan(".")
    for name, content in before.items():
        if name not in after and name not in gone:
            sys.exit(f"{name} is gone")
        if name in after and after[name] != content and name not in changed:
            sys.exit(f"{name} was changed")
    for name in after:
        if name not in before and name not in added:
            sys.exit(f"nobody asked for the file {name}")


def main():
    made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
    untouched()
    told = set(re.findall(r"(?<!\d)\d{5}(?!\d)", re.sub(r"(?<=\d)[ ,.'’\u00a0\u202f](?=\d{3}(?!\d))", "", answer)))
    if told != {made["number"]}:
        sys.exit(f"the answer is {answer!r}; the page says {made['number']} for {made['course']}")


main()
