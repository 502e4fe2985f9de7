"""``deskcrew memory``: view, change and delete what is remembered of earlier runs and what the user declared."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.facts.canonical import canonical
from deskcrew.ways_in.cli.console import console, must_agree, plain_table, print_json, tell
from deskcrew.ways_in.cli.options import DataOption, JsonOption, existing_journal, folder, run_named, settings_with
from deskcrew.ways_in.report.text import clean, moment, one_line

if TYPE_CHECKING:
    from deskcrew.learning.memory.entry import Entry
    from deskcrew.learning.memory.store import Memory

ADD_EPILOG = """Examples:

deskcrew memory add "Invoices are kept in papers/invoices, one folder a year"

deskcrew memory add "The figures of this folder are in Swiss francs" --scope workspace --workspace ./books"""
FORGET_EPILOG = (
    "Examples: deskcrew memory forget 3fa2 81c0 | deskcrew memory forget --run 0317 | deskcrew memory forget --all"
)
SHORTEST_START = 4
"""The minimum length of an id's prefix that is enough to delete an entry, so that a typing error deletes none."""

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="Id of the entry, or the start of it.", show_default=False)]
ScopeOption = Annotated[
    Literal["user", "workspace", "shared"] | None,
    typer.Option(
        "--scope",
        help="user: in all your runs; workspace: in runs on one folder; shared: in all, and in `export --shared`.",
        show_default="user",
    ),
]
PlaceOption = Annotated[
    Path | None,
    typer.Option("--workspace", parser=folder, metavar="DIR", help="Folder for --scope workspace.", show_default="this one"),
]


def build() -> typer.Typer:
    """The group of commands."""
    app = typer.Typer(
        no_args_is_help=True, help="Memory: what earlier runs have proven and what you have said, recalled in later runs."
    )
    app.command("list", epilog="Examples: deskcrew memory list --role Operator | deskcrew memory list --all --json")(list_)
    app.command("show", epilog="Example: deskcrew memory show 3fa2")(show)
    app.command("add", epilog=ADD_EPILOG)(add)
    app.command("edit", epilog='Example: deskcrew memory edit 3fa2 "Save such files as UTF-8, always"')(edit)
    app.command("accept", epilog="Example: deskcrew memory accept 3fa2")(accept)
    app.command("decline", epilog="Example: deskcrew memory decline 3fa2")(decline)
    app.command("forget", epilog=FORGET_EPILOG)(forget)
    app.command("export", epilog="Example: deskcrew memory export --shared > ours.jsonl")(export)
    app.command("import", epilog="Example: deskcrew memory import ours.jsonl")(import_)
    return app


def list_(
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help="Only what this role remembers.", show_default=False)
    ] = "",
    facts: Annotated[bool, typer.Option("--facts", help="Only what you declared.")] = False,
    proposed: Annotated[
        bool, typer.Option("--proposed", help="Only facts proposed by runs, for you to accept or decline.")
    ] = False,
    all: Annotated[bool, typer.Option("--all", help="Also withdrawn entries and failures.")] = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """List what is remembered, oldest first."""
    from deskcrew.learning.memory.inferring import proposed as is_proposed

    with _OpenMemory(data) as memory:
        found = memory.all(kind="fact" if facts or proposed else None, role=role, withdrawn=True)
    waiting = [entry for entry in found if is_proposed(entry)]
    stands = [entry for entry in found if all or not (entry.withdrawn or entry.verdict == "failed")]
    found = waiting if proposed else [entry for entry in stands if not is_proposed(entry)]
    if json:
        print_json({"file": memory.name, "entries": [entry.exported() for entry in found]})
        return
    out = console()
    if waiting and not proposed:
        out.print(Text(f"Facts proposed by runs: {len(waiting)}. See them: deskcrew memory list --proposed", "dim"))
    if not found and proposed:
        out.print(Text("Nothing is proposed."))
        return
    if not found and (role or facts):
        out.print(Text(f"{f'{role} remembers nothing' if role else 'You have declared nothing'}."))
        return
    if not found:
        out.print(
            Text('Nothing is remembered yet: runs that end done add entries. To add a fact: deskcrew memory add "..."')
        )
        return
    table = plain_table("id", "since", "of", "verdict", "what", whole=4)
    for entry in found:
        of = one_line(entry.role, 24) or ("you" if entry.kind == "fact" else "")
        table.add_row(Text(entry.id), Text(moment(entry.created)), Text(of), _verdict(entry), Text(one_line(_what(entry))))
    out.print(table)


def show(id: IdArgument, json: JsonOption = False, data: DataOption = None) -> None:
    """Show an entry in full, and where it is from."""
    with _OpenMemory(data) as memory:
        entry = memory.get(id)
    if json:
        print_json(entry.exported())
        return
    out = console()
    told = {
        "entry": entry.id,
        "since": moment(entry.created),
        "of": entry.role or "you",
        "applies": f"in runs on {entry.place}" if entry.scope == "workspace" else f"everywhere ({entry.scope})",
        "wanted" if entry.role else "said": entry.situation,
        "done": entry.done,
        "result": entry.result,
        "verdict": _verdict(entry).plain,
        "from": f"run {entry.run}, event {entry.reply}: deskcrew show {entry.run} {entry.reply}" if entry.run else "",
        "had read": ", ".join(entry.origins),
    }
    for name, text in told.items():
        if text:
            out.print(Text.assemble((f"{name:9}", "bold"), clean(text)), soft_wrap=True)


def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A fact, in a sentence.", show_default=False)],
    scope: ScopeOption = None,
    workspace: PlaceOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Declare a fact about yourself, this computer or your programs. Runs are shown it when it is relevant."""
    from deskcrew.learning.memory.declaring import declare, key_in
    from deskcrew.ways_in.cli.values import typed

    typed(text)
    where, now = scope or "user", round(time.time(), 3)
    with _OpenMemory(data) as memory:
        entry = declare(memory, text, scope=where, place=_place(where, workspace), now=now)
    if json:
        print_json(entry.exported())
        return
    said = f"Already known, as {entry.id}" if entry.created < now else f"Kept as {entry.id}"
    out = console()
    out.print(f"{said}. See all: deskcrew memory list")
    if key := key_in(entry.situation):
        told = f"{key[:3]}... looks like a password or a key, and models are shown what you declare. Better:"
        out.print(Text(f"{told} deskcrew memory forget {entry.id}, and deskcrew secret set NAME", "yellow"), soft_wrap=True)


def edit(
    id: IdArgument,
    text: Annotated[
        str,
        typer.Argument(
            metavar="[TEXT]", help="The new text of a fact, or what should have been done in an episode.", show_default=False
        ),
    ] = "",
    scope: ScopeOption = None,
    workspace: PlaceOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Change what an entry says, or where it applies. Your words outweigh what runs have learned."""
    from deskcrew.learning.memory.declaring import reworded
    from deskcrew.ways_in.cli.values import typed

    typed(text)
    if not text.strip() and scope is None:
        raise UsageError("Say what to change: the text, or --scope.")
    with _OpenMemory(data) as memory:
        entry = memory.get(id)
        entry = reworded(entry, text) if text.strip() else entry
        if scope is not None:
            entry = entry.model_copy(update={"scope": scope, "place": _place(scope, workspace)})
        memory.change(entry)
    tell(f"Changed {entry.id}.", entry.exported(), json=json)


def accept(id: IdArgument, json: JsonOption = False, data: DataOption = None) -> None:
    """Keep a fact proposed by a run, as if you had declared it."""
    from deskcrew.learning.memory.inferring import accept as keep

    with _OpenMemory(data) as memory:
        entry = keep(memory, memory.get(id), now=time.time())
    tell(f"Kept as {entry.id}. See all: deskcrew memory list", entry.exported(), json=json)


def decline(id: IdArgument, json: JsonOption = False, data: DataOption = None) -> None:
    """Decline a fact proposed by a run. No run proposes it again."""
    from deskcrew.learning.memory.inferring import decline as forget_it

    with _OpenMemory(data) as memory:
        entry = memory.get(id)
        forget_it(memory, entry)
    tell(f"Declined {entry.id}.", {"declined": entry.id}, json=json)


def forget(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Ids of entries, or starts of them.", show_default=False)
    ] = None,
    run: Annotated[
        str,
        typer.Option(
            "--run", metavar="RUN", help="All entries from this run: its id, the start of it, or last.", show_default=False
        ),
    ] = "",
    all: Annotated[bool, typer.Option("--all", help="Everything; you are asked to confirm.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Delete entries for good. The runs that taught them do not teach them again. What earlier runs were shown of them
    stays in their records."""
    if sum((bool(ids), bool(run), all)) != 1:
        raise UsageError(
            "Say what to forget, with only one of: ids, --run, --all.",
            hint="`deskcrew memory list` shows the ids.",
        )
    with _OpenMemory(data) as memory:
        if ids:
            gone = [_meant(memory, id) for id in ids]
        else:
            entries = memory.all(withdrawn=True)
            whole = run if run in {"", *(entry.run for entry in entries)} else _run_named(run, data)
            gone = [entry.id for entry in entries if all or entry.run == whole]
            if run and not gone:
                raise UsageError(f"Nothing is remembered from a run {run!r}.", hint="`deskcrew runs` lists their ids.")
        if all and gone and not yes:
            question = f"Forget everything that is remembered ({_entries(len(gone))})?"
            instead = "To forget it without asking: --yes."
            must_agree(question, about="whether to forget everything", instead=instead, json=json)
        count = memory.forget(gone)
    tell(f"Forgot {_entries(count)}.", {"forgotten": count}, json=json)


def _run_named(run: str, data: Path | None) -> str:
    """The full id for the start of a run's id, or for ``last``; ``run`` itself if none is found, or it is too short."""
    with suppress(UsageError):
        if len(run) >= SHORTEST_START:
            store = existing_journal(data)
            return store.unread(run_named(store, run)).run
    return run


def _entries(count: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def _meant(memory: Memory, id: str) -> str:
    """The whole id of an entry to delete. Raises UsageError if its prefix is too short to be sure."""
    whole = memory.get(id).id
    if id != whole and len(id) < SHORTEST_START:
        hint = f"Give at least {SHORTEST_START} characters; `deskcrew memory list` shows the ids."
        raise UsageError(f"{id!r} is too short to say which entry to delete.", hint=hint)
    return whole


def export(
    shared: Annotated[bool, typer.Option("--shared", help="Only entries with the scope shared.")] = False,
    data: DataOption = None,
) -> None:
    """Print all valid entries, one JSON object per line."""
    with _OpenMemory(data) as memory:
        for entry in memory.all():
            if not shared or entry.scope == "shared":
                typer.echo(canonical(entry.exported()).decode())


def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file written by `export`; - reads standard input.", show_default=False)
    ],
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Add the entries of an exported file, all or none. Entries that are already known, or were forgotten, are left alone.

    Runs are shown imported entries, so import only what you would say yourself."""
    from deskcrew.learning.memory.declaring import read_back

    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} cannot be read: it is not text in UTF-8.") from error
    entries = read_back(text.splitlines())
    with _OpenMemory(data) as memory:
        count = memory.bring_in(entries)
    known = f" {_entries(len(entries) - count)} already known, or forgotten." if count < len(entries) else ""
    tell(f"Imported {_entries(count)}.{known}", {"imported": count, "known": len(entries) - count}, json=json)


class _OpenMemory:
    """A context with the user's memory, opened for one command without an embedder."""

    def __init__(self, data: Path | None) -> None:
        from deskcrew.learning.memory.store import Memory

        self._memory = Memory.of(settings_with(data))

    def __enter__(self) -> Memory:
        return self._memory

    def __exit__(self, *_: object) -> None:
        self._memory.close()


def _place(scope: str, workspace: Path | None) -> str:
    """The folder in which an entry applies, '' for everywhere. Raises UsageError if it does not exist, or is not allowed
    with this scope."""
    if scope != "workspace":
        if workspace is not None:
            raise UsageError("A folder can be given only with --scope workspace.", hint="Leave out --workspace.")
        return ""
    place = (workspace or Path()).expanduser().resolve()
    if not place.is_dir():
        raise UsageError(f"There is no folder {place}.")
    return str(place)


def _what(entry: Entry) -> str:
    """What an entry says, with a person's correction or the confirmed reading if there is one, and the folder that it is
    limited to."""
    more = entry.decision if entry.verdict == "corrected" else entry.reading
    said = f"{entry.situation}: {more}" if more else entry.situation
    return f"{said} (in {entry.place})" if entry.place else said


def _verdict(entry: Entry) -> Text:
    from deskcrew.ways_in.report.render import by_whom

    if entry.verdict == "proposed":
        return Text("proposed", "yellow")
    if entry.withdrawn:
        return Text(f"withdrawn: {entry.withdrawn}", "yellow")
    by = f" ({by_whom(entry.verified_by)})" if entry.verified_by else ""
    return Text(f"{entry.word}{by}", {"proven": "green", "failed": "red"}.get(entry.verdict, "magenta"))
