"""Limits the size of a model server's replies before anything else reads them, compressed and decompressed.

The deadline of each call limits the time.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

import httpx2

LARGEST = 8 << 20
"""The maximum size of a decompressed reply in bytes. The longest reply of a model has some hundred thousand."""
_PACKED = "gzip, deflate"
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


class TooLarge(httpx2.ReadError):
    """A reply is larger than any model writes, or compressed in a way that was not requested. Retrying cannot help."""


class _Bounded(httpx2.AsyncByteStream):
    """A reply's decompressed bytes, up to the limit. ``encoding``: its compression, '' if there is none."""

    def __init__(self, stream: httpx2.AsyncByteStream, encoding: str, request: httpx2.Request) -> None:
        self._stream, self._request = stream, request
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise TooLarge(f"the reply is compressed as {encoding[:40]!r}, which was not requested", request=request)
        self._unpacking = None if encoding in ("", "identity") else zlib.decompressobj(_GZIP_OR_ZLIB)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = LARGEST
        async for packed in self._stream:
            for chunk in self._unpacked(packed, left):
                left -= len(chunk)
                if left < 0:
                    raise TooLarge(
                        f"the reply has more than {LARGEST >> 20} MB, which no model writes", request=self._request
                    )
                yield chunk

    def _unpacked(self, packed: bytes, left: int) -> list[bytes]:
        """Decompress at most one byte more than what is ``left``, so that a decompression bomb is never unpacked whole."""
        if self._unpacking is None:
            return [packed]
        try:
            return [self._unpacking.decompress(packed, left + 1)]
        except zlib.error as error:
            raise TooLarge("the reply cannot be decompressed", request=self._request) from error

    async def aclose(self) -> None:
        await self._stream.aclose()


async def ask_for_little(request: httpx2.Request) -> None:
    """Request only encodings that :func:`bound` can decompress within limits."""
    request.headers["accept-encoding"] = _PACKED


async def bound(response: httpx2.Response) -> None:
    """Make reading the response stop if it is too large. Called before any of its body is read."""
    encoding = response.headers.pop("content-encoding", "").strip().casefold()
    stream = response.stream
    assert isinstance(stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(stream, encoding, response.request)
