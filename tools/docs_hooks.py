"""What the documentation site needs besides its Markdown: pages from the repository's root, and reference from the code.

MkDocs calls the ``on_*`` functions (``hooks`` in ``mkdocs.yml``). Three things are done:

* ``SECURITY.md``, ``CHANGELOG.md`` and ``bench/README.md`` become pages without a second copy of them.
* A link to a file of the repository that is no page is checked and becomes plain text, so that the same Markdown can be
  read on a code host, where the link works.
* ``<!-- generated: NAME -->`` in a page is replaced by what the function ``GENERATED[NAME]`` makes of the code, with the
  line after it, up to ``<!-- end -->``, which says where that is for those who read the page on a code host.
"""

from __future__ import annotations

import ast
import inspect
import logging
import posixpath
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
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
_GENERATED = re.compile(r"^<!-- generated: (\w+) -->$(?:\n[^\n]*\n<!-- end -->$)?", re.MULTILINE)


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
    markdown = _GENERATED.sub(lambda match: GENERATED[match[1]](), markdown)
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


# ---- reference from the code --------------------------------------------------------------------------------------------


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
    from typer.main import get_command

    from deskcrew.ways_in.cli.app import build, plain_flags

    command = plain_flags(get_command(build()))
    return "\n".join(_command("deskcrew", command, 2))


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
    import typer

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
    match = re.fullmatch(r"(.*?)(?:  \[(.*)\])?", text, re.DOTALL)
    assert match is not None
    default = next((each for each in (match[2] or "").split("; ") if each.startswith("default: ")), "")
    return _cell(match[1]), _cell(default.removeprefix("default: ").removeprefix("(").removesuffix(")"))


def _epilog(text: str) -> Iterator[str]:
    """Examples as blocks of code, sentences as they are."""
    block: list[str] = []
    for paragraph in (*inspect.cleandoc(text).split("\n\n"), ""):
        if re.match(r"(deskcrew|DESKCREW_\w+=|ssh|echo|\[\[|\w+ = )", paragraph):
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
    from typing import get_args

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
    return re.sub(r":\w+:`~?([^`]*)`", lambda match: f"`{match[1].rpartition('.')[2]}`", text).replace("``", "`")


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
        lines.append(f"Risk `{action.risk}`, effect `{action.effect}`, needs `{action.needs}`.\n")
        rows = [(_code(key), _cell(info.description or "")) for key, info in action.params.model_fields.items()]
        if rows:
            lines.append(_table(("parameter", "meaning"), rows))
    return "\n".join(lines)


def _default_policy() -> str:
    """The built-in policy, as it is in the package."""
    text = (ROOT / "src/deskcrew/guard/default.toml").read_text()
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
    "environments": [f"{_ENVIRONMENT}{name}" for name in ("Desktop", "Paged", "Browser")],
    "observations": [f"{_LOOK}{name}" for name in ("Observation", "Window", "Control", "Screen")],
    "actions": [f"deskcrew.actions.action.{name}" for name in ("Action", "Scene", "Result")],
    "search": [f"deskcrew.environments.search.provider.{name}" for name in ("SearchProvider", "SearchHit")],
    "runs": ["deskcrew.engine.session.run", "deskcrew.engine.session.resume", "deskcrew.engine.request.RunRequest"],
}
"""What the Python page has in full on the site, by section; a file on disk says where that is."""


def _in_full(names: list[str]) -> str:
    """What mkdocstrings makes of the docstrings of these."""
    return "\n".join(f"::: {name}" for name in names)


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
    "default_policy": _default_policy,
    **{f"python_{section}": partial(_in_full, names) for section, names in PYTHON.items()},
}
