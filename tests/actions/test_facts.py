"""What an action says of itself is all that guard, journal, evidence and reports go by: one that none of them knows by its
name is treated as what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from deskcrew import actions
from deskcrew.actions.action import Action, Params, Result, Scene
from deskcrew.actions.windows import desktop, target
from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.draft import Draft, Guide, role_text
from deskcrew.engine.roles.role import BUILTIN, load_roles
from deskcrew.environments.browser.launch import program
from deskcrew.evidence.origin import Origins
from deskcrew.facts import events as e
from deskcrew.facts.observation import Control, Observation
from deskcrew.guard.history import History
from deskcrew.journal.exporting import export
from deskcrew.journal.importing import read_export
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Profile
from deskcrew.ways_in.report.operations import in_words
from support.crew import bodies, by_role, settings_in

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.desktop,
    pytest.mark.skipif(program() is None, reason="there is no Chromium"),
]
PAGE = "<!doctype html><title>Guests</title><h1>Room 4711</h1><label>Name <input></label>"


class StampParams(Params):
    keys: str = Field(min_length=1, description="What to stamp.")


class NoParams(Params):
    pass


def stamp(scene: Scene, params: StampParams, control: Control | None) -> Result:
    """Stamp a text on a field."""
    desktop(scene).type_text(target(control), params.keys)
    return Result(ok=True)


def read_heading(scene: Scene, params: NoParams, control: Control | None) -> Result:
    """Read what the page is about."""
    return Result(ok=True, text=desktop(scene).page_markdown().splitlines()[0])


NEW = (
    Action(
        "stamp", StampParams, stamp, "write", "lasting", "browser", "required", ("type",),
        gesture="type", worded=lambda asked: f"Stamp {asked.quoted('keys')} on {asked.thing()}",
    ),
    Action("read_heading", NoParams, read_heading, "read", "none", "browser", gesture="look", gives="content"),
)  # fmt: skip


@pytest.fixture
def unheard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two built-in actions more."""
    known = actions.builtin() | {each.name: each for each in NEW}
    monkeypatch.setattr(actions, "_known", lambda: known)


@pytest.mark.usefixtures("unheard_of")
def test_who_works_on_pages_may_use_a_new_action_for_them() -> None:
    able = {name for name, role in load_roles((BUILTIN,)).items() if {each.name for each in NEW} & {*role.domain}}
    assert able == {"DesktopUser", "LocalExecutor", "Operator", "Searcher", "Viewer", "Worker"}


@pytest.mark.usefixtures("unheard_of")
async def test_an_action_that_nobody_knows_by_name_is_treated_by_what_it_says_of_itself(tmp_path: Path) -> None:
    settings, work = settings_in(tmp_path), tmp_path / "work"
    work.mkdir()
    (work / "guests.html").write_text(PAGE)
    clerk = Draft(skills="fills in guests", guidance=(), actions=tuple(each.name for each in NEW), task="")
    (settings.config / "roles").mkdir(parents=True)
    (settings.config / "roles" / "Clerk.md").write_text(
        role_text("Clerk", clerk, Guide(program="Guests", text="", way="windows"), "a test")
    )

    def work_on(call: Call) -> dict[str, Any]:
        name = next(line.split()[0] for line in call.text("volatile").splitlines() if '"Name"' in line)
        said = {"function": "stamp", "control": name, "keys": "Ada"}, {"function": "read_heading"}
        return {"operations": [*said], "branch": "RoleTaskFinish"}

    model = by_role(
        Profile(name="scripted", context=128_000),
        Planner={"subtasks": [{"goal": "enter Ada and say which room it is", "role": "Clerk"}]},
        Clerk=work_on,
        FinalAnswer={"answer": "4711", "sources": [], "branch": "Continue", "problem": ""},
        Reviewer={"analyze": "", "verdict": "continue", "judgement": ""},
    )
    request = RunRequest(
        "Enter Ada. Which room?", model="scripted:", workspace=work, desktop="browser", url="guests.html", crew="planned"
    )
    journal = await session.run(request, settings, model=model)
    stamped, read = bodies(journal, e.ActionFinished)
    assert (stamped.ok, read.ok, read.text) == (True, True, "# Room 4711"), (stamped.error, read.error)

    consents = History.of(journal.events).consents
    assert consents.typed == ("ada",), "the guard: text of the run's is in the page"
    assert bodies(journal, e.RunStarted)[0].gives["read_heading"] == "content"
    (found,) = journal.state.collected_by("content")
    look = Observation.model_validate_json(journal.read_blob(journal.state.first_observation))
    origins = Origins(journal.state, look, lambda path: (work / path).read_text())
    assert origins.supports(found, "4711"), "evidence: it was read, and not written"
    assert origins.written("Ada", until=found.number)
    assert in_words(stamped.operation, look) == 'Stamp "Ada" on Name in Guests'
    assert (await replay(journal)).difference is None
    export(journal, tmp_path / "bare.zip", redact=True)
    store = Store(tmp_path / "there.db")
    bare = store.journal(read_export(tmp_path / "bare.zip", store).run)
    assert len(bare.state.collected_by("content")) == 1, "also where the texts were taken out"
