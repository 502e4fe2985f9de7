"""Whatever a run holds, and whatever a browser sends, is hostile: nothing of it is obeyed, and nothing of it is hidden."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from starlette.datastructures import UploadFile
from starlette.testclient import TestClient

from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.facts.observation import Box, Control, Evidence, Observation, Screen, Window
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.web.starting import file_name, keep

EVIL = "\"'><script>alert(1)</script><img src=x onerror=alert(1) hx-get=/evil>{{7*7}}\u202ecod.exe\x07"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def hostile(settings: Settings) -> str:
    """A run in which every text that a page shows is an attack."""
    store = Store(settings.journal)
    begun = e.RunStarted(task=EVIL, crew=EVIL[:60], model=EVIL, mode="passive", workspace=EVIL, desktop="virtual")
    journal = store.create(begun, run="evil")
    control = Control(label=EVIL, role=EVIL, name=EVIL, value=EVIL, box=Box(x=1, y=1, width=9, height=9), window=1)
    window = Window(id=1, title=EVIL, app=EVIL, box=Box(x=0, y=0, width=9, height=9))
    seen = Observation(screen=Screen(width=64, height=40), windows=(window,), controls=(control,), text=EVIL)
    picture = journal.blob(b"<html><script>alert(1)</script>")
    look = e.Observed(observation=journal.blob(seen.model_dump_json()), screenshot=picture, windows=(EVIL,))
    journal.append(look)
    part = e.PartRef(zone="task", kind="text", blob=journal.blob(EVIL))
    call = journal.append(e.RoleCalled(role=EVIL, parts=(part,), schema_blob=journal.blob(EVIL), model=EVIL))
    operation = e.Operation(function=EVIL, control=EVIL, params={EVIL: EVIL})
    replied = e.RoleReplied(role=EVIL, reply={"intention": EVIL}, error=EVIL, raw=journal.blob(EVIL), model=EVIL)
    journal.append(replied, cause=call)
    journal.append(e.OperationProposed(role=EVIL, subtask="1", operation=operation, intention=EVIL), lane=EVIL)
    journal.append(e.OperationApproved(rule=EVIL, risk=EVIL))
    journal.append(e.ActionStarted(role=EVIL, subtask="1", operation=operation, effect=EVIL))
    done = e.ActionFinished(role=EVIL, subtask="1", operation=operation, ok=True, text=EVIL, output=journal.blob(EVIL))
    journal.append(done)
    journal.append(look.model_copy(update={"evidence": Evidence(windows_opened=(EVIL,), files_created=(EVIL,))}))
    journal.append(e.HumanSaid(kind="guide", text=EVIL))
    journal.close()
    store.close()
    return "evil"


PLACES = ["/", "/runs/evil", "/runs/evil?event=5", "/runs/evil/events/4", "/runs/evil/story/0", "/runs/evil/prompts/3"]
PLACES += ["/runs/evil/branches", "/runs/evil/replay", "/start?like=evil"]


@pytest.mark.parametrize("place", PLACES)
def test_text_of_a_run_is_never_markup(person: TestClient, hostile: str, place: str) -> None:
    answer = person.get(place)
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "<img" not in answer.text
    assert "{{7*7}}" in answer.text or place == "/start?like=evil"
    assert "\u202e" not in answer.text
    assert "\x07" not in answer.text


def test_what_is_no_picture_is_not_given_as_one(person: TestClient, hostile: str) -> None:
    assert person.get("/runs/evil/pictures/2.png").status_code == 404
    assert person.get("/runs/evil/pictures/2-9.png").status_code == 404


@pytest.mark.parametrize("run", ["../../etc", "%2e%2e%2fetc%2fpasswd", "evil%00", "eviltwin", "last", "evi"])
def test_a_run_is_named_by_its_whole_id_only(person: TestClient, hostile: str, run: str) -> None:
    for path in ("", "/live", "/pictures/2.png", "/export", "/branches"):
        answer = person.get(f"/runs/{run}{path}")
        assert answer.status_code in (400, 404), path
        assert "root:" not in answer.text


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("table.csv", "table.csv"),
        ("../../.ssh/authorized_keys", "authorized_keys"),
        ("C:\\Users\\x\\notes.txt", "notes.txt"),
        ("/etc/passwd", "passwd"),
        ("a\x00b\n\u202ecsv.exe", "abcsv.exe"),
        ("<img src=x>.txt", "<img src=x>.txt"),
    ],
)
def test_the_name_of_an_attachment_is_no_place(given: str, kept: str) -> None:
    assert file_name(given) == kept


@pytest.mark.parametrize("given", ["", "..", ".", "/", "a/", "\x00", " . ", "x" * 300])
def test_what_can_be_no_name_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="A file cannot be called"):
        file_name(given)


def test_attachments_are_counted_and_stay_in_their_folder(tmp_path: Path) -> None:
    def file(name: str, data: bytes) -> UploadFile:
        return UploadFile(io.BytesIO(data), filename=name)

    folder = tmp_path / "in"
    folder.mkdir()
    (kept,) = keep([file("../out.txt", b"abc")], folder, 10)
    assert kept == folder / "out.txt"
    assert not (tmp_path / "out.txt").exists()
    with pytest.raises(UsageError, match="too large"):
        keep([file("large", b"x" * 11)], folder, 10)
    with pytest.raises(UsageError, match="Two attachments"):
        keep([file("a/same", b""), file("b/same", b"")], folder, 10)


def test_a_file_that_is_no_run_brings_nothing_in(person: TestClient, settings: Settings, tmp_path: Path) -> None:
    bad = io.BytesIO()
    with zipfile.ZipFile(bad, "w") as file:
        file.writestr("../../evil.txt", "x")
    answer = person.post("/import", files={"file": ("run.zip", bad.getvalue())}, headers={"hx-request": "true"})
    assert answer.status_code in (400, 500)
    assert answer.headers["hx-retarget"] == "#trouble"
    assert not list(tmp_path.rglob("evil.txt"))
    assert Store(settings.journal).runs() == []


def test_an_error_does_not_say_what_was_sent(person: TestClient) -> None:
    answer = person.get("/runs/x/events/<script>alert(1)</script>")
    assert answer.status_code in (404, 422)
    assert "<script>alert" not in answer.text
