"""What files there are, for programs that check what was done with them."""

import fnmatch
import os
import pathlib
import re


def _tree(top):
    """The content of every file that is not hidden, by its path."""
    found = {}
    for place, folders, names in os.walk(top):
        folders[:] = [each for each in folders if not each.startswith(".")]
        for name in names:
            if not name.startswith("."):
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, top)] = file.read()
    return found


def _counted(path):
    return re.sub(r"\d+", lambda found: f"{int(found[0]):020d}", str(path).lower())


def _meant(top, text):
    """The paths that names and patterns stand for."""
    there = _tree(top)
    if text in there:
        return [text]
    paths = []
    for part in re.split("[,;\n]", text):
        part = os.path.normpath(part.strip()) if part.strip() else ""
        if part in there:
            some = [part]
        elif "**" in part:
            some = [each for each in there if pathlib.PurePath(f"_/{each}").match(part.replace("**/", ""))]
        else:
            level = part.count("/")
            some = [each for each in there if each.count("/") == level and fnmatch.fnmatchcase(each, part)]
        paths += sorted((each for each in some if each not in paths), key=_counted)
    return paths


def _in(top, folder, deep=True):
    """The paths below a folder, from it on, by their content."""
    prefix = "" if folder in (None, "", ".") else f"{os.path.normpath(folder)}/"
    below = {path.removeprefix(prefix): data for path, data in _tree(top).items() if path.startswith(prefix)}
    return below if deep else {path: data for path, data in below.items() if "/" not in path}


def _same_but(start, end, *new):
    """Whether everything that was there is as it was; ``new``: the only paths that are new."""
    before, now = _tree(start), _tree(end)
    lost = [path for path in before if now.get(path) != before[path]]
    more = [path for path in now if path not in before and path not in new]
    assert not lost, f"{lost[0]} is not what it was"
    assert not more, f"{more[0]} should not be there"


def _pages(path):
    """What each page of a PDF shows: its text, its size, how it is turned, its pictures, and the words of its content."""
    import pypdf

    return [
        (
            page.extract_text(),
            [float(side) for side in page.mediabox],
            page.rotation % 360,
            [image.data for image in page.images],
            page.get_contents().get_data().split() if page.get_contents() else [],
        )
        for page in pypdf.PdfReader(path).pages
    ]
