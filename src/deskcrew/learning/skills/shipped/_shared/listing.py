"""What was found, as a table and in words."""

SMALL = (
    "with", "of", "the", "and", "mit", "der", "die", "das", "und", "von", "con", "de", "el", "la", "y",
    "avec", "le", "et",
)  # fmt: skip


def _has(text, row):
    """Whether the cells of a row have all words of a text, in whatever number."""
    words, whole = (text or "").casefold().split(), " ".join(row).casefold()
    return all(word in SMALL or word.removesuffix("s") in whole for word in words)


def _listed(result, head, rows, thing, told=None):
    """Write what was found, and say how many there are and the first of them. ``told``: the rows as they are said."""
    _write(result, [_row(each) for each in (head, *rows)], "")
    first = "; ".join(" ".join(filter(None, row)) for row in (told or rows)[:5])
    more = f" and {_counted(len(rows) - 5, 'other')}" if len(rows) > 5 else ""
    return f"{_counted(len(rows), thing)}{': ' if rows else ''}{first}{more}"
