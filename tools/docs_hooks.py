"""What the documentation site needs besides its Markdown: pages from the repository's root, and reference from the code.

MkDocs calls the ``on_*`` functions (``hooks`` in ``mkdocs.yml``). Three things are done:

* ``SECURITY.md``, ``CHANGELOG.md`` and ``bench/README.md`` become pages without a second copy of them.
* A link to a file of the repository that is no page is checked and becomes plain text, so that the same Markdown can be
  read on a code host, where the link works.
* ``<!-- generated: NAME -->`` in a page is replaced by what ``deskcrew.ways_in.cli.reference`` makes of the code; docstrings
  are laid out by mkdocstrings.
"""

from __future__ import annotations

import logging
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))  # the code beside these pages, whatever is installed

PAGES = ("SECURITY.md", "CHANGELOG.md", "bench/README.md")
"""Files outside ``docs/`` that are pages, under their path in the repository."""
ASSETS = {"assets/icon.svg": "src/deskcrew/ways_in/web/static/icon.svg"}

log = logging.getLogger("mkdocs.hooks.docs")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^()\s]+)\)")
_FENCE = re.compile(r"^(```|~~~)", re.MULTILINE)


# ---- MkDocs events ------------------------------------------------------------------------------------------------------


def on_files(files: Any, *, config: Any) -> Any:
    """Add the pages and pictures that are not in ``docs/``."""
    for uri in PAGES:
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / uri)))
    for uri, source in ASSETS.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Fill in what is generated, then make links fit the site."""
    from deskcrew.ways_in.cli.reference import GENERATED, PYTHON, filled

    laid_out = {f"python_{section}": "\n".join(f"::: {name}" for name in names) for section, names in PYTHON.items()}
    markdown = filled(markdown, GENERATED | {name: lambda text=text: text for name, text in laid_out.items()})
    uri = page.file.src_uri
    here = uri if uri in PAGES else f"docs/{uri}"
    return "".join(
        piece if fenced else _LINK.sub(lambda match: _link(match, here, uri), piece) for piece, fenced in _pieces(markdown)
    )


def on_page_content(html: str, *, page: Any, config: Any, files: Any) -> str:
    """Docstrings name classes and functions as Sphinx has it; the last part of the name is enough to read."""
    return re.sub(r":\w+:<code>~?([\w.]+)</code>", lambda match: f"<code>{match[1].rpartition('.')[2]}</code>", html)


# ---- links --------------------------------------------------------------------------------------------------------------


def _pieces(markdown: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is a fenced block of code."""
    fenced, piece = False, ""
    for line in markdown.splitlines(keepends=True):
        if _FENCE.match(line):
            if fenced:
                yield piece + line, True
                piece = ""
            else:
                yield piece, False
                piece = line
            fenced = not fenced
        else:
            piece += line
    yield piece, fenced


def _link(match: re.Match[str], here: str, uri: str) -> str:
    """A link of the page ``here`` (its path in the repository) as the site's page ``uri`` needs it."""
    text, target = match.groups()
    path, hash_, anchor = target.partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return match[0]
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
    if meant in PAGES:
        there = meant
    elif meant.startswith("docs/"):
        there = meant.removeprefix("docs/")
    elif (ROOT / meant).exists():
        return text if "`" in text else f"{text} (`{meant}`)" if meant not in text else text
    else:
        log.warning(f"{here} links to {target}, and there is no {meant} in the repository")
        return match[0]
    return f"[{text}]({posixpath.relpath(there, posixpath.dirname(uri) or '.')}{hash_}{anchor})"
