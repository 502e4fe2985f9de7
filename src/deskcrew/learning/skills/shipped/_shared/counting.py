"""Counts in words, for what is said of a result."""


def _counted(count, thing, things=""):
    """``1 row``, ``2 rows``. ``things``: a plural that takes more than an s."""
    return f"{count:,} {thing if count == 1 else things or f'{thing}s'}"
