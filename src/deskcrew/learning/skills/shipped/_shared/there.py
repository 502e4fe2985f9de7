"""What files there are, for programs that check what was done with them."""

import fnmatch
import itertools
import os
import pathlib


def _tree(top):
    """The content of every file that is not hidden, by its path; no link is followed."""
    found = {}
    for place, folders, names in os.walk(top):
        folders[:] = [each for each in folders if not each.startswith(".")]
        for name in names:
            path = os.path.join(place, name)
            if not name.startswith(".") and not os.path.islink(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, top)] = file.read()
    return found


def _padded(path):
    parts = ("".join(some) for _, some in itertools.groupby(str(path).lower(), str.isdecimal))
    return "".join(part.zfill(20) if part.isdecimal() else part for part in parts)


def _apart(text):
    """The names in a text, separated by commas, semicolons or line ends."""
    return text.replace(";", ",").replace("\n", ",").split(",")


def _numbers_in(text):
    return [int(each) for each in "".join(each if each.isdecimal() else " " for each in text).split()]


def _is_copy(path, stem, ending):
    """Whether a path is ``stem`` and ``ending``, or has a number between them: ``stem (2)``."""
    middle = path[len(stem) : len(path) - len(ending)]
    numbered = middle.startswith(" (") and middle.endswith(")") and middle[2:-1].isdecimal()
    return path == stem + middle + ending and (not middle or numbered)


def _is_part(path, stem, number, ending):
    """Whether a path is ``stem``, a blank, that number, with zeros or without, and ``ending``."""
    counted = path[len(stem) + 1 : len(path) - len(ending)]
    return path == f"{stem} {counted}{ending}" and counted.lstrip("0") == str(number)


def _mails(data):
    """The mails of a mailbox."""
    pieces = (b"\n" + data).split(b"\nFrom ")[1:]
    return [piece.partition(b"\n")[2].removesuffix(b"\r") for piece in pieces]


def _meant(top, text):
    """The paths that names and patterns stand for."""
    there = _tree(top)
    if text in there:
        return [text]
    paths = []
    for part in _apart(text):
        part = os.path.normpath(part.strip()) if part.strip() else ""
        if part in there:
            some = [part]
        elif "**" in part:
            some = [each for each in there if pathlib.PurePath(f"_/{each}").match(part.replace("**/", ""))]
        else:
            level = part.count("/")
            some = [each for each in there if each.count("/") == level and fnmatch.fnmatchcase(each, part)]
        paths += sorted((each for each in some if each not in paths), key=_padded)
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


def _difference(one, other):
    """How different two pictures of one size look, of 255: as a whole or, by less than half of it, in one of its parts."""
    from PIL import Image, ImageChops

    different = ImageChops.difference(one, other)
    whole, parts = (different.resize((n, n), Image.Resampling.BOX).getextrema() for n in (1, 8))
    return max(max(most for _, most in whole), max(most for _, most in parts) / 2.5)
