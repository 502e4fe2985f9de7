"""What a hostile model server may send: bombs, endless streams, depths. A call ends, in little memory, as an answer or an
error; it is never repeated where that cannot help."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.errors import ModelFailure
from deskcrew.models.client import Malformed
from support.waiting import LATEST

from .conftest import Choice, ask
from .test_pydantic_ai import CHAT, GOOD, Stub, completion, stub

if TYPE_CHECKING:
    from deskcrew.models.pydantic_ai import PydanticAIModel

__all__ = ["stub"]
pytestmark = pytest.mark.anyio


class Anything(BaseModel):
    held: dict[str, Any]


def bomb(size: int) -> bytes:
    """So many zeros, packed a thousand times smaller."""
    packing = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    zeros = bytes(1 << 20)
    return b"".join([packing.compress(zeros) for _ in range(size >> 20)] + [packing.flush()])


def answering(body: bytes, encoding: str) -> Callable[[Request], Response]:
    return lambda _: Response(body, content_type="application/json", headers={"Content-Encoding": encoding})


async def refused(model: PydanticAIModel) -> str:
    with pytest.raises(ModelFailure) as found:
        await model.answer(ask(deadline=LATEST), Choice)
    return str(found.value)


@pytest.mark.deep
async def test_a_bomb_is_not_unpacked(httpserver: HTTPServer, stub: Stub) -> None:
    packed = bomb(512 << 20)
    httpserver.expect_request(CHAT).respond_with_handler(answering(packed, "gzip"))
    model = stub()
    tracemalloc.start()
    try:
        assert "more than 8 MB" in await refused(model)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    assert len(httpserver.log) == 1, "asking again cannot help"


async def test_an_endless_reply_ends_by_its_size(httpserver: HTTPServer, stub: Stub) -> None:
    def forever(_: Request) -> Response:
        def chunks() -> Any:
            for _ in range(4096):  # 256 MB: as good as endless, and not for ever
                yield b" " * (64 << 10)

        return Response(chunks(), content_type="application/json")

    httpserver.expect_request(CHAT).respond_with_handler(forever)
    assert "more than 8 MB" in await refused(stub())
    assert len(httpserver.log) <= 1


async def test_what_was_not_asked_for_is_not_unpacked(httpserver: HTTPServer, stub: Stub) -> None:
    httpserver.expect_request(CHAT).respond_with_handler(answering(b"x" * 100, "br"))
    assert "'br'" in await refused(stub())


async def test_what_is_not_packed_as_it_says(httpserver: HTTPServer, stub: Stub) -> None:
    httpserver.expect_request(CHAT).respond_with_handler(answering(b"x" * 100, "gzip"))
    assert "cannot be decompressed" in await refused(stub())


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
async def test_an_honest_packed_reply_is_read(httpserver: HTTPServer, stub: Stub, pack: Callable[[bytes], bytes]) -> None:
    encoding = "gzip" if pack is gzip.compress else "deflate"
    httpserver.expect_request(CHAT).respond_with_handler(answering(pack(json.dumps(completion()).encode()), encoding))
    answer = await stub().answer(ask(deadline=LATEST), Choice)
    assert not isinstance(answer.value, Malformed)
    assert answer.raw == GOOD


@pytest.mark.parametrize("depth", [150, 2_000, 200_000])
@pytest.mark.parametrize("tool", [False, True])
async def test_a_deep_reply_is_told_to_the_model(httpserver: HTTPServer, stub: Stub, depth: int, tool: bool) -> None:
    deep = '{"held":' * depth + "{}" + "}" * depth
    reply = completion(None, tool=deep) if tool else completion(deep)
    httpserver.expect_request(CHAT).respond_with_json(reply)
    for kind in (Choice, Anything):
        answer = await stub(output="tool" if tool else "native").answer(ask(deadline=LATEST), kind)
        if kind is Choice or depth > 1000:
            assert isinstance(answer.value, Malformed)
            assert "repl" in answer.value.error.casefold()


async def test_a_body_that_is_too_deep_is_no_completion(httpserver: HTTPServer, stub: Stub) -> None:
    deep = ("[" * 200_000 + "]" * 200_000).encode()
    httpserver.expect_request(CHAT).respond_with_data(deep, content_type="application/json")
    assert "completion" in await refused(stub())
