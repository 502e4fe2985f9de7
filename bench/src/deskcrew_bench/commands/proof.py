"""``deskcrew bench ceiling`` and ``omissions``: is "done" said of right work, and of right work alone?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with

FolderOption = Annotated[
    Path, typer.Option("--chores", metavar="DIR", help="Where the chores are; see bench/proof/README.md.")
]
OnlyOption = Annotated[list[str] | None, typer.Option("--only", metavar="NAME", help="Only this chore.")]
LanguageOption = Annotated[
    str, typer.Option("--language", metavar="CODE", help="The chores that are worded in this language too, such as de.")
]
FOLDER = Path("bench/proof/chores")


def ceiling(
    chores: FolderOption = FOLDER,
    only: OnlyOption = None,
    language: LanguageOption = "",
    model: Annotated[
        str, typer.Option("--model", help="Who says what must hold and whether it does; '': kept replies of a strong model.")
    ] = "",
    keep: Annotated[bool, typer.Option("--keep", help="Keep the replies of --model beside the chores.")] = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Perfect operations over chores in anybody's words: how many end done?

    Exit code 0 only when nothing wrong does."""
    import tempfile

    import anyio

    from deskcrew.models import factory
    from deskcrew.models.options import ModelOptions
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.proof import measure
    from deskcrew_bench.proof.chore import chores as read

    settings = settings_with(data)
    settings.data.mkdir(parents=True, exist_ok=True)
    out = console(stderr=json)
    trials: list[measure.Trial] = []
    with tempfile.TemporaryDirectory(prefix="ceiling-", dir=settings.data) as folder:
        inside = settings.model_copy(update={"data": Path(folder)})
        for chore in read(chores, only or (), language):
            asked = factory.create(model, options=ModelOptions.of(settings)) if model else None
            trials.append(anyio.run(lambda c=chore, m=asked: measure.attempt(c, inside, model=m, keep=keep)))
            out.print(measure.line(trials[-1]), soft_wrap=True, markup=False)
    found = measure.totals(trials)
    out.print(measure.summary(found), soft_wrap=True)
    if json:
        print_json({"trials": [each.model_dump(mode="json") for each in trials], "totals": found.model_dump(mode="json")})
    raise typer.Exit(1 if found.kinds.get("done and wrong") else 0)


def omissions(
    chores: FolderOption = FOLDER,
    only: OnlyOption = None,
    language: LanguageOption = "",
    each: Annotated[int, typer.Option("--each", min=0, help="At most this many of a chore; 0: all.")] = 15,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """The same with one thing wrong (a statement left out, another number, text or comparison): none may end done.

    What the chore's own check finds nothing wrong with does not count. Exit code 0 only when nothing wrong ends done."""
    import tempfile

    import anyio

    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.proof import measure
    from deskcrew_bench.proof.chore import chores as read

    settings = settings_with(data)
    settings.data.mkdir(parents=True, exist_ok=True)
    out = console(stderr=json)
    trials: list[measure.Trial] = []
    with tempfile.TemporaryDirectory(prefix="omissions-", dir=settings.data) as folder:
        inside = settings.model_copy(update={"data": Path(folder)})
        for chore in read(chores, only or (), language):
            for what, code in measure.wrong_ones(chore, each):
                trial = anyio.run(lambda c=chore, w=what, x=code: measure.attempt(c, inside, code=x, mutant=w))
                if trial.wrong:
                    trials.append(trial)
                    out.print(measure.line(trial), soft_wrap=True, markup=False)
    found = measure.totals(trials)
    out.print(measure.summary(found), soft_wrap=True)
    if json:
        print_json({"trials": [x.model_dump(mode="json") for x in trials], "totals": found.model_dump(mode="json")})
    raise typer.Exit(1 if found.kinds.get("done and wrong") else 0)
