"""Which pictures a prompt carries: those that the task is about or that were read, for models that see and no others."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pictures
from pytest_httpserver import HTTPServer

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.models.client import Call, Image, Profile, Text
from deskcrew.models.scripted import ScriptedModel
from deskcrew.secrets.binding import Binding, Secret
from support.crew import bodies, settings_in

pytestmark = pytest.mark.anyio
SEES = Profile(name="sees", vision=True, max_images=8, context=128_000)
ONE = SEES.model_copy(update={"max_images": 1})
BLIND = Profile(name="blind", context=128_000)
STOPS = {"operations": [], "branch": "Interrupt", "problem": "enough"}
LISTS = {"operations": [{"function": "list_files"}], "branch": "Continue"}


def shown(call: Call) -> list[tuple[str, Pictures.Image]]:
    """The pictures of a prompt, each with what stands above it."""
    pairs = zip(call.parts, call.parts[1:], strict=False)
    found = [(text.text, image.data) for text, image in pairs if isinstance(image, Image) and isinstance(text, Text)]
    return [(caption, Pictures.open(io.BytesIO(data))) for caption, data in found]


def captions(call: Call) -> list[str]:
    return [caption for caption, _ in shown(call)]


def painted(path: Path, colour: str = "red", size: tuple[int, int] = (60, 40)) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Pictures.new("RGB", size, colour).save(path)
    return path


async def run(folder: Path, task: str, *replies: Any, profile: Profile = SEES, **request_: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(replies, profile=profile)
    given = {"crew": "solo", "desktop": "none"} | request_
    request = RunRequest(task=task, model="scripted:x", workspace=folder / "work", **{"crew": "planned", **given})
    return await session.run(request, settings_in(folder), model=model), model


async def test_a_picture_that_the_task_names_is_shown(tmp_path: Path) -> None:
    painted(tmp_path / "work" / "photos" / "cat.jpg", "red")
    painted(tmp_path / "work" / "other.png", "blue")
    journal, model = await run(tmp_path, "What colour has cat.jpg?", LISTS, STOPS)
    [(caption, picture)] = shown(model.calls[0])
    assert caption == "The picture photos/cat.jpg:"
    assert picture.size == (60, 40)
    red, green, blue = picture.convert("RGB").getpixel((5, 5))  # type: ignore[misc]
    assert red > 200 > 60 > max(green, blue)
    assert captions(model.calls[1]) == captions(model.calls[0])
    assert [body.path for body in bodies(journal, e.PictureRead)] == ["photos/cat.jpg"], "it is read, and written down, once"
    assert (await replay(journal)).equal


async def test_a_picture_that_is_attached_or_was_read_is_shown_the_last_one_last(tmp_path: Path) -> None:
    attached = painted(tmp_path / "given.png", "green", (4000, 1000))
    painted(tmp_path / "work" / "found.png", "blue")
    reads = {"operations": [{"function": "read_file", "file_path": "found.png"}], "branch": "Continue"}
    journal, model = await run(tmp_path, "Look at what is there.", reads, STOPS, attachments=(attached,))
    [(caption, picture)] = shown(model.calls[0])
    assert (caption, picture.size) == ("The picture given.png:", (1280, 320))
    assert captions(model.calls[1]) == ["The picture given.png:", "The picture found.png:"]
    assert (await replay(journal)).equal


async def test_a_model_that_takes_one_picture_gets_the_last(tmp_path: Path) -> None:
    painted(tmp_path / "work" / "one.png")
    painted(tmp_path / "work" / "two.png")
    reads = {"operations": [{"function": "read_file", "file_path": "one.png"}], "branch": "Continue"}
    _, model = await run(tmp_path, "Compare one.png and two.png.", reads, STOPS, profile=ONE)
    assert captions(model.calls[0]) == ["The picture two.png:"]
    assert captions(model.calls[1]) == ["The picture one.png:"]


async def test_a_changed_picture_is_shown_anew(tmp_path: Path) -> None:
    painted(tmp_path / "work" / "cat.png", "red")

    def paints(_: Call) -> dict[str, Any]:
        painted(tmp_path / "work" / "cat.png", "blue")
        return LISTS

    journal, model = await run(tmp_path, "What colour has cat.png?", paints, STOPS)
    [(_, picture)] = shown(model.calls[1])
    assert picture.convert("RGB").getpixel((5, 5)) == (0, 0, 255)
    assert len(bodies(journal, e.PictureRead)) == 2
    assert (await replay(journal)).equal


async def test_what_is_no_picture_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "cat.png").write_text("no picture")
    journal, model = await run(tmp_path, "What colour has cat.png?", STOPS)
    assert shown(model.calls[0]) == []
    assert bodies(journal, e.PictureRead)[0].error == "It is not a picture that can be read."
    assert (await replay(journal)).equal


async def test_only_named_formats_are_decoded_whatever_a_file_is_called(tmp_path: Path) -> None:
    """PostScript is a program, and Pillow would run it."""
    painted(tmp_path / "work" / "scan.tiff")
    Pictures.new("RGB", (60, 40)).save(tmp_path / "work" / "drawing.png", "EPS")
    journal, model = await run(tmp_path, "Compare scan.tiff with drawing.png.", LISTS, STOPS)
    assert captions(model.calls[0]) == ["The picture scan.tiff:"]
    assert [body.path for body in bodies(journal, e.PictureRead) if body.error] == ["drawing.png"]


async def test_who_sees_nothing_is_shown_nothing(tmp_path: Path) -> None:
    painted(tmp_path / "work" / "cat.png")
    journal, model = await run(tmp_path, "What colour has cat.png?", STOPS, profile=BLIND)
    assert shown(model.calls[0]) == []
    assert bodies(journal, e.PictureRead) == []


async def test_in_a_run_with_secrets_no_file_is_shown(tmp_path: Path) -> None:
    """Nobody could take a secret out of it."""
    painted(tmp_path / "work" / "cat.png")
    secret = Secret("mail", "pa55-word-x", Binding(apps=("mail",)))
    _, model = await run(tmp_path, "What colour has cat.png?", STOPS, secrets=(secret,))
    assert shown(model.calls[0]) == []


FORM = "<!doctype html><title>Form</title><h1>Order</h1><label>Name <input></label><button>Show</button>"


@pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
@pytest.mark.parametrize(("crew", "pictures"), [("solo", 0), ("cola", 2)])
@pytest.mark.deep
async def test_where_the_text_says_it_all_the_screen_is_shown_to_cola_alone(
    tmp_path: Path, httpserver: HTTPServer, crew: str, pictures: int
) -> None:
    httpserver.expect_request("/").respond_with_data(FORM, content_type="text/html")
    plan = {"subtasks": [{"goal": "Press Show"}], "branch": "Continue"}
    assign = {"assignments": [{"subtask": "1", "role": "Operator"}], "branch": "Continue"}
    before = [plan, assign] if crew == "cola" else []
    stops = {"operations": [], "branch": "Interrupt", "problem": "enough", "intention": "", "local_plan": [], "summary": ""}
    url = httpserver.url_for("/")
    _, model = await run(tmp_path, "Press Show.", *before, stops, crew=crew, desktop="browser", url=url)
    assert len(shown(model.calls[-1])) == pictures
    assert all(shown(call) == [] for call in model.calls[:-1])
