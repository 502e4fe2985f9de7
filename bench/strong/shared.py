"""What programs of several chores use: which files were touched, numbers in texts, office files that are always the same."""

import os
import re
import sys
import tempfile
import zipfile
from pathlib import Path


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
    from make import build  # of the chore whose check calls this

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


def meanings(token):
    """What a number may mean: 1,234.50 and 1.234,50 are one; 1.234 is either 1234 or 1.234."""
    token = re.sub(r"[ \u00a0\u202f'’]", "", token)
    marks = [letter for letter in token if letter in ".,"]
    if not marks:
        return {float(token)}
    plain = re.sub(r"[.,]", "", token)
    head, tail = re.split(r"[.,](?=[^.,]*$)", token)
    fraction = float(re.sub(r"[.,]", "", head) + "." + tail)
    if len(set(marks)) == 2:
        return {fraction}
    if len(marks) > 1:
        return {float(plain)}
    return {fraction, float(plain)} if len(tail) == 3 and len(head) <= 3 else {fraction}


def numbers(text):
    """The place of each number in the text with what it may mean."""
    joined = r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?(?!\d)"
    found = [(match.start(), meanings(match[0])) for match in re.finditer(r"\d+(?:[.,]\d+)*", text)]
    return found + [(match.start(), meanings(match[0])) for match in re.finditer(joined, text)]


def places(text, value):
    """Where the text has that number."""
    return [place for place, means in numbers(text) if any(abs(mean - value) < 0.005 for mean in means)]


def steady(path):
    """Takes the time of writing out of an office file, so that the same seed makes the same bytes."""
    with zipfile.ZipFile(path) as old:
        parts = [(info.filename, old.read(info)) for info in old.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts:
            if name == "docProps/core.xml":
                content = re.sub(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*", rb"\g<1>2026-01-05T08:00:00Z", content)
            new.writestr(zipfile.ZipInfo(name, (2026, 1, 5, 8, 0, 0)), content, zipfile.ZIP_DEFLATED)
