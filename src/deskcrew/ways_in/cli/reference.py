"""The parts of the reference that are made of the code: in ``deskcrew docs``, and on the documentation's site."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_args

import typer
from typer import Typer
from typer.main import get_command

from deskcrew.ways_in.cli.flags import plain_flags
from deskcrew.ways_in.cli.listed import COMMANDS

PACKAGE = Path(__file__).parents[2]


def _cell(text: str) -> str:
    """A text for one cell of a table."""
    return " ".join(_prose(text).split()).replace("|", "\\|").replace("<", "&lt;")


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(head)
    lines = [names, ["---"] * len(names), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""


def _cli() -> str:
    """Every command with its arguments and options, from the Typer application."""
    app = Typer()
    for each in COMMANDS:
        each.load(app)
    return "\n".join(_command("deskcrew", plain_flags(get_command(app)), 2))


def _command(name: str, command: Any, level: int) -> Iterator[str]:
    below = getattr(command, "commands", {})
    if name != "deskcrew":
        yield f"{'#' * level} {name}\n"
        yield inspect.cleandoc(command.help or "").replace("\b\n", "") + "\n"
        if not below:
            yield from _parameters(name, command)
        yield from _epilog(command.epilog or "")
    for word, each in below.items():
        if not each.hidden:
            yield from _command(f"{name} {word}", each, level + (name != "deskcrew"))


def _parameters(name: str, command: Any) -> Iterator[str]:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    words = [each.metavar or each.name.upper() for each in arguments]
    words = [word if each.required else f"[{word}]" for word, each in zip(words, arguments, strict=True)]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    yield f"```text\n{' '.join([name, *(['[OPTIONS]'] if options else []), *words])}\n```\n"
    rows = [(_code(word), *_told(each.help or "")) for word, each in zip(words, arguments, strict=True)]
    for each in options:
        names, told = each.get_help_record(typer.Context(command))
        rows.append((_code(names), *_told(told)))
    if rows:
        yield _table(("argument or option", "meaning", "default"), rows)


def _told(text: str) -> tuple[str, str]:
    """The help of an option, and the default that it ends with."""
    said, _, notes = text.removesuffix("]").partition("  [") if text.endswith("]") else (text, "", "")
    default = next((each for each in notes.split("; ") if each.startswith("default: ")), "")
    return _cell(said), _cell(default.removeprefix("default: ").removeprefix("(").removesuffix(")"))


def _epilog(text: str) -> Iterator[str]:
    """Examples as blocks of code, sentences as they are."""
    block: list[str] = []
    for paragraph in (*inspect.cleandoc(text).split("\n\n"), ""):
        if (
            paragraph.startswith(("deskcrew", "DESKCREW_", "ssh", "echo", "[["))
            or paragraph.partition(" = ")[0].isidentifier()
        ):
            block.append(paragraph)
            continue
        if block:
            yield "```sh\n" + "\n".join(block) + "\n```\n"
            block = []
        if paragraph:
            yield paragraph.replace("<", "&lt;") + "\n"


def _settings() -> str:
    """Every setting with its variable and default, from :class:`deskcrew.settings.Settings`."""
    from deskcrew.settings import Settings, all_settings

    places = {
        "data": "the user data folder",
        "models": "`models` in the user data folder",
        "config": "the user settings folder",
    }
    rows = (
        (
            _code(each.name),
            _code(each.variable),
            places.get(each.name)
            or _code(str(each.info.get_default(call_default_factory=True)).replace("None", "no limit")),
            _cell(each.info.description or ""),
        )
        for each in all_settings(Settings)
        if each.name != "prices"  # a table of tables, told in words
    )
    return _table(("setting", "environment variable", "default", "meaning"), rows)


def _crew_fields() -> str:
    from deskcrew.engine.roles.crew import CrewHead

    return _fields(CrewHead)


def _role_fields() -> str:
    from deskcrew.engine.roles.role import RoleHead

    return _fields(RoleHead)


def _fields(model: Any) -> str:
    """The fields of a pydantic model: type, default, and the docstring under each."""
    texts = _attribute_docstrings(model)
    rows: list[tuple[str, ...]] = []
    for name, info in model.model_fields.items():
        if name == "type" and not info.is_required():
            continue  # the tag, which is in the heading
        default = "required" if info.is_required() else _code(repr(info.get_default(call_default_factory=True)))
        rows.append((_code(name), _code(texts[name][0]), default, texts[name][1]))
    if not any(row[3] for row in rows):
        return _table(("field", "type", "default"), (row[:3] for row in rows)) if rows else ""
    return _table(("field", "type", "default", "meaning"), rows)


def _events() -> str:
    """Every event body, in the order in which the module has them."""
    from deskcrew.facts import events

    return "\n".join(
        _model(kind, f" (`{kind.model_fields['type'].default}`)") for kind in get_args(get_args(events.Body)[0])
    )


def _event_parts() -> str:
    """What an event is made of besides its body."""
    from deskcrew.facts import events, observation, verdict

    parts = (events.Event, events.Header, events.Usage, events.Operation, events.PartRef)
    told = (observation.Bound, observation.ShownFile, verdict.Earlier, verdict.Choice, verdict.Candidate)
    return "\n".join(_model(kind) for kind in (*parts, *told))


def _verdicts() -> str:
    """The values that events hold about what was decided."""
    from deskcrew.facts import contract, observation, plan, verdict

    decided = (verdict.Verdict, verdict.Check, verdict.CheckResult, verdict.Outcome)
    decided += (contract.Contract, contract.Requirement, contract.TypedCheck, contract.Proof)
    return "\n".join(_model(kind) for kind in (*decided, plan.Plan, plan.Subtask, observation.Evidence))


def _model(model: Any, tag: str = "") -> str:
    return f"### {model.__name__}{tag}\n\n{_prose(inspect.getdoc(model) or '')}\n\n{_fields(model)}\n"


def _prose(text: str) -> str:
    """A docstring as Markdown: its marks for Sphinx are code here."""
    pieces = text.replace("``", "`").split("`")
    for at in range(1, len(pieces), 2):
        before, _, role = pieces[at - 1].removesuffix(":").rpartition(":")
        if role.isalpha() and pieces[at - 1].endswith(f":{role}:"):
            pieces[at - 1], pieces[at] = before, pieces[at].rpartition(".")[2].removeprefix("~")
    return "`".join(pieces)


def _attribute_docstrings(model: Any) -> dict[str, tuple[str, str]]:
    """For each annotated attribute of a class the source of its annotation and the string below it."""
    bases = [base for base in model.__bases__ if base.__module__.startswith("deskcrew")]
    found: dict[str, tuple[str, str]] = {}
    for base in bases:
        found |= _attribute_docstrings(base)
    (body,) = (node.body for node in ast.parse(inspect.getsource(model)).body if isinstance(node, ast.ClassDef))
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            told = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            found[node.target.id] = ast.unparse(node.annotation), _cell(str(told))
    return found


def _crews() -> str:
    """The crews that come with Deskcrew."""
    from deskcrew.engine.roles.crew import BUILTIN

    heads = [tomllib.loads(path.read_text()) for path in sorted(BUILTIN.glob("*.toml"))]
    return _table(("crew", "what it is"), [(_code(head["name"]), _cell(head["description"])) for head in heads])


def _kinds() -> str:
    """What each kind of role may read, and the field of a crew file that names it."""
    from deskcrew.engine.roles.role_kinds import KINDS

    rows = [
        (_code(name), _code(kind.named_by), ", ".join(_code(key) for key in kind.reads.split()))
        for name, kind in KINDS.items()
    ]
    return _table(("kind", "named by", "may read"), rows)


def _roles() -> str:
    """The roles that come with Deskcrew."""
    from deskcrew.engine.roles.role import BUILTIN, load_roles

    rows = [
        (_code(role.name), _code(role.kind), ", ".join(_code(action) for action in role.domain))
        for role in load_roles([BUILTIN]).values()
    ]
    return _table(("role", "kind", "actions"), rows)


def _actions() -> str:
    """Every built-in action: what models are told of it, its parameters, risk, effect and need."""
    from deskcrew.actions import builtin

    lines: list[str] = []
    for name, action in sorted(builtin().items()):
        lines += [f"### {name}\n", f"```text\n{action.signature()}\n```\n", _cell(action.summary) + "\n"]
        group = f", group `{action.in_group}`" if action.in_group else ""
        lines.append(f"Risk `{action.risk}`, effect `{action.effect}`, needs `{action.needs}`{group}.\n")
        rows = [(_code(key), _cell(info.description or "")) for key, info in action.params.model_fields.items()]
        if rows:
            lines.append(_table(("parameter", "meaning"), rows))
    return "\n".join(lines)


def _default_policy() -> str:
    """The built-in policy, as it is in the package."""
    text = (PACKAGE / "guard/default.toml").read_text("utf-8")
    return f"```toml\n{text.rstrip()}\n```\n"


def _limits() -> str:
    from deskcrew.settings import Limits

    rows = [
        (_code(name), _code(str(info.default)).replace("None", "no limit"), _cell(info.description or ""))
        for name, info in Limits.model_fields.items()
    ]
    return _table(("limit", "default", "meaning"), rows)


_CLIENT, _ENVIRONMENT, _LOOK = "deskcrew.models.client.", "deskcrew.environments.environment.", "deskcrew.facts.observation."
PYTHON = {
    "models": [f"{_CLIENT}{name}" for name in ("Model", "Call", "Answer", "Malformed", "Profile")],
    "environments": [f"{_ENVIRONMENT}{name}" for name in ("Desktop", "Browser")],
    "observations": [f"{_LOOK}{name}" for name in ("Observation", "Window", "Control", "Screen")],
    "actions": [f"deskcrew.actions.action.{name}" for name in ("Action", "Scene", "Result")],
    "search": [f"deskcrew.environments.search.provider.{name}" for name in ("SearchProvider", "SearchHit")],
    "runs": ["deskcrew.engine.session.run", "deskcrew.engine.session.resume", "deskcrew.engine.request.RunRequest"],
}
"""What the Python page has in full, by section."""


def _in_full(names: Iterable[str]) -> str:
    """The docstrings of these, their fields, and their methods."""
    return "\n".join(map(_object, names))


def _object(name: str) -> str:
    found: Any = pkgutil.resolve_name(name)
    members: dict[str, object] = found.__dict__
    own = [each for name, each in members.items() if name[0] != "_" and inspect.isfunction(each)]
    parts = [f"### {found.__name__}", _prose(inspect.getdoc(found) or "")]
    if not inspect.isclass(found):
        parts.insert(1, _signature(found))
    elif attributes := _attribute_docstrings(found):
        rows = ((_code(name), _code(kind), told) for name, (kind, told) in attributes.items() if name[0] != "_")
        parts.append(_table(("attribute", "type", "meaning"), rows))
    parts += [f"{_signature(each)}\n\n{_prose(inspect.getdoc(each) or '')}" for each in own]
    return "\n\n".join(filter(None, parts)) + "\n"


def _signature(function: Any) -> str:
    mark = "  # abstract" if getattr(function, "__isabstractmethod__", False) else ""
    return f"```python\n{function.__name__}{inspect.signature(function)}{mark}\n```"


def _chores() -> str:
    """Every skill that ships."""
    from deskcrew.learning.skills.lexicon import shipped

    return _table(("skill", "does"), ((_code(skill.name), _cell(skill.description)) for skill in shipped()))


GENERATED: dict[str, Callable[[], str]] = {
    "cli": _cli,
    "events": _events,
    "event_parts": _event_parts,
    "verdicts": _verdicts,
    "settings": _settings,
    "limits": _limits,
    "crew_fields": _crew_fields,
    "crews": _crews,
    "role_fields": _role_fields,
    "roles": _roles,
    "kinds": _kinds,
    "actions": _actions,
    "chores": _chores,
    "default_policy": _default_policy,
    **{f"python_{section}": partial(_in_full, names) for section, names in PYTHON.items()},
}
"""The functions that make the parts of the reference, by the name in ``<!-- generated: NAME -->``."""
MARK, END = "<!-- generated: ", "\n<!-- end -->"


def filled(markdown: str, generated: Mapping[str, Callable[[], str]] = GENERATED) -> str:
    """A page with what is generated in place of each mark, and of the line between it and ``<!-- end -->``, if there is one:
    that line tells those who read the file itself how to see it."""
    page, *parts = markdown.split(MARK)
    for part in parts:
        name, _, rest = part.partition(" -->")
        page += generated[name]() + rest.partition(END)[2] if END in rest else generated[name]() + rest
    return page
