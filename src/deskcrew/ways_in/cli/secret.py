"""``deskcrew secret``: credentials that a run may type without anybody reading them."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.secrets.binding import SHORTEST, Secret, checked
from deskcrew.ways_in.cli.console import console, plain_table, print_json, tell
from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew.ways_in.report.text import one_line

if TYPE_CHECKING:
    from deskcrew.secrets.store import SecretStore
    from deskcrew.settings import Settings

SET_EPILOG = """Examples:

deskcrew secret set mail --app thunderbird

pass show mail | deskcrew secret set mail --app thunderbird --app "evolution*"

Without a keyring, and without a terminal to ask at, the passphrase of your secrets is read from DESKCREW_SECRET_PASSPHRASE.

Then: deskcrew run "Log in to my mail" --secret mail"""

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The name that you and the crew use for it.", show_default=False)
]
AppOption = Annotated[
    list[str] | None,
    typer.Option(
        "--app", metavar="APP", help="Application whose windows may receive it; * and ? are wildcards; repeatable."
    ),
]
HostOption = Annotated[
    list[str] | None,
    typer.Option("--host", metavar="HOST", help="Host whose pages may receive it, e.g. *.example.org; repeatable."),
]


def build() -> typer.Typer:
    """The group of commands."""
    app = typer.Typer(
        no_args_is_help=True, help="Secrets: credentials that a run may type, and that no model, journal or picture shows."
    )
    app.command("set", epilog=SET_EPILOG)(set_secret)
    app.command("list", epilog="Example: deskcrew secret list --json")(list_secrets)
    app.command("remove", epilog="Example: deskcrew secret remove mail")(remove)
    return app


def set_secret(
    name: NameArgument,
    app: AppOption = None,
    host: HostOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Store a secret, and bind it to what may receive it. You are asked for its value, or it is read from standard input."""

    # What is wrong with the rest is said before anybody types a value.
    checked(name, "x" * SHORTEST, tuple(app or ()), tuple(host or ()))
    store = store_of(settings_with(data))
    value = _value(name)
    if not value:
        raise UsageError(f"The value of {name} is empty; nothing was kept.", hint="Type it, or pipe it in.")
    secret = checked(name, value, tuple(app or ()), tuple(host or ()))
    replaced = store.set(secret)
    told = {"name": name, "apps": list(secret.binding.apps), "hosts": list(secret.binding.hosts), "replaced": replaced}
    did = "Replaced" if replaced else "Kept"
    tell(f"{did} {name} for {secret.binding} in {store.place}. Let a run use it: --secret {name}", told, json=json)


def list_secrets(json: JsonOption = False, data: DataOption = None) -> None:
    """List your secrets: their names, and what each is bound to. Their values are not read."""
    store = store_of(settings_with(data))
    found = store.list()
    if json:
        rows = [{"name": name, "apps": list(one.apps), "hosts": list(one.hosts)} for name, one in found.items()]
        print_json({"place": store.place, "secrets": rows})
        return
    out = console()
    if not found:
        out.print(Text("No secrets yet. Try: deskcrew secret set NAME --app APP"))
        return
    table = plain_table("secret", "for", whole=1)
    for name, one in found.items():
        table.add_row(Text(name), Text(one_line(str(one), 120)))
    out.print(table)


def remove(name: NameArgument, json: JsonOption = False, data: DataOption = None) -> None:
    """Remove a secret."""
    store = store_of(settings_with(data))
    store.remove(name)
    tell(f"Removed {name} from {store.place}.", {"name": name, "removed": True}, json=json)


def allowed(settings: Settings, names: Iterable[str]) -> tuple[Secret, ...]:
    """The secrets with these names; no others are read. Raises UsageError if one is missing or unavailable."""
    from deskcrew.ways_in.running import rewinding

    return rewinding.allowed(settings, names, passphrase)


def store_of(settings: Settings) -> SecretStore:
    """The store of the user's secrets."""
    from deskcrew.secrets.store import open_store

    return open_store(settings, passphrase)


def _value(name: str) -> str:
    """The secret's value: typed without echo, or all of standard input without its final line break."""
    if sys.stdin.isatty():
        return _hidden(f"Value of {name}")
    try:
        text = sys.stdin.buffer.read(1 << 16).decode()
    except UnicodeDecodeError:
        raise UsageError("The value on standard input is not UTF-8 text.") from None
    return text.removesuffix("\n").removesuffix("\r")


def passphrase(question: str) -> str:
    """Ask for the passphrase at the terminal, since standard input may contain a secret's value. Raises UsageError if there
    is none."""
    from deskcrew.secrets.store import PASSPHRASE

    try:
        with open("/dev/tty"):
            pass
    except OSError:
        raise UsageError(
            "Your secrets need their passphrase, and there is no terminal to ask for it.", hint=f"Set {PASSPHRASE}."
        ) from None
    first = _hidden("Passphrase of your Deskcrew secrets" if question == "Passphrase" else question)
    if question.startswith("New") and _hidden("The same again") != first:
        raise UsageError("These two passphrases differ; nothing was kept.")
    return first


def _hidden(question: str) -> str:
    """A line typed without echo. Raises UsageError if nothing was typed."""
    try:
        return getpass.getpass(f"{question}: ")
    except (EOFError, OSError):
        raise UsageError("Nothing was typed.") from None
