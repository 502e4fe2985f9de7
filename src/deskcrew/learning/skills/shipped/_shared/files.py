"""Files and folders as people name them: one by one, or by patterns."""

import glob
import itertools
from pathlib import Path


def _natural(path):
    """The order in which people count: page 2 before page 10."""
    parts = ["".join(some) for _, some in itertools.groupby(str(path), str.isdecimal)]
    key = [(int(part), "") if part.isdecimal() else (0, part.casefold()) for part in parts]
    return [(0, ""), *key] if parts and parts[0].isdecimal() else key


def _apart(text):
    """The names in a text, separated by commas, semicolons or line ends."""
    return text.replace(";", ",").replace("\n", ",").split(",")


def _as_name(text):
    """A text as the name of a file, without what some systems do not allow in one."""
    return "".join("_" if each in '\\/:*?"<>|' or each < " " else each for each in text).strip(". ")


def _given(values):
    """Values by their names, from a text such as name=Eva; town=Rome."""
    parts = (part.partition("=") for part in values.replace("\n", ";").split(";") if "=" in part)
    return {name.strip(): value.strip() for name, _, value in parts}


def _pages_in(text):
    """The numbers of a page or of a range of them. Raises ValueError."""
    first, dash, last = (each.strip() for each in text.replace("–", "-").partition("-"))
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise ValueError(f"{text.strip()!r} is no page, nor a range such as 2-5")
    return int(first), int(last or first)


def _files(text):
    """The files that names and patterns stand for, in the order given; what a pattern stands for is sorted."""
    found = []
    for name in [text] if Path(text).is_file() else _apart(text):
        name = name.strip().removeprefix("./")
        if not name:
            continue
        matched = [name] if Path(name).is_file() else sorted(glob.glob(name, recursive=True), key=_natural)
        matched = [each for each in matched if _is_own(Path(each)) and not _hidden(each)]
        if not matched:
            raise ValueError(f"There is no file {name!r}: give names or a pattern such as *.pdf")
        found += [each for each in matched if each not in found]
    if not found:
        raise ValueError("Name at least one file")
    return [Path(each) for each in found]


def _hidden(path):
    return any(part.startswith(".") for part in Path(path).parts)


def _is_own(path):
    """Whether a path is that of a file, and leads through no link."""
    return path.is_file() and not any(each.is_symlink() for each in (path, *path.parents))


def _within(folder, deep=True):
    """The files in a folder, and in those in it if ``deep``, sorted."""
    top = Path(folder or ".")
    if not top.is_dir() or top.is_symlink():
        raise ValueError(f"There is no folder {str(folder)!r}")
    there = top.rglob("*") if deep else top.iterdir()
    return sorted((each for each in there if _is_own(each) and not _hidden(each.relative_to(top))), key=_natural)


def _free(path):
    """A path for a new file. Raises ValueError if there is one."""
    place = Path(path)
    if place.exists():
        raise ValueError(f"There is already {path}: choose another name")
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _folder(path):
    """A folder for new files: a new one, or one that is there."""
    place = Path(path or ".")
    if place.is_file():
        raise ValueError(f"{path} is a file: name a folder")
    place.mkdir(parents=True, exist_ok=True)
    return place


def _moved(pairs):
    """Renames files, all or none. Raises ValueError where two would have one name, or one would replace another."""
    goals = [str(new) for _, new in pairs]
    if twice := next((each for each in goals if goals.count(each) > 1), None):
        raise ValueError(f"Two files would be called {twice}")
    old = {str(each) for each, _ in pairs}
    if taken := next((each for each in goals if Path(each).exists() and each not in old), None):
        raise ValueError(f"There is already {taken}")
    aside = [(each, each.with_name(f"{each.name}.moving"), new) for each, new in pairs if each != new]
    for each, between, _ in aside:
        each.rename(between)
    for _, between, new in aside:
        new.parent.mkdir(parents=True, exist_ok=True)
        between.rename(new)
