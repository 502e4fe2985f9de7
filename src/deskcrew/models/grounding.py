"""Grounding: a separate model finds the point in a picture that words describe (UI-TARS, OS-Atlas, Qwen-VL, an OmniParser
that speaks Chat Completions, ...).

Any OpenAI-compatible endpoint works. Each such model has its own answer format, ``click(start_box='(412,300)')``,
``<point>412 300</point>``, ``{"bbox_2d": [400, 290, 424, 310]}``: the last two adjacent numbers are the point, or the last
four a box around it. Their unit is a setting.
"""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module

from PIL import Image
from pydantic import JsonValue

from deskcrew.errors import ModelFailure, UsageError, needing
from deskcrew.facts.events import Grounded, Usage
from deskcrew.facts.json_values import JsonObject, is_object, list_in, object_in
from deskcrew.facts.loopback import on_this_machine
from deskcrew.models.reference import parse
from deskcrew.settings import Coordinates, GroundingSettings, Price

KEY_VARIABLE = "DESKCREW_GROUNDING_KEY"
"""The environment variable with the key. Not that of the crew's model: a key must only go to the host it was made for."""
SECONDS, CONNECT = 60.0, 10.0
PROBE_SECONDS = 12.0
REPLY_TOKENS = 400
"""Tokens of a reply: room for the reasoning that some models write before the point."""
LARGEST = 1 << 20
"""The maximum size of a response in bytes."""
LONGEST_RAW = 2000
_NUMBER = r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]|\.\d)"
_TOGETHER = re.compile(rf"{_NUMBER}(?:\s*[,;\s]\s*{_NUMBER}){{1,3}}")
_NAMED = re.compile(rf"""["']?x["']?\s*[:=]\s*({_NUMBER})\D{{1,12}}?["']?y["']?\s*[:=]\s*({_NUMBER})""", re.IGNORECASE)
_ASKED = """Find this in the picture: {words}
Reply with the point in its middle as (x, y), {unit}. Reply with "none" if it is not in the picture."""
_UNITS: Mapping[Coordinates, str] = {
    "pixels": "in pixels of the picture, which is {width} wide and {height} high",
    "thousandths": "each from 0 to 1000: thousandths of the picture's width and height",
    "fractions": "each from 0 to 1: fractions of the picture's width and height",
}


@dataclass(frozen=True, slots=True)
class OpenAIGrounder:
    """A :class:`~deskcrew.environments.pointing.Grounder` behind an OpenAI-compatible endpoint. ``name``: the model string;
    ``model``: the model's name there; ``price``: None if unknown; ``seconds``: the timeout of a request."""

    name: str
    address: str
    model: str
    coordinates: Coordinates
    key: str = field(default="", repr=False)
    price: Price | None = None
    seconds: float = SECONDS

    async def point(self, picture: bytes, words: str) -> Grounded:
        """Find what ``words`` describe in a picture (PNG). Raises ModelFailure if the model gives no answer."""
        with Image.open(io.BytesIO(picture)) as image:
            size = image.size
        data = await self._answer(self._question(picture, words, size))
        choice = object_in(next(iter(list_in(data.get("choices"))), None))
        if "content" not in (message := object_in(choice.get("message"))):
            raise ModelFailure(f"The grounding model {self.name} answered with something other than a reply.")
        raw = str(message["content"] or "")
        return Grounded(point=read_point(raw, size, self.coordinates), raw=raw[:LONGEST_RAW], usage=self._usage(data))

    def _question(self, picture: bytes, words: str, size: tuple[int, int]) -> JsonObject:
        unit = _UNITS[self.coordinates].format(width=size[0], height=size[1])
        shown = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
        content: list[JsonValue] = [
            {"type": "image_url", "image_url": {"url": shown}},
            {"type": "text", "text": _ASKED.format(words=words, unit=unit)},
        ]
        asked: JsonObject = {"role": "user", "content": content}
        return {"model": self.model, "messages": [asked], "max_tokens": REPLY_TOKENS, "temperature": 0}

    async def _answer(self, question: JsonObject) -> JsonObject:
        import httpx

        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        hint = "`deskcrew doctor` tests it; `deskcrew docs vision` says how to set it up."
        timeout = httpx.Timeout(self.seconds, connect=CONNECT)
        try:
            # What the environment says of proxies does not hold for a service on this machine.
            async with httpx.AsyncClient(timeout=timeout, trust_env=not on_this_machine(self.address)) as client:
                address = f"{self.address}/chat/completions"
                async with client.stream("POST", address, json=question, headers=headers) as reply:
                    body = b""
                    async for piece in reply.aiter_bytes():
                        body += piece
                        if len(body) > LARGEST:
                            raise ModelFailure(f"The grounding model {self.name} did not stop answering.", hint=hint)
        except httpx.HTTPError as error:
            why = f"({type(error).__name__})"
            raise ModelFailure(f"The grounding model {self.name} does not answer {why}.", hint=hint) from error
        if reply.status_code != 200:
            told = f"The grounding model {self.name} answered with HTTP status {reply.status_code}."
            raise ModelFailure(told, hint=hint, status=reply.status_code)
        try:
            data: object = httpx.Response(200, content=body).json()
        except ValueError:
            data = None
        if not is_object(data):
            raise ModelFailure(f"The grounding model {self.name} answered with something other than JSON.", hint=hint)
        return data

    def _usage(self, data: JsonObject) -> Usage:
        used = object_in(data.get("usage"))
        tokens = [
            count if isinstance(count := used.get(name), int) else None for name in ("prompt_tokens", "completion_tokens")
        ]
        given, made = tokens
        if self.price is None or given is None or made is None:
            return Usage(input=given, output=made)
        return Usage(input=given, output=made, cost=(given * self.price.input + made * self.price.output) / 1e6)


def create(
    settings: GroundingSettings, prices: Mapping[str, Price] | None = None, *, environment: Mapping[str, str] | None = None
) -> OpenAIGrounder | None:
    """The grounding model in the settings; None if there is none. Sends nothing. ``environment``: variables to read; None
    for this process's.

    Raises UsageError if the extra ``services`` is not installed, if the model string names no endpoint, or if the key would
    be sent unencrypted over an open network.
    """
    if not settings.model:
        return None
    with needing("services"):
        import_module("httpx")  # now, and not when it is first asked
    reference = parse(settings.model)
    if reference.kind != "server" or reference.base_url is None:
        told = f"The grounding model {settings.model!r} names no endpoint."
        raise UsageError(told, hint="Write the address of an OpenAI-compatible server: http://127.0.0.1:8000/v1#ui-tars")
    key = (os.environ if environment is None else environment).get(KEY_VARIABLE, "").strip()
    if key and reference.base_url.startswith("http:") and not on_this_machine(reference.base_url):
        told = f"The key in {KEY_VARIABLE} would be sent to {reference.base_url} unencrypted."
        raise UsageError(told, hint="Write the address with https://.")
    price = (prices or {}).get(settings.model)
    return OpenAIGrounder(settings.model, reference.base_url, reference.name, settings.coordinates, key, price)


async def tried(grounder: OpenAIGrounder) -> str:
    """What is wrong with the point that a grounder finds for a red square in a white picture; '' if the point is in it.

    Raises ModelFailure if the model gives no answer.
    """
    picture, place = Image.new("RGB", (640, 400), "white"), (420, 240, 500, 320)
    picture.paste((220, 20, 20), place)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    quick = replace(grounder, seconds=PROBE_SECONDS)
    found = (await quick.point(buffer.getvalue(), "the red square")).point
    if found is None:
        return "names no point of a picture with a red square"
    inside = place[0] <= found[0] < place[2] and place[1] <= found[1] < place[3]
    return "" if inside else f"finds a red square at {found[0]}, {found[1]}, where it is not"


def read_point(raw: str, size: tuple[int, int], coordinates: Coordinates) -> tuple[int, int] | None:
    """The point that a reply names, in pixels of a picture of this ``size``; None if it names none, or one outside of it."""
    named = list(_NAMED.finditer(raw))
    together = list(_TOGETHER.finditer(raw))
    if named and (not together or named[-1].end() >= together[-1].end()):
        numbers = [float(number) for number in named[-1].groups()]
    elif together:
        numbers = [float(number) for number in re.findall(_NUMBER, together[-1][0])]
    else:
        return None
    if len(numbers) == 4:
        numbers = [(numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2]
    if len(numbers) != 2:
        return None
    of = {"pixels": (1.0, 1.0), "thousandths": (size[0] / 1000, size[1] / 1000), "fractions": (size[0], size[1])}[
        coordinates
    ]
    x, y = round(numbers[0] * of[0]), round(numbers[1] * of[1])
    # The very edge is the last pixel: 1000 of 1000.
    x, y = x - (x == size[0]), y - (y == size[1])
    return (x, y) if 0 <= x < size[0] and 0 <= y < size[1] else None
