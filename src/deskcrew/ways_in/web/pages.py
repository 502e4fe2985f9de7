"""Pages from templates, in which every value is escaped and hidden characters are made visible.

Task, replies, file names, window titles and everything else in a run is untrusted text: Jinja escapes markup in it, and
characters that a browser would hide, or that reorder text (control characters, direction marks), are made visible.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from pydantic import BaseModel
from rich.console import Console
from rich.segment import Segment
from rich.text import Text
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, Response

from deskcrew.engine.steps.agreeing import parts_of, proposed
from deskcrew.facts.contract import SEEN_BY, Proof, Requirement, TypedCheck
from deskcrew.facts.events import RunStarted
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report import text as words
from deskcrew.ways_in.report.operations import in_words
from deskcrew.ways_in.web import wording
from deskcrew.ways_in.web.people import PERSON

HERE = Path(__file__).parent
TEMPLATES, STATIC = HERE / "templates", HERE / "static"
THEME = "deskcrew-theme"
"""The cookie that says whether pages are light or dark; without it the browser's preference counts."""


class Templates:
    """Renders templates. Addresses of static files contain a hash of them, so that browsers cache them until they change."""

    def __init__(self) -> None:
        version = _digest(STATIC)
        self._console = Console(color_system=None)
        self._jinja = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=visible,
        )
        self._jinja.globals["static"] = lambda name: f"/static/{name}?{version}"  # type: ignore[assignment]
        self._jinja.globals["SEEN_BY"] = SEEN_BY  # type: ignore[assignment]
        self._jinja.globals["MODES"] = render.ASKS  # type: ignore[assignment]
        self._jinja.globals["WORKS"] = wording.WORKS  # type: ignore[assignment]
        filters: dict[str, Callable[..., Any]] = {
            "told": self.told,
            "ago": ago,
            "moment": words.moment,
            "clock": clock,
            "seconds": words.seconds,
            "number": words.number,
            "counted": words.counted,
            "money": words.money,
            "size": words.size,
            "one_line": words.one_line,
            "model_shown": wording.model,
            "crew_shown": wording.crew,
            "by_whom": render.by_whom,
            "as_json": as_json,
            "key": key,
            "ended": wording.ended,
            "tried_on": wording.tried_on,
            "spoken": wording.spoken,
            "proposed": proposed,
            "parts_of": parts_of,
            "rule": rule,
            "requirement": render.requirement,
            "unless_task": unless_task,
            "unsaid": wording.unsaid,
            "in_words": in_words,
            "raw": wording.raw,
            "sentence": wording.sentence,
            "full": wording.full,
            "hint": wording.hint,
            "check_result": render.check_result,
            "proof": render.proof,
            "chosen": render.chosen,
            "changed_after": render.changed_after,
        }
        self._jinja.filters.update(filters)
        # Now, and not while the first person waits for a page.
        for name in self._jinja.list_templates():
            self._jinja.get_template(name)

    def told(self, text: Text) -> Markup:
        """A line of ``report`` as HTML, with its styles as classes."""
        return Markup("").join(_piece(segment) for segment in text.render(self._console))

    def html(self, template: str, values: Mapping[str, Any]) -> str:
        """The text of a template, filled in with ``values``."""
        return self._jinja.get_template(template).render(values)

    def page(self, request: HTTPConnection, template: str, *, status: int = 200, **values: Any) -> Response:
        """A template as a response, filled in with ``values`` and: the page's ``path``, the ``theme``, and the name of the
        ``person`` who sees it, '' for the user of this machine, None if unknown."""
        theme = request.cookies.get(THEME, "")
        common = {
            "path": request.url.path,
            "theme": theme if theme in ("light", "dark") else "auto",
            "person": request.scope.get(PERSON),
        }
        return HTMLResponse(self.html(template, common | values), status)


def _digest(folder: Path) -> str:
    """A hash of the content of a folder's files."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()[:12]


def visible(value: object) -> object:
    """``value`` with hidden characters made visible, to be escaped after that."""
    return words.clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _piece(segment: Segment) -> Markup:
    text, style = escape(words.clean(segment.text)), segment.style
    if style is None:
        return text
    kinds = [name for name in ("bold", "dim", "italic") if getattr(style, name)]
    kinds += [style.color.name] if style.color is not None else []
    return Markup('<span class="{}">{}</span>').format(" ".join(f"t-{kind}" for kind in kinds), text) if kinds else text


def as_json(value: object) -> str:
    """A value as indented JSON, for a person to read and edit."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def key(value: BaseModel) -> str:
    """An identifier for a value, for use in a page's ids; the same for equal values."""
    return hashlib.sha256(value.model_dump_json().encode()).hexdigest()[:12]


def unless_task(one: Proof | Requirement, started: RunStarted) -> Proof | Requirement:
    """A copy of a proof or requirement without the task's own sentence: see :func:`wording.unless_task`."""
    return one.model_copy(update={"says": wording.unless_task(one.says, started)})


def rule(check: Mapping[str, Any]) -> str:
    """A typed check of a reply, in words."""
    return TypedCheck.model_validate(check).words


def clock(value: float) -> str:
    """The time of day of a Unix time."""
    return time.strftime("%H:%M:%S", time.localtime(value))


def ago(then: float, now: float | None = None) -> str:
    """How long ago a Unix time was: ``now``, ``5 min ago``, ``3 h ago``, or the day."""
    passed = (time.time() if now is None else now) - then
    if passed < 60:
        return "now"
    if passed < 3600:
        return f"{int(passed // 60)} min ago"
    if passed < 24 * 3600:
        return f"{int(passed // 3600)} h ago"
    return time.strftime("%Y-%m-%d", time.localtime(then))
