"""``deskcrew docs``: the documentation at a terminal, also where only the package is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

EPILOG = "Examples: deskcrew docs | deskcrew docs add-an-action | deskcrew docs design/memory"

PACKAGE = Path(__file__).parents[2]
ROOMS = ("how-to", "reference", "")
"""The folders in which a name without one is looked up, in this order."""


def docs(
    page: Annotated[
        str | None, typer.Argument(metavar="PAGE", help="Its name, such as add-an-action.", show_default="list them all")
    ] = None,
) -> None:
    """Show a page of the documentation, or list all of them."""
    there = pages()
    if page is None:
        for name, path in there.items():
            typer.echo(f"{name:34} {_title(path)}")
        return
    name = page.removeprefix("docs/").removesuffix(".md")
    found = next((full for room in ROOMS if (full := f"{room}/{name}".lstrip("/")) in there), None)
    if found is None:
        from deskcrew.errors import UnknownError
        from deskcrew.facts.meant import did_you_mean

        near = did_you_mean(name, [*there, *(Path(each).name for each in there)])
        raise UnknownError(f"There is no page {page!r}.{near}", hint="`deskcrew docs` lists them.")
    from deskcrew.ways_in.cli.reference import filled

    text = filled(there[found].read_text(encoding="utf-8"))
    if not sys.stdout.isatty():
        typer.echo(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))


def pages() -> dict[str, Path]:
    """The pages' files, by name. The build puts them into the package (``hatch_build.py``); a clone has them beside it."""
    folder = next((each for each in (PACKAGE / "docs", PACKAGE.parents[1] / "docs") if each.is_dir()), None)
    found = sorted(folder.rglob("*.md")) if folder else []
    return {path.relative_to(folder or path).with_suffix("").as_posix(): path for path in found}


def _title(page: Path) -> str:
    lines = page.read_text(encoding="utf-8").splitlines()
    return next((line.removeprefix("# ") for line in lines if line.startswith("# ")), "")
