"""D-Bus messages on the hot path: calls assembled from prepared pieces, replies decoded by fixed signature.

Observing a window takes several hundred small calls. Building each with a general library costs more than the program on the
other side needs to answer it, so the parts that never change are prepared once per method and the reply decoders know the
signature they read. Everything rare goes through jeepney (connection.py). Little-endian throughout, as is every program on
the machines we run on; a big-endian reply is refused.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
HEADER = struct.Struct("<BBBBIII")
NUMBER = struct.Struct("<I")
BOX = struct.Struct("<iiii")
FIELD_INTERFACE, FIELD_MEMBER, FIELD_DESTINATION, FIELD_SIGNATURE = 2, 3, 6, 8
PROPERTIES = "org.freedesktop.DBus.Properties"


class WireMethod(NamedTuple):
    """A method with a body that is always the same (or given as bytes at each call)."""

    interface: str
    member: str
    signature: str = ""
    body: bytes = b""


class ObjectReference(NamedTuple):
    """An accessible object: the bus name of its program, its path there."""

    name: str
    path: str


def pad(data: bytes, step: int) -> bytes:
    """``data`` filled with zeros to a multiple of ``step`` bytes."""
    return data + b"\0" * (-len(data) % step)


def encode_string(text: str) -> bytes:
    """A D-Bus string, without padding after it."""
    raw = text.encode()
    return NUMBER.pack(len(raw)) + raw + b"\0"


def encode_field(code: int, kind: str, text: str) -> bytes:
    """A header field that holds text, padded so that another can follow."""
    if kind == "g":
        raw = text.encode()
        return pad(bytes((code, 1)) + b"g\0" + bytes((len(raw),)) + raw + b"\0", 8)
    return pad(bytes((code, 1)) + kind.encode() + b"\0" + encode_string(text), 8)


def get_property(interface: str, name: str) -> WireMethod:
    """The call that reads a property."""
    return WireMethod(PROPERTIES, "Get", "ss", pad(encode_string(interface), 4) + encode_string(name))


def method_fields(method: WireMethod, destination: str | None) -> bytes:
    """The header fields of a call that are independent of the object: all but the path."""
    fields = encode_field(FIELD_INTERFACE, "s", method.interface) + encode_field(FIELD_MEMBER, "s", method.member)
    if destination is not None:
        fields += encode_field(FIELD_DESTINATION, "s", destination)
    if method.signature:
        fields += encode_field(FIELD_SIGNATURE, "g", method.signature)
    return fields


def encode_call(fields: bytes, path: bytes, serial: int, body: bytes) -> bytes:
    """A method call. The path comes last, so that nothing before it has to move."""
    size = len(path)
    length = len(fields) + 9 + size
    head = HEADER.pack(108, CALL, 0, 1, len(body), serial, length)
    tail = b"\x01\x01o\0" + NUMBER.pack(size) + path + b"\0"
    return head + fields + tail + b"\0" * (-(length + 16) % 8) + body


def reply_serial(message: bytes, length: int) -> int:
    """The serial of the call that ``message`` answers; its header fields take ``length`` bytes."""
    at = message.find(b"\x05\x01u\0", 16, 16 + length)
    return NUMBER.unpack_from(message, at + 4)[0] if at >= 0 else 0


def decode_number(body: bytes) -> int:
    """A reply of signature ``u``."""
    return NUMBER.unpack_from(body)[0]


def decode_states(body: bytes) -> int:
    """A reply of signature ``au`` with two words: the state set as one 64-bit number."""
    return int.from_bytes(body[4:12], "little")


def decode_string(body: bytes, at: int = 0) -> str:
    """The string at an offset."""
    size = NUMBER.unpack_from(body, at)[0]
    return body[at + 4 : at + 4 + size].decode("utf-8", "replace")


def decode_variant_string(body: bytes) -> str:
    """A reply of signature ``v`` that contains a string."""
    return decode_string(body, 4) if body[1:2] == b"s" else ""


def decode_variant_int(body: bytes) -> int:
    """A reply of signature ``v`` that contains an int32."""
    return struct.unpack_from("<i", body, 4)[0] if body[1:2] == b"i" else 0


def decode_variant_double(body: bytes) -> float:
    """A reply of signature ``v`` that contains a double."""
    return struct.unpack_from("<d", body, 8)[0] if body[1:2] == b"d" else 0.0


def decode_box(body: bytes) -> tuple[int, int, int, int]:
    """A reply of signature ``(iiii)``."""
    return BOX.unpack_from(body)


def decode_reference(body: bytes) -> ObjectReference:
    """A reply of signature ``(so)``."""
    return reference_at(body, 0)[0]


def reference_at(body: bytes, at: int) -> tuple[ObjectReference, int]:
    """The ``(so)`` at an offset, and the offset of its end."""
    size = NUMBER.unpack_from(body, at)[0]
    name = body[at + 4 : at + 4 + size].decode()
    at = at + 5 + size
    at += -at % 4
    size = NUMBER.unpack_from(body, at)[0]
    return ObjectReference(name, body[at + 4 : at + 4 + size].decode()), at + 5 + size


def decode_references(body: bytes) -> list[ObjectReference]:
    """A reply of signature ``a(so)``."""
    end = 8 + NUMBER.unpack_from(body)[0]
    at, found = 8, list[ObjectReference]()
    while at < end:
        reference, at = reference_at(body, at)
        at += -at % 8
        found.append(reference)
    return found


def decode_strings(body: bytes) -> list[str]:
    """A reply of signature ``as``."""
    end = 4 + NUMBER.unpack_from(body)[0]
    at, found = 4, list[str]()
    while at < end:
        at += -at % 4
        text = decode_string(body, at)
        at += 5 + NUMBER.unpack_from(body, at)[0]
        found.append(text)
    return found


def decode_relations(body: bytes) -> list[tuple[int, list[ObjectReference]]]:
    """A reply of signature ``a(ua(so))``: kinds of relation, with their targets."""
    end = 8 + NUMBER.unpack_from(body)[0]
    at, found = 8, list[tuple[int, list[ObjectReference]]]()
    while at < end:
        kind, size = struct.unpack_from("<II", body, at)
        at += 8
        stop = at + size
        targets: list[ObjectReference] = []
        while at < stop:
            reference, at = reference_at(body, at)
            targets.append(reference)
            at += -at % 8
        at = max(at, stop)
        at += -at % 8
        found.append((kind, targets))
    return found


def signal_source(message: bytes) -> ObjectReference:
    """The source of a signal: bus name and object, each '' if the message does not say."""
    end = 16 + NUMBER.unpack_from(message, 12)[0]
    sender, path = message.find(b"\x07\x01s\0", 16, end), message.find(b"\x01\x01o\0", 16, end)
    return ObjectReference(
        decode_string(message, sender + 4) if sender >= 0 else "", decode_string(message, path + 4) if path >= 0 else ""
    )
