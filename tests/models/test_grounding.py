"""Grounding: a reply becomes a point of the picture, whatever form its model gives it, and a failure says what to do."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from PIL import Image
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.errors import ModelFailure, UsageError
from deskcrew.models.grounding import KEY_VARIABLE, create, read_point
from deskcrew.settings import Coordinates, GroundingSettings, Price, Settings
from deskcrew.ways_in.cli.checks import grounding as checked

SIZE = (1280, 800)


@pytest.mark.parametrize(
    ("raw", "coordinates", "point"),
    [
        ("(412, 300)", "pixels", (412, 300)),
        ("Thought: there are 2 buttons, 30 px high.\nAction: click(start_box='(412,300)')", "pixels", (412, 300)),
        ("<point>500 250</point>", "thousandths", (640, 200)),
        ('```json\n[{"bbox_2d": [400, 290, 424, 310], "label": "Save"}]\n```', "pixels", (412, 300)),
        ('{"point_2d": [412, 300]}', "pixels", (412, 300)),
        ('{"x": 412, "y": 300}', "pixels", (412, 300)),
        ("x=0.5, y=0.25", "fractions", (640, 200)),
        ("<|box_start|>(1000,1000)<|box_end|>", "thousandths", (1279, 799)),
        ("[0.25, 0.5]", "fractions", (320, 400)),
        ("none", "pixels", None),
        ("I see 3 buttons.", "pixels", None),
        ("(1, 2, 3)", "pixels", None),
        ("(1400, 20)", "pixels", None),
        ("(-5, 20)", "pixels", None),
        ("", "pixels", None),
    ],
)
def test_the_last_point_or_box_of_a_reply_counts(raw: str, coordinates: Coordinates, point: tuple[int, int] | None) -> None:
    assert read_point(raw, SIZE, coordinates) == point


def picture(size: tuple[int, int] = SIZE) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", size).save(target, "PNG")
    return target.getvalue()


def replying(server: HTTPServer, said: str, **more: Any) -> list[Request]:
    """Have the server reply; the requests that it gets."""
    asked: list[Request] = []

    def answers(request: Request) -> Response:
        asked.append(request)
        body = {"choices": [{"message": {"content": said}}], **more}
        return Response(json.dumps(body), content_type="application/json")

    server.expect_request("/v1/chat/completions").respond_with_handler(answers)
    return asked


def at(server: HTTPServer, coordinates: Coordinates = "pixels") -> GroundingSettings:
    return GroundingSettings(model=f"http://127.0.0.1:{server.port}/v1#ui-tars", coordinates=coordinates)


@pytest.mark.anyio
async def test_a_picture_and_words_go_out_and_a_point_comes_back(httpserver: HTTPServer) -> None:
    asked = replying(httpserver, "(40, 30)", usage={"prompt_tokens": 1000, "completion_tokens": 10})
    settings = at(httpserver)
    prices = {settings.model: Price(input=2.0, output=4.0)}
    grounder = create(settings, prices, environment={KEY_VARIABLE: "key-of-grounding"})
    assert grounder is not None
    found = await grounder.point(picture((100, 50)), "the door")
    assert (found.point, found.raw) == ((40, 30), "(40, 30)")
    assert (found.usage.input, found.usage.output, found.usage.cost) == (1000, 10, pytest.approx(0.00204))
    body = asked[0].get_json()
    assert "the door" in body["messages"][0]["content"][1]["text"]
    assert "100 wide and 50 high" in body["messages"][0]["content"][1]["text"]
    assert asked[0].headers["Authorization"] == "Bearer key-of-grounding"


@pytest.mark.anyio
@pytest.mark.parametrize(("status", "body"), [(500, "{}"), (200, "<html>"), (200, "{}"), (200, "[]")])
async def test_what_is_no_reply_is_a_failure_of_the_model(httpserver: HTTPServer, status: int, body: str) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_data(body, status=status)
    grounder = create(at(httpserver), environment={})
    assert grounder is not None
    with pytest.raises(ModelFailure, match="grounding model"):
        await grounder.point(picture(), "the door")


@pytest.mark.anyio
async def test_who_does_not_answer_is_a_failure_of_the_model() -> None:
    grounder = create(GroundingSettings(model="http://127.0.0.1:9/v1#x"), environment={})
    assert grounder is not None
    with pytest.raises(ModelFailure, match="does not answer"):
        await grounder.point(picture(), "the door")


def test_without_a_model_there_is_no_grounding() -> None:
    assert create(GroundingSettings(), environment={}) is None


def test_a_model_without_an_endpoint_is_refused() -> None:
    with pytest.raises(UsageError, match="names no endpoint"):
        create(GroundingSettings(model="openai:gpt-5.2"), environment={})


def test_a_key_does_not_go_over_an_open_network() -> None:
    with pytest.raises(UsageError, match="unencrypted"):
        create(GroundingSettings(model="http://models.example/v1#x"), environment={KEY_VARIABLE: "key-of-grounding"})


def test_the_doctor_has_it_find_a_square(httpserver: HTTPServer) -> None:
    replying(httpserver, "(460, 280)")
    finding = checked(Settings(grounding=at(httpserver)))
    assert (finding.state, finding.text) == ("ok", f"{at(httpserver).model} finds what is described, in pixels")


def test_the_doctor_says_when_points_are_counted_otherwise(httpserver: HTTPServer) -> None:
    replying(httpserver, "(719, 700)")
    finding = checked(Settings(grounding=at(httpserver)))
    assert finding.state == "note"
    assert re.search("names no point|finds a red square at", finding.text)
    assert "grounding.coordinates" in finding.mend


def test_the_doctor_says_what_is_missing() -> None:
    assert checked(Settings()).state == "note"
    finding = checked(Settings(grounding=GroundingSettings(model="http://127.0.0.1:9/v1#x")))
    assert finding.state == "missing"
    assert "does not answer" in finding.text
