"""``deskcrew bench perceive``: what is seen of pages, against what pressing everything on them does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.options import JsonOption

if TYPE_CHECKING:
    from deskcrew_bench.perceive.measure import Finding, Share
    from deskcrew_bench.perceive.pressing import View

AppsOption = Annotated[
    Path | None, typer.Option("--apps", metavar="DIR", help="Applications of a clone of WebArena-Infinity.", exists=True)
]
AppOption = Annotated[list[str] | None, typer.Option("--app", metavar="NAME", help="This one; may be given more than once.")]
PagesOption = Annotated[
    Path | None, typer.Option("--pages", metavar="DIR", help="Pages of your own: all *.html in it.", exists=True)
]
ViewsOption = Annotated[int, typer.Option("--views", metavar="N", help="Of each application.")]
MostOption = Annotated[int, typer.Option("--most", metavar="N", help="Presses in a view, for each reader.")]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="Of what is pressed.")]
FindingsOption = Annotated[Path | None, typer.Option("--jsonl", metavar="FILE", help="Write each finding.")]


def perceive(
    apps: AppsOption = None, app: AppOption = None, pages: PagesOption = None, views: ViewsOption = 5,
    most: MostOption = 25, seed: SeedOption = 1, jsonl: FindingsOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """What can be pressed on pages: is it listed, named, and told when its state changes? Beside Playwright's snapshot.
    Needs no model; a second or two a press.

    Exit code 0 when every view was tried, whatever was found.
    """
    from deskcrew.errors import UsageError
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.perceive import measure

    if apps is None and pages is None:
        raise UsageError("There is nothing to look at.", hint="Name applications with --apps, or pages with --pages.")
    out = console(stderr=json)
    found: list[Finding] = []
    for start in _starts(apps, app or [], pages):
        for number, view in enumerate(measure.views(start, 1 if start.page else views, seed), 1):
            name = f"{start.name} {number}"
            found += (mine := list(measure.judge(view, name, most, seed)))
            out.print(f"{name}: {_said(measure.shares(mine)[0])}", markup=False, highlight=False)
    if jsonl is not None:
        jsonl.write_text("".join(f"{type(each).__name__} {each.model_dump_json()}\n" for each in found), encoding="utf-8")
    total = measure.shares(found)
    for share in total:
        out.print(f"{share.reader}: {_said(share)}", markup=False, highlight=False)
    if json:
        print_json({"readers": [share.model_dump() for share in total]})


def _starts(apps: Path | None, only: list[str], pages: Path | None) -> Iterator[View]:
    """Each application and page as it is at first, in a browser of its own, for as long as it is worked with."""
    import tempfile
    import urllib.request

    from deskcrew.environments.browser.browser import start_browser
    from deskcrew_bench.perceive.pressing import View
    from deskcrew_bench.webarena_infinity.apps import served, tasks_of

    for page in sorted(pages.glob("*.html")) if pages is not None else ():
        with start_browser(page.parent) as browser:
            yield View(browser, page.name, page.name, page=True)
    folders = {task.app: task.folder for task in tasks_of(apps, only)} if apps is not None else {}
    for name, folder in folders.items():
        with (
            served(folder) as address,
            tempfile.TemporaryDirectory(prefix="deskcrew-bench-") as workspace,
            start_browser(Path(workspace), network=True) as browser,
        ):

            def reset(address: str = address) -> None:
                request = urllib.request.Request(f"{address}/api/reset", method="POST")
                with urllib.request.urlopen(request, timeout=10):
                    pass

            yield View(browser, name, address, reset=reset)


def _said(share: Share) -> str:
    def of(part: int, whole: int) -> str:
        return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "0 of 0"

    return (
        f"listed {of(share.listed, share.operable)}, named {of(share.named, share.operable)}, states told "
        f"{of(share.told, share.states)}, listed and idle {of(share.idle, share.tried)}, {share.characters} characters"
    )
