"""``deskcrew models``: lists, downloads, removes and tests models."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict
from types import TracebackType
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deskcrew.ways_in.cli.console import console, plain_table, print_json, tell
from deskcrew.ways_in.cli.options import JsonOption, not_empty, settings_with
from deskcrew.ways_in.report.text import clean, one_line, size

if TYPE_CHECKING:
    from deskcrew.models.catalogue import CatalogueEntry
    from deskcrew.models.options import ModelOptions
    from deskcrew.models.probe import Probe
    from deskcrew.models.store import WeightStore

EPILOG = """Values for `run --model`: local (the default model), local:NAME (one of `deskcrew models list`), openai:NAME,
openai-responses:NAME, anthropic:NAME, google:NAME, ollama:NAME, http://HOST/v1#NAME (any OpenAI-compatible server), and
scripted:FILE and recorded:FILE (replies from a file; `deskcrew docs scripted-models`)."""

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="A name from `deskcrew models list`.", show_default="the default model")
]
ModelArgument = Annotated[
    str | None,
    typer.Argument(
        parser=not_empty, metavar="MODEL", help="As in deskcrew run --model.", show_default="your setting, else local"
    ),
]


def build() -> typer.Typer:
    """The group of commands."""
    app = typer.Typer(no_args_is_help=True, help="Models: list, download, remove and test them.", epilog=EPILOG)
    app.command("list", epilog="Example: deskcrew models list --json")(list_models)
    app.command(
        "pull", epilog="Example: deskcrew models pull. You can stop it at any time: it later continues where it stopped."
    )(pull)
    app.command("show", epilog="Examples: deskcrew models show openai:gpt-5-mini | deskcrew models show local --json")(
        show_model
    )
    app.command("remove", epilog="Example: deskcrew models remove smollm2-135m-instruct")(remove)
    app.command("test", epilog="Examples: deskcrew models test | deskcrew models test openai:gpt-5-mini")(try_model)
    app.command("probe", hidden=True)(try_model)
    return app


def _store() -> WeightStore:
    from deskcrew.models.store import WeightStore

    return WeightStore(settings_with(None).models)


def list_models(json: JsonOption = False) -> None:
    """List the models that can be downloaded, and which of them are on this machine."""
    from deskcrew.models.catalogue import DEFAULT_MODEL

    store = _store()
    found = store.list()
    if json:
        rows = [
            {
                "name": entry.name,
                "size": entry.size,
                "licence": entry.licence,
                "about": entry.about,
                "default": entry.name == DEFAULT_MODEL,
                "path": str(path) if path else None,
                "partial": partial,
            }
            for entry, path, partial in found
        ]
        print_json({"folder": str(store.folder), "models": rows})
        return
    table = plain_table("model", "size", "licence", "here", "about", whole=4)
    for entry, path, partial in found:
        here = "yes" if path else f"{partial * 100 // entry.size}% fetched" if partial else "no"
        cells = (entry.name, size(entry.size), entry.licence, here, entry.about)
        table.add_row(*(Text(one_line(cell)) for cell in cells))
    out = console()
    out.print(table)
    out.print(Text(f"In {store.folder}. Hosted models and servers need no download: deskcrew run --help", style="dim"))


def pull(name: NameArgument = "", json: JsonOption = False) -> None:
    """Download a model, verified by its hash; an interrupted download is resumed."""
    store = _store()
    entry = store.entry(name)
    err = console(stderr=True)
    with ProgressBar(err) as bar:
        path = store.pull(entry.name, progress=bar)
    tell(f"{entry.name} is in {path}", {"name": entry.name, "path": str(path)}, json=json)


def remove(name: Annotated[str, typer.Argument(metavar="NAME", help="A name from `deskcrew models list`.")]) -> None:
    """Delete a model's weights, and any unfinished download of them."""
    store = _store()
    entry = store.entry(name)
    console().print(f"{entry.name} was removed." if store.remove(entry.name) else f"{entry.name} was not on this machine.")


def show_model(model: ModelArgument = None, json: JsonOption = False) -> None:
    """Show what the engine assumes about a model: context, limits of its replies, how much it is shown. No model is called.

    Everything can be set for any model in models.toml; `deskcrew docs models` says how."""
    from deskcrew.models import profiles
    from deskcrew.models.options import ModelOptions
    from deskcrew.models.reference import parse

    settings = settings_with(None)
    name = model or settings.model
    parse(name)  # says what is wrong with one that is none
    file = ModelOptions.of(settings).profiles_file
    facts = profiles.find(name, user_file=file)
    told = {**facts.profile.model_dump(mode="json"), "output": facts.output}
    where = {"models_file": str(settings.config / "models.toml"), "models_file_there": file is not None}
    if json:
        print_json({"model": name, "profile": told, **where})
        return
    table = Table.grid(padding=(0, 2))
    table.add_row(Text("model", style="bold"), Text(clean(name)))
    table.add_row(Text("profile", style="bold"), Text(clean(str(told.pop("name")))))
    for label, value in told.items():
        words = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        table.add_row(Text(label, style="bold"), Text(words or "-"))
    out = console()
    out.print(table)
    note = "takes precedence" if file is not None else "does not exist"
    out.print(Text(f"Your own settings: {settings.config / 'models.toml'} ({note})", style="dim"), soft_wrap=True)


def try_model(model: ModelArgument = None, json: JsonOption = False) -> None:
    """Test what a model can do with a few small questions, and say whether it can work freely or only use skills; exit code
    4 if it cannot be used."""
    import anyio
    from rich.live import Live

    from deskcrew.models.options import ModelOptions
    from deskcrew.ways_in.cli.live import Waiting

    settings = settings_with(None)
    err = console(stderr=True)
    waiting = Waiting()
    waiting.start("asking the model")
    with Live(waiting, console=err, transient=True) if err.is_terminal else nullcontext():
        found = anyio.run(_probe, model or settings.model, ModelOptions.of(settings))
    usable = found.reachable and bool(found.schema_obeyed)
    code = 0 if usable else 4
    if json:
        print_json({**asdict(found), "usable": usable, "exit_code": code})
        raise typer.Exit(code)
    table = Table.grid(padding=(0, 2))
    for label, words in probe_rows(found):
        table.add_row(Text(label, style="bold"), Text(clean(words)))
    out = console()
    out.print(table)
    good = "It can choose skills and fill them in." if found.way == "skills" else "It can work in a crew."
    out.print(Text(good, "green") if usable else Text("It cannot work in a crew.", "red"))
    raise typer.Exit(code)


async def _probe(name: str, options: ModelOptions) -> Probe:
    from deskcrew.models.factory import create
    from deskcrew.models.probe import probe

    model = create(name, options=options)
    try:
        return await probe(model)
    finally:
        await model.close()


def probe_rows(found: Probe) -> list[tuple[str, str]]:
    """What a probe found, in words, including what was not tried."""

    def yes(value: bool | None, untried: str = "not tried") -> str:
        return untried if value is None else "yes" if value else "no"

    rows = [("model", found.model), ("reachable", yes(found.reachable))]
    if found.reachable:
        rate = "unknown" if found.reply_rate is None else f"{found.reply_rate:.0f} tokens a second"
        rows += [
            ("obeys the schema", yes(found.schema_obeyed)),
            ("small sum right", yes(found.correct)),
            ("sees pictures", yes(found.vision, "no, according to its profile")),
            ("speed", rate if found.seconds is None else f"{rate}, {found.seconds:.1f} s an answer"),
            ("context", "unknown" if found.context is None else f"{found.context:,} tokens, according to its profile"),
            ("reports tokens", yes(found.usage_reported)),
            ("price known", yes(found.cost_known)),
            ("way", f"{'skills only' if found.way == 'skills' else 'works freely'}: {found.why}"),
        ]
    return rows + ([("problem", found.problem)] if found.problem else [])


class ProgressBar:
    """The progress of a download, a :class:`deskcrew.models.store.Progress`: a bar, or lines if output is not a
    terminal."""

    def __init__(self, console: Console) -> None:
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

        self._console = console
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=console, disable=not console.is_terminal)
        self._task = self._progress.add_task("", total=None, start=False)
        self._begun = False
        self._tenth = -1

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()

    def started(self, entry: CatalogueEntry, source: str) -> None:
        self._say(f"Fetching {entry.name} from {source}")
        self._progress.reset(self._task, description=entry.name, total=entry.size, start=False)
        self._begun = False

    def advanced(self, done: int, total: int) -> None:
        if not self._begun:
            # The speed is that of this fetch: what an earlier one left does not count.
            self._begun = True
            self._progress.reset(self._task, total=total, completed=done)
        self._progress.update(self._task, completed=done, total=total)
        tenth = done * 10 // total
        if not self._console.is_terminal and tenth > self._tenth:
            self._tenth = tenth
            self._say(f"{tenth * 10}%")

    def failed(self, source: str, reason: str) -> None:
        self._say(f"{source} failed: {reason}")

    def waiting(self, entry: CatalogueEntry) -> None:
        self._say(f"Another Deskcrew is fetching {entry.name}; waiting for it.")

    def _say(self, text: str) -> None:
        self._console.print(Text(one_line(text, 300)), soft_wrap=True)
