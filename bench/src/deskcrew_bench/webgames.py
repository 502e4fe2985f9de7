"""WebGames: small pages that somebody else made, each of which shows a password to whoever solves it."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts.contract import Contract
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.lies.believer import Believer
from deskcrew_bench.lies.situation import Part
from deskcrew_bench.loopback import Loopback
from deskcrew_bench.suites.controls import IDLE, Idle, as_control
from deskcrew_bench.suites.others import OWN_SERVER, OthersTrial, told_by, workspace
from deskcrew_bench.suites.trial import run_of

RIGHT = "right"
CONTROLS = (IDLE, RIGHT)
"""Names of models that are none: one does nothing, one is told the password."""
LISTED, BUILT = "analysis/webgames_tasks.jsonl", "webgames/dist"
SECONDS = 600.0
"""Of a run where no limit is set."""
ASKED = "Solve the challenge on this page as it says. It then gives you a password: tell me what the password is."
"""As its own harnesses ask, which name the page's address too."""


class Task(BaseModel):
    """One page. ``password``: what it shows once it is solved. Of a page of unknown difficulty it is medium."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    path: str
    difficulty: str = "medium"
    password: str


def tasks_of(clone: Path, only: Collection[str] = ()) -> tuple[Task, ...]:
    """The pages of a clone, in order, or those that are named. Raises UsageError where there are none or they are not built,
    and for a name that is not there."""
    hint = "Name a clone of https://github.com/convergence-ai/webgames: --apps DIR"
    if not (clone / LISTED).is_file():
        raise UsageError(f"There is no {LISTED} in {clone}.", hint=hint)
    if not (clone / BUILT / "index.html").is_file():
        raise UsageError(f"The pages in {clone} are not built.", hint=f"cd {clone}/webgames; npm install; npx vite build")
    try:
        lines = (clone / LISTED).read_bytes().splitlines()
        tasks = {task.id: task for task in (Task.model_validate_json(line) for line in lines if line.strip())}
    except ValidationError as error:
        raise UsageError(f"{clone / LISTED} is no list of WebGames.", hint=hint) from error
    for name in only:
        if name not in tasks:
            raise UsageError(f"There is no page {name!r} in {clone}.", hint=f"There are: {', '.join(tasks)}.")
    return tuple(tasks[name] for name in (only or tasks))


class Handler(SimpleHTTPRequestHandler):
    """Files as they were built; every other address is the one page, which finds its way by itself."""

    def translate_path(self, path: str) -> str:
        found = super().translate_path(path)
        return found if Path(found).is_file() else super().translate_path("/index.html")

    def do_POST(self) -> None:
        # It tells its makers who solved what; here nobody wants to know.
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(HTTPStatus.NO_CONTENT)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None: ...


async def attempt(
    clone: Path,
    task: Task,
    settings: Settings,
    *,
    model: str,
    crew: str,
    loaded: Model | None = None,
    watch: session.Watch | None = None,
) -> OthersTrial:
    """Solve one page of a clone. ``loaded``: answers in place of the model. Raises what the session raises."""
    limits = settings.limits.model_copy(update={"seconds": settings.limits.seconds or SECONDS})
    handler = partial(Handler, directory=str(clone / BUILT))
    with Loopback(handler) as server, workspace(settings, f"webgames-{task.id}") as folder:
        request = RunRequest(
            task=ASKED, model=model, crew=crew, workspace=folder, desktop="browser",
            url=f"http://{server.host}/{task.path}", policy=OWN_SERVER, limits=limits,
            required=Contract(by="human").asking(ASKED),
        )  # fmt: skip
        if model in CONTROLS:
            request = replace(as_control(request, settings), desktop="browser" if model == IDLE else "none", url="")
            told = Part((), says=task.password, answer=task.password)
            loaded = Idle() if model == IDLE else Believer(told, name=RIGHT)
        began = time.perf_counter()
        journal = await run_of(request, settings, loaded, watch)
        seconds = time.perf_counter() - began
    said = told_by(journal)
    right = task.password in said["answer"]
    return OthersTrial(
        task=task.id, kind=task.difficulty, model=model, crew=crew, right=right, seconds=round(seconds, 1),
        said="" if right else f"{said['answer']!r} is not the password", **said,
    )  # fmt: skip
