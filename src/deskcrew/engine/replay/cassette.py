"""Test doubles for all that is outside the engine in a replay: model, desk, programs and person, as the journal
recorded them.

At every moment the next recorded event says what the external part answered, that it failed, or that the process ended.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, cast

from deskcrew.actions.action import Action, Finding, Happening, Result, Scene
from deskcrew.engine.replay.tape import TapedJournal
from deskcrew.engine.steps.executing import TEXT_LENGTH
from deskcrew.engine.steps.looking_up import HITS
from deskcrew.environments.changes import Changes
from deskcrew.environments.desk import Desk, Pictures, Services
from deskcrew.environments.environment import Desktop
from deskcrew.environments.expecting import Expected
from deskcrew.environments.loading_anew import Anew
from deskcrew.environments.looking_aside import Elsewhere, Glance
from deskcrew.environments.manifest import Manifest
from deskcrew.environments.save_point import SavePoints, Taken
from deskcrew.environments.search.provider import SearchHit
from deskcrew.environments.workspace import INSIDE, Workspace, shown
from deskcrew.errors import ActionError, EnvironmentFailure, LimitReached, ModelFailure, SearchFailure
from deskcrew.facts.events import (
    ActionFinished,
    ChangesFound,
    FileRead,
    Grounded,
    Judged,
    KnowledgeFound,
    LookedElsewhere,
    Observed,
    PictureRead,
    PointFound,
    Recalled,
    RoleReplied,
    Saved,
    SendsFound,
    Understood,
    newest_first,
)
from deskcrew.facts.observation import Control, Observation, ShownFile
from deskcrew.facts.run_settings import RunSettings
from deskcrew.facts.verdict import used_up
from deskcrew.journal.journal import Journal
from deskcrew.learning.memory.long_term import Found, Wanted
from deskcrew.models.client import Answer, Call, Malformed, Profile, T
from deskcrew.models.replies import read_reply
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.secrets.vault import Vault

_CUT = re.compile(r"\.\.\. \((\d+) more characters\)\Z")
LINKS = 40
"""The maximum number of links that a path may follow, as in the kernel."""


def failure(journal: TapedJournal) -> EnvironmentFailure | ModelFailure | LimitReached | None:
    """The failure of model or environment that the next event records, or that the run's time was up; None if neither."""
    body = journal.tape.body
    if not isinstance(body, Judged) or body.verdict.kind not in ("ask", "stop"):
        return None
    if used_up(body.verdict.reason) == "seconds":
        return LimitReached("seconds", body.verdict.why)
    kinds = {"environment": EnvironmentFailure, "model": ModelFailure}
    kind = kinds.get(body.verdict.reason or "")
    return kind(body.verdict.why) if kind is not None else None


def text_of(journal: Journal, replied: RoleReplied) -> str:
    """The exact text of a recorded reply."""
    return journal.read_blob(replied.raw).decode(errors="surrogatepass") if replied.raw else ""


def given_again(raw: str, replied: RoleReplied, call: Call, type: type[T]) -> Answer[T]:
    """The answer to ``call`` from a recorded reply: its text ``raw``, parsed again as this type."""
    value = read_reply(raw, type, max_tokens=call.max_tokens)
    if isinstance(value, Malformed) and replied.reply is None:
        # What was wrong may have been more than the text shows: that it was cut off.
        value = Malformed(raw, replied.error)
    return Answer(value, raw, replied.model, replied.seconds, replied.usage, replied.retries)


@dataclass(frozen=True, slots=True)
class TapedModel:
    """Answers each call with the recorded text, parsed again."""

    journal: TapedJournal
    name: str
    profile: Profile

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """The recorded answer. Raises what the recorded call raised."""
        body = self.journal.tape.body
        if (failed := failure(self.journal)) is not None:
            raise failed
        if not isinstance(body, RoleReplied) or body.role != call.role:
            raise self.journal.tape.missing(f"{call.role} is asked")
        return given_again(text_of(self.journal, body), body, call, type)

    async def close(self) -> None:
        """Nothing to release."""


class RecordedScreen:
    """Stands in for a desktop. It is observed through the desk; waiting for it takes no time, and of what else is asked of
    every desktop for each operation, nothing has an effect: the result is in the record."""

    def expect(self, expected: Expected) -> None: ...

    def origin_of(self, control: Control) -> None: ...

    def program_of_window(self, window: int) -> None: ...

    def forget_copies(self, holds: Callable[[str], bool]) -> None: ...

    def wait(self, seconds: float) -> None:
        """Returns at once: what changed meanwhile is in the next observation."""

    def close(self) -> None:
        """Nothing to close."""


class RecordedWorkspace(Workspace):
    """Paths of a workspace that need not exist; links lead where the last save point says."""

    def __init__(self, root: Path, journal: TapedJournal) -> None:
        super().__init__(root)
        self._journal = journal

    def __post_init__(self) -> None:
        """Creates no folder."""

    def as_now(self, shown: ShownFile) -> ShownFile:
        """The file as it was shown: if it had changed since, the recorded result says so."""
        return shown

    def resolve(self, path: str, *, must_exist: bool = False) -> Path:
        """The path with links resolved as at the last save point. Raises ActionError if it leads outside."""
        saved = self._journal.state.saved
        links = _links(self._journal.read_blob(saved)) if saved else {}
        waiting = list(PurePosixPath(self._relative(path)).parts)[::-1]
        place, hops = PurePosixPath(), 0
        while waiting:
            name = waiting.pop()
            if name == "..":
                if not place.parts:
                    raise ActionError(_leads_out(path))
                place = place.parent
                continue
            target = links.get((place / name).as_posix())
            if target is None:
                place /= name
                continue
            hops += 1
            if hops > LINKS:
                raise ActionError(f"The path {shown(path)} cannot be used: its links go round in a circle.")
            if target.startswith("/"):
                roots = [base for base in (INSIDE, self.root.as_posix()) if target == base or target.startswith(f"{base}/")]
                if not roots:
                    raise ActionError(_leads_out(path))
                target, place = target[len(roots[0]) :].lstrip("/"), PurePosixPath()
            waiting += PurePosixPath(target).parts[::-1]
        return self.root / place


class RecordedDesk(Desk):
    """A desk that returns the recorded observations."""

    def __init__(self, journal: TapedJournal, workspace: Path, settings: RunSettings, *, desktop: bool) -> None:
        """``settings``: those of the recorded process."""
        super().__init__(
            RecordedWorkspace(workspace, journal),
            cast(Desktop, RecordedScreen()) if desktop else None,
            recorded_vault(settings),
            Services(
                RecordedSearch(journal, known.provider, known.host) if (known := settings.search) is not None else None,
                RecordedGrounder(journal, settings.grounding) if settings.grounding else None,
            ),
            Pictures(points=settings.points),
        )
        self._journal = journal
        self.most = settings.desks

    def observe(self, beside: Observation | None = None) -> Observation:
        """The observation in the next event; if it has none, nothing had changed since the last one."""
        journal = self._journal
        if isinstance(failed := failure(journal), EnvironmentFailure):
            raise failed
        body = journal.tape.after_saving()
        if quiet := not isinstance(body, Observed):
            looks = newest_first(journal.events, Observed)
            body = next((look for look in looks if look.desk == journal.state.desk), None)
        if body is None:
            raise journal.tape.missing("the desk is looked at")
        seen = Observation.model_validate_json(journal.read_blob(body.observation))
        seen = seen.model_copy(update={"put_away": ()}) if quiet else seen
        return seen.model_copy(update={"screenshot": journal.read_blob(body.screenshot) if body.screenshot else None})

    def look_anew(self, page: Anew) -> tuple[Observation, str, bool]:
        """The recorded observation of a reloaded page, what was lost, and whether the page could not be reloaded."""
        body = self._journal.tape.after_saving()
        if not isinstance(body, Observed) or body.fresh is None:
            raise self._journal.tape.missing("a page is reloaded")
        return self.observe(), body.fresh.lost, body.fresh.unloaded

    def look_elsewhere(self, wanted: Elsewhere) -> tuple[Glance, ...]:
        """The recorded observations of other pages."""
        body = self._journal.tape.body
        if not isinstance(body, LookedElsewhere):
            return ()
        looks = (Observation.model_validate_json(self._journal.read_blob(each.observation)) for each in body.pages)
        pairs = zip(body.pages, looks, strict=True)
        return tuple(Glance(each.address, look, each.alone, each.lost) for each, look in pairs)


class RecordedPoints(SavePoints):
    """The recorded save points."""

    def __init__(self, journal: TapedJournal, workspace: Path) -> None:
        super().__init__(workspace, journal.blob, journal.read_blob)
        self._journal = journal

    def take(self) -> Taken:
        """The save point in the next event; if it has none, the last one."""
        body, state = self._journal.tape.body, self._journal.state
        if not isinstance(body, Saved):
            return Taken(Manifest(()), state.saved, state.unsaved, 0)
        return Taken(Manifest.from_bytes(self._journal.read_blob(body.manifest)), body.manifest, body.unsaved, 0)


@dataclass(frozen=True, slots=True)
class RecordedFiles:
    """The recorded contents of files."""

    journal: TapedJournal

    def text(self, path: str) -> str:
        """The recorded text. Raises the recorded ActionError."""
        body = self.journal.tape.body
        if not isinstance(body, FileRead) or body.path != path:
            body = self.journal.state.files_read.get(path)
        if body is None:
            raise self.journal.tape.missing(f"{path} is read")
        if body.error:
            raise ActionError(body.error)
        return self.journal.read_blob(body.text).decode() if body.text else ""

    def picture(self, path: str) -> bytes:
        """The recorded picture. Raises the recorded ActionError."""
        body = self.journal.tape.body
        if not isinstance(body, PictureRead) or body.path != path:
            body = self.journal.state.pictures_read.get(path)
        if body is None:
            raise self.journal.tape.missing(f"the picture {path} is read")
        if body.error:
            raise ActionError(body.error)
        return self.journal.read_blob(body.picture)


@dataclass(frozen=True, slots=True)
class RecordedPreview:
    """The recorded preview of a skill's program."""

    journal: TapedJournal

    def __call__(self, scene: Scene, code: str) -> str:
        body = self.journal.tape.body
        return body.preview if isinstance(body, Understood) else ""


@dataclass(frozen=True, slots=True)
class RecordedGrounder:
    """A grounding model that returns the recorded points."""

    journal: TapedJournal
    name: str

    async def point(self, picture: bytes, words: str) -> Grounded:
        """The recorded point. Raises what the recorded model raised."""
        body = self.journal.tape.body
        if not isinstance(body, PointFound):
            raise self.journal.tape.missing(f"{words!r} is looked for in the picture")
        if body.error:
            raise ModelFailure(body.error)
        return body.found


@dataclass(frozen=True, slots=True)
class RecordedSearch:
    """A search service that returns the recorded results."""

    journal: TapedJournal
    name: str
    host: str

    def search(self, words: str, count: int) -> tuple[SearchHit, ...]:
        """The recorded results. Raises what the recorded service raised."""
        body = self.journal.tape.body
        if not isinstance(body, KnowledgeFound):
            raise self.journal.tape.missing(f"{words!r} is searched for")
        if body.error:
            raise SearchFailure(body.error)
        return HITS.validate_json(self.journal.read_blob(body.hits))


def recorded_actions(actions: Mapping[str, Action], journal: TapedJournal, added: Collection[str]) -> dict[str, Action]:
    """Actions that do nothing and return the recorded results. Otherwise they are unchanged, except for the
    postconditions of those ``added`` from elsewhere: their code is not here, so their recorded findings are used."""

    def recorded(action: Action) -> Action:
        def run(scene: Scene, params: Any, control: Any) -> Result:
            _settled(journal, scene)
            return _result(journal, action.name)

        def found(_: Happening) -> Finding:
            return _found(journal)

        run.__doc__ = action.run.__doc__  # prompts are made from it
        return replace(action, run=run, postcondition=found if action.name in added else action.postcondition)

    return {name: recorded(action) for name, action in actions.items()}


def _found(journal: TapedJournal) -> Finding:
    """The rules' finding behind the next verdict on an effect; undecided if a model gave that verdict."""
    judged = next((body for body in journal.tape.rest() if isinstance(body, Judged) and body.scope == "effect"), None)
    if judged is None or judged.by == "model":
        return Finding(held=None)
    return Finding(held=judged.verdict.kind != "repair", why=judged.verdict.why)


@dataclass(frozen=True, slots=True)
class RecordedMemory:
    """A long-term memory that recalls what was recalled in the record."""

    journal: TapedJournal

    async def recall(self, wanted: Wanted) -> Found | None:
        """What the next event contains, if it is a recall for this role and subtask; else None."""
        body = self.journal.tape.body
        if not isinstance(body, Recalled) or (body.role, body.subtask) != (wanted.role, wanted.subtask):
            return None
        return Found(body.hits, body.facts, body.records)


def recorded_vault(settings: RunSettings) -> Vault:
    """Secrets with the names and bindings from the run's settings, and with values that occur nowhere."""
    return Vault(
        [
            Secret(name, chr(0xF0000 + place) * 32, Binding(*settings.bindings.get(name, ((), ()))))
            for place, name in enumerate(settings.secrets)
        ]
    )


def _settled(journal: TapedJournal, scene: Scene) -> None:
    """Decide again about what a program wanted to change, or pages wanted to send."""
    if isinstance(body := journal.tape.body, ChangesFound) and scene.settle is not None:
        scene.settle(Changes.model_validate_json(journal.read_blob(body.changes)))
    while isinstance(body := journal.tape.body, SendsFound) and scene.sends is not None:
        if scene.sends(body.sent):
            return


def _result(journal: TapedJournal, name: str) -> Result:
    body = journal.tape.body
    if (failed := failure(journal)) is not None:
        raise failed
    if not isinstance(body, ActionFinished):
        raise journal.tape.missing(f"{name} is done")
    text = journal.read_blob(body.output).decode() if body.output else body.text
    return Result(ok=body.ok, text=text, error=_uncut(body.error), exit_code=body.exit_code, reads=body.reads)


def _uncut(error: str) -> str:
    """An error that would be cut to ``error`` again: the part that was cut off is not recorded."""
    cut = _CUT.search(error)
    if cut is None or cut.start() != TEXT_LENGTH:
        return error
    return error[:TEXT_LENGTH] + "?" * int(cut[1])


@lru_cache(maxsize=4)
def _links(manifest: bytes) -> dict[str, str]:
    return {entry.path: entry.target for entry in Manifest.from_bytes(manifest).entries if entry.kind == "link"}


def _leads_out(path: str) -> str:
    return f"{shown(path)} is a link that leads out of the workspace; it cannot be used."
