"""A secret is typed on a real desktop by a run in which everything that can repeat it does. Then all that was written is
searched for it."""

from __future__ import annotations

import io
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.environments.linux.conftest import await_look, desktop_in
from typer.testing import CliRunner

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion, Question, Response
from deskcrew.engine.human.responder import Nobody
from deskcrew.engine.request import RunRequest
from deskcrew.environments.environment import Desktop
from deskcrew.errors import DeskcrewError
from deskcrew.facts import events as e
from deskcrew.facts.observation import Box, Observation
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Text
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Settings
from deskcrew.ways_in.cli.app import build
from deskcrew.ways_in.report.result import result_of
from support.canary import CANARY, VALUE, spoken, told_in
from support.crew import bodies, settings_in

pytestmark = [pytest.mark.anyio, pytest.mark.desktop]
PLACEHOLDER = "{{secret:mail}}"
FORM = Path(__file__).parent / "support" / "canary_form.py"
COPIES = "import os; os.makedirs('a'); open('a/copy.txt', 'w').write(open('told.txt').read())"
REPEATS = "import sys; text = open('told.txt').read(); print(text); sys.exit(text)"


class Yes(Nobody):
    """A person who allows everything, and all that this person was shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    async def ask(self, question: Question) -> Response | None:
        self.shown.append(question.model_dump_json())
        return Approval(allowed=True) if isinstance(question, OperationQuestion) else None

    def tell(self, text: str) -> None:
        self.shown.append(text)


@dataclass
class Scripted:
    """The crew, and what it saw: where the label stands that repeats what was typed."""

    started: list[Any] = field(default_factory=list)
    label: Box | None = None

    def replies(self) -> Iterator[Any]:
        yield self._of("read_file", file_path="told.txt")
        yield lambda call: self._typed(call, "text field|text area")
        yield lambda call: self._typed(call, "password field")
        yield self._look
        yield self._of("run_python_code", code=REPEATS)
        yield self._of("run_python_code", code=COPIES)
        yield self._of("read_file", file_path=VALUE)
        while True:
            yield {"operations": [], "branch": "NeedHumanHelp", "problem": f"I was told {VALUE}"}

    def _of(self, function: str, **params: Any) -> dict[str, Any]:
        return {"operations": [{"function": function, **params}], "branch": "Continue"}

    def _look(self, call: Call) -> dict[str, Any]:
        places = self.started[0].observe().places
        self.label = next(box for text, box in places if text == f"You said {VALUE}")
        return self._of("read_clipboard")

    def _typed(self, call: Call, roles: str) -> dict[str, Any]:
        lines = call.text("volatile").splitlines()
        label = next(line.split()[0] for line in lines if any(f" {role}" in f" {line}" for role in roles.split("|")))
        return self._of("keyboard_input", control=label, keys=PLACEHOLDER)


@dataclass
class Ended:
    journal: Journal
    model: ScriptedModel
    script: Scripted
    human: Yes
    folder: Path


@pytest.fixture
async def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ended:
    work = tmp_path / "work"
    work.mkdir()
    shutil.copy(FORM, work / "form.py")
    (work / "told.txt").write_text(spoken())
    script, human = Scripted(), Yes()

    def start(request: RunRequest, settings: Settings, workspace: Path, *_: object) -> Desktop:
        desktop = desktop_in(workspace)
        desktop.session.start(["/usr/bin/python3", "/workspace/form.py"])
        # As if it were installed; what is not gets no secret (environments/linux/screen/test_executables.py).
        monkeypatch.setattr(desktop, "program_of_window", lambda _: "/usr/bin/canary-form")
        await_look(desktop, lambda seen: any(control.role == "password field" for control in seen.controls), 20)
        script.started.append(desktop)
        return desktop

    monkeypatch.setattr(session, "start_desktop", start)
    model = ScriptedModel(script.replies())
    request = RunRequest(
        task=f"Log in as {VALUE}", model="scripted:x", crew="solo", workspace=work, mode="passive", secrets=(CANARY,)
    )
    journal = await session.run(request, settings_in(tmp_path), model=model, human=human)
    return Ended(journal, model, script, human, tmp_path)


async def test_nothing_that_is_written_or_sent_holds_the_secret(ended: Ended) -> None:
    _really_happened(ended)
    _prompts(ended)
    _files(ended)
    _commands(ended)
    _pictures(ended)


def _really_happened(ended: Ended) -> None:
    """Every way in was taken, or the search would prove nothing."""
    journal = ended.journal
    done = {body.operation.function: body for body in bodies(journal, e.ActionFinished)}
    typed = [body for body in bodies(journal, e.ActionFinished) if body.operation.function == "keyboard_input"]
    assert [(body.ok, body.operation.params["keys"]) for body in typed] == [(True, PLACEHOLDER)] * 2, typed
    refused = [body.verdict.why for body in bodies(journal, e.Judged) if body.verdict.kind == "repair"]
    assert not any("not what was typed" in why for why in refused), "what stands there is known to be the secret"
    assert [body.text for body in typed] == ["", ""], "what a secret was put into is not read back; that it is there is seen"
    # It is not there any more: what holds a value is cleared.
    assert done["read_clipboard"].text == "The clipboard is empty."
    assert done["run_python_code"].ok
    failed = [body for body in bodies(journal, e.ActionFinished) if not body.ok]
    assert any("[secret mail]" in body.error for body in failed)
    assert any("Log in: [secret mail]" in body.windows for body in bodies(journal, e.Observed))
    assert journal.state.started is not None
    assert journal.state.started.settings.secrets == ("mail",)
    assert journal.state.started.task == "Log in as [secret mail]"
    assert (ended.folder / "work" / "a" / "copy.txt").read_text() == spoken(), "the user's files are left alone"
    assert any(PLACEHOLDER in shown for shown in ended.human.shown)


def _prompts(ended: Ended) -> None:
    for call in ended.model.calls:
        for part in call.parts:
            assert told_in(part.text.encode() if isinstance(part, Text) else part.data) == []
    assert f"{PLACEHOLDER} for app canary-*" in ended.model.calls[0].text()
    assert told_in("".join(ended.human.shown).encode()) == []


def _files(ended: Ended) -> None:
    """The database with its log, every blob, and whatever else the engine wrote; not what the user and programs wrote."""
    written = [path for path in ended.folder.rglob("*") if path.is_file() and not path.is_relative_to(ended.folder / "work")]
    assert any(path.name.startswith("journal.db") for path in written)
    for path in written:
        assert told_in(path.read_bytes()) == [], path
        assert told_in(str(path).encode()) == []
    with sqlite3.connect(ended.folder / "data" / "journal.db") as database:
        digests = [row[0] for row in database.execute("select digest from blobs")]
    database.close()
    assert len(digests) > 20
    for digest in digests:
        assert told_in(ended.journal.read_blob(digest)) == []
    assert ended.journal.verify() == []


def _commands(ended: Ended) -> None:
    """What `runs`, `log`, `show` and their --json say of it."""
    assert told_in(result_of(ended.journal.run, ended.journal.events).model_dump_json().encode()) == []
    runner, app = CliRunner(), build()
    data = ["--data", str(ended.folder / "data")]
    run = ended.journal.run
    asked = [["runs"], ["runs", "--json"], ["log", run], ["log", run, "--json"]]
    for event in ended.journal.all:
        asked += [["show", run, str(event.number)], ["show", run, str(event.number), "--json"]]
        if isinstance(event.body, e.RoleCalled):
            asked += [["show", run, str(event.number), "--prompt"]]
        if isinstance(event.body, e.RoleReplied):
            asked += [["show", run, str(event.number), "--reply"]]
        if isinstance(event.body, e.Observed):
            asked += [["show", run, str(event.number), "--observation"]]
    for words in asked:
        told = runner.invoke(app, [*words, *data])
        assert told.exit_code == 0 or isinstance(told.exception, DeskcrewError | SystemExit), (words, told.exception)
        assert told_in(told.stdout_bytes) == [], words


def _pictures(ended: Ended) -> None:
    """Fields, label and title are black in every picture after the secret was typed there, in what models saw too."""
    journal = ended.journal
    assert ended.script.label is not None
    looks = bodies(journal, e.Observed)
    first = next(place for place, body in enumerate(looks) if "Log in: [secret mail]" in body.windows)
    before, after = looks[:first], looks[first:]
    assert after
    for number, body in enumerate(after):
        seen = Observation.model_validate_json(journal.read_blob(body.observation))
        account = next(control.box for control in seen.controls if control.value == "[secret mail]")
        title = seen.windows[0].box.model_copy(update={"y": seen.windows[0].box.y - 18, "height": 16})
        picture = journal.read_blob(body.screenshot)
        for box in (account, ended.script.label, title):
            assert black(picture, box), (number, box)
    assert black(picture, next(c.box for c in seen.controls if c.role == "password field"))  # pyright: ignore
    assert not black(journal.read_blob(before[0].screenshot), account)  # pyright: ignore


def black(picture: bytes, box: Box) -> bool:
    with Image.open(io.BytesIO(picture)) as image:
        inside = image.convert("RGB").crop((box.x, box.y, box.x + box.width, box.y + box.height))
    return [colour for _, colour in inside.getcolors(1 << 20) or ()] == [(0, 0, 0)]
