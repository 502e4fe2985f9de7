"""Runs on what is only painted: a model that sees is shown it, and works by points of the picture, guarded like clicks."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from PIL import Image as Pictures
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments import ocr
from deskcrew.environments.browser.launch import program
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.models.client import Call, Image, Profile, Text
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import GroundingSettings, Limits, Settings
from support.crew import bodies
from support.sampling import sampled

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
    pytest.mark.skipif(not ocr.available(), reason="what is painted cannot be read here"),
]
BOARD = """<!doctype html><title>Board</title><body style="margin:0"><canvas id=c width=900 height=500></canvas>
<button style="position:fixed;left:1000px;top:40px;width:160px;height:60px" onclick="note('beside')">Beside</button>
<p id=out style="position:fixed;left:20px;top:520px;font-size:24px"></p><script>
const pen = c.getContext('2d'), said = [];
const spots = [[100, 100, 'Roll dice'], [500, 100, 'Send'], [500, 300, 'Delete all']];
function paint() {
  pen.fillStyle = '#264'; pen.fillRect(0, 0, 900, 500); pen.font = '28px sans-serif';
  for (const [x, y, name] of spots) {
    pen.fillStyle = '#eee'; pen.fillRect(x, y, 240, 80); pen.fillStyle = '#000'; pen.fillText(name, x + 30, y + 50); }
}
function note(what) { said.push(what); out.textContent = said.join('; '); fetch('/said?' + encodeURIComponent(what)); }
let from = null;
c.onmousedown = event => { from = [event.offsetX, event.offsetY]; };
c.onmouseup = event => {
  const within = (at, from, length) => at >= from && at < from + length;
  const hit = spots.find(([x, y]) => within(event.offsetX, x, 240) && within(event.offsetY, y, 80));
  const moved = Math.hypot(event.offsetX - from[0], event.offsetY - from[1]) > 5;
  note(moved ? `drag ${from} to ${event.offsetX},${event.offsetY}` : hit ? hit[2] : `at ${event.offsetX},${event.offsetY}`);
};
c.onwheel = event => note(event.deltaY > 0 ? 'down' : 'up');
paint();
</script>"""
SEES = Profile(name="sees", vision=True, max_images=8, context=128_000)
BLIND = Profile(name="blind", context=128_000)
STOPS = {"operations": [], "branch": "Interrupt", "problem": "enough"}


@pytest.fixture
def said(httpserver: HTTPServer) -> list[str]:
    """What the page has been made to say."""
    heard: list[str] = []

    def hears(request: Request) -> Response:
        heard.append(unquote(request.query_string.decode()))
        return Response("")

    httpserver.expect_request("/").respond_with_data(BOARD, content_type="text/html")
    httpserver.expect_request("/said").respond_with_handler(hears)
    return heard


def clicks(x: int, y: int, **more: Any) -> dict[str, Any]:
    return {"operations": [{"function": "click_point", "x": x, "y": y, **more}], "branch": "Continue"}


async def run(
    folder: Path, httpserver: HTTPServer, *replies: Any, grounding: str = "", profile: Profile = SEES, **request_: Any
) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(replies, profile=profile)
    given = {"crew": "solo", "desktop": "browser", "url": httpserver.url_for("/"), "task": "Play."} | request_
    request = RunRequest(model="scripted:x", workspace=folder / "work", **{"crew": "planned", **given})
    settings = Settings(
        data=folder / "data",
        models=folder / "models",
        config=folder / "config",
        grounding=GroundingSettings(model=grounding, coordinates="thousandths"),
    )
    return await session.run(request, settings, model=model), model


def shown(call: Call) -> list[tuple[str, bytes]]:
    """The pictures of a prompt, each with what stands above it."""
    pairs = zip(call.parts, call.parts[1:], strict=False)
    return [(text.text, image.data) for text, image in pairs if isinstance(image, Image) and isinstance(text, Text)]


async def test_what_is_painted_is_shown_told_with_its_place_and_clicked(
    tmp_path: Path, httpserver: HTTPServer, said: list[str]
) -> None:
    def plays(call: Call) -> dict[str, Any]:
        screen, marked = shown(call)
        assert screen[0] == "The screen, 1280 x 800 pixels:"
        assert Pictures.open(io.BytesIO(screen[1])).size == (1280, 800)
        assert marked[1] != screen[1]
        found = re.search(r'"Roll dice" at (\d+), (\d+)', call.text("volatile"))
        assert found, call.text("volatile")
        x, y = int(found[1]), int(found[2])
        assert (100 <= x < 340, 100 <= y < 180) == (True, True)
        return clicks(x, y)

    journal, model = await run(tmp_path, httpserver, plays, STOPS)
    assert said == ["Roll dice"]
    assert [body.ok for body in bodies(journal, e.ActionFinished)] == [True]
    assert bodies(journal, e.OperationApproved)[0].risk == "unknown", "nothing but the picture says what it is"
    canvas = bodies(journal, e.OperationProposed)[0].operation.control
    assert f'\n{canvas} canvas ""' in model.calls[0].text("volatile"), "what is done there is told by this label"
    assert f"click_point {canvas} " in model.calls[-1].text("memory")
    assert (await replay(journal)).equal


@pytest.mark.deep
async def test_the_mouse_is_dragged_and_turned_between_points(
    tmp_path: Path, httpserver: HTTPServer, said: list[str]
) -> None:
    drag = {"function": "drag_point", "x": 50, "y": 300, "to_x": 250, "to_y": 420}
    turn = {"function": "scroll_point", "x": 200, "y": 350, "wheel_dist": -3}
    both = {"operations": [drag, turn], "branch": "Continue"}
    journal, _ = await run(tmp_path, httpserver, both, STOPS)
    assert said == ["drag 50,300 to 250,420", "down"]
    assert all(body.ok for body in bodies(journal, e.ActionFinished))
    assert (await replay(journal)).equal


@pytest.mark.deep
async def test_a_point_in_a_control_is_an_operation_on_this_control(
    tmp_path: Path, httpserver: HTTPServer, said: list[str]
) -> None:
    journal, model = await run(tmp_path, httpserver, clicks(1080, 70), STOPS)
    assert said == ["beside"]
    proposed = bodies(journal, e.OperationProposed)[0]
    assert proposed.operation.control
    approved = bodies(journal, e.OperationApproved)[0]
    assert (approved.bound.target.role, approved.bound.target.name) == ("button", "Beside")
    assert approved.risk == "write"
    assert f"click_point {proposed.operation.control}" in model.calls[-1].text("memory")


@pytest.mark.parametrize(
    ("point", "risk"), sampled([((620, 140), "send"), ((730, 175), "send"), ((600, 330), "destroy")], 1)
)
@pytest.mark.deep
async def test_what_is_written_at_a_point_weighs_like_the_name_of_a_button(
    tmp_path: Path, httpserver: HTTPServer, said: list[str], point: tuple[int, int], risk: str
) -> None:
    journal, model = await run(tmp_path, httpserver, clicks(*point), STOPS)
    assert said == []
    assert [(body.risk, body.by) for body in bodies(journal, e.OperationDenied)] == [(risk, "nobody")]
    assert "is written there" in model.calls[-1].text("volatile")
    assert (await replay(journal)).equal


@pytest.mark.deep
async def test_a_point_outside_of_the_picture_is_the_models_mistake(
    tmp_path: Path, httpserver: HTTPServer, said: list[str]
) -> None:
    journal, model = await run(tmp_path, httpserver, clicks(1280, 20), STOPS)
    assert bodies(journal, e.ActionStarted) == []
    assert "The picture has 1280 x 800 pixels; 1280, 20 lies outside of it." in model.calls[-1].text("volatile")


@pytest.mark.deep
async def test_who_sees_nothing_is_offered_no_points(tmp_path: Path, httpserver: HTTPServer, said: list[str]) -> None:
    journal, model = await run(tmp_path, httpserver, STOPS, profile=BLIND)
    assert "click_point" not in model.calls[0].text()
    assert shown(model.calls[0]) == []
    assert ' canvas ""' in model.calls[0].text("volatile")
    assert "Painted" not in model.calls[0].text()
    assert not journal.state.started.settings.points


class GroundingServer:
    """A grounding model's double: a server that finds what it is told to find, and keeps what it was asked."""

    def __init__(self, server: HTTPServer, *answers: str | int) -> None:
        self.asked: list[dict[str, Any]] = []
        self._answers = iter(answers)
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._answer)
        self.model = f"http://127.0.0.1:{server.port}/v1#ui-tars"

    def _answer(self, request: Request) -> Response:
        self.asked.append(json.loads(request.get_data()))
        said = next(self._answers)
        if isinstance(said, int):
            return Response("busy", status=said)
        choices = [{"message": {"role": "assistant", "content": said}}]
        used = {"prompt_tokens": 1300, "completion_tokens": 12}
        return Response(json.dumps({"choices": choices, "usage": used}), content_type="application/json")


DESCRIBES = {"operations": [{"function": "click_described", "what": "the button that rolls the dice"}], "branch": "Continue"}


@pytest.mark.deep
async def test_what_is_described_is_found_by_the_grounding_model_and_clicked(
    tmp_path: Path, httpserver: HTTPServer, said: list[str]
) -> None:
    server = GroundingServer(httpserver, "Thought: 2 buttons.\nAction: click(start_box='(170,175)')")
    journal, model = await run(tmp_path, httpserver, DESCRIBES, STOPS, grounding=server.model, profile=BLIND)
    assert said == ["Roll dice"]
    found = bodies(journal, e.PointFound)[0]
    assert (found.words, found.model, found.found.point) == (
        "the button that rolls the dice",
        server.model,
        (round(0.17 * 1280), round(0.175 * 800)),
    )
    assert journal.read_blob(found.picture) == journal.read_blob(bodies(journal, e.Observed)[0].screenshot)
    assert bodies(journal, e.OperationProposed)[0].operation.function == "click_point"
    asked = json.dumps(server.asked[0])
    assert "the button that rolls the dice" in asked
    assert "data:image/png;base64," in asked
    assert server.asked[0]["model"] == "ui-tars"
    assert shown(model.calls[0]) == [], "it sees nothing itself"
    assert journal.state.spent.input >= 1300
    httpserver.clear()
    assert (await replay(journal)).equal, "a replay needs no model"


@pytest.mark.deep
async def test_what_a_grounding_model_points_at_is_guarded_like_any_click(
    tmp_path: Path, httpserver: HTTPServer, said: list[str]
) -> None:
    server = GroundingServer(httpserver, "<point>484 175</point>")
    journal, _ = await run(tmp_path, httpserver, DESCRIBES, STOPS, grounding=server.model)
    assert said == []
    assert [body.risk for body in bodies(journal, e.OperationDenied)] == ["send"]


@pytest.mark.parametrize(
    ("answer", "told"), sampled([("none", "was not found in the picture"), (503, "HTTP status 503")], 1)
)
@pytest.mark.deep
async def test_where_nothing_is_found_the_role_is_told(
    tmp_path: Path, httpserver: HTTPServer, said: list[str], answer: str | int, told: str
) -> None:
    server = GroundingServer(httpserver, answer)
    journal, model = await run(tmp_path, httpserver, DESCRIBES, STOPS, grounding=server.model)
    assert bodies(journal, e.ActionStarted) == []
    assert told in model.calls[-1].text("volatile")
    assert bodies(journal, e.PointFound)[0].found.point is None
    assert (await replay(journal)).equal


async def test_a_money_limit_needs_the_price_of_the_grounding_model(
    tmp_path: Path, httpserver: HTTPServer, said: list[str]
) -> None:
    limits = Limits(money=1.0)
    with pytest.raises(UsageError, match="grounding model"):
        await run(tmp_path, httpserver, STOPS, grounding="http://127.0.0.1:9/v1#x", limits=limits)
