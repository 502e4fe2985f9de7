"""Values of secrets in other ways of writing: all are found, and little else."""

from __future__ import annotations

import base64
import codecs
import html
import json
import quopri
import random
import string
import time
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deskcrew.secrets.binding import Binding, Secret
from deskcrew.secrets.disguises import Disguises
from deskcrew.secrets.redactor import Redactor

VALUE = "Tr0ub4dor&3 Zürich"


def broken(text: str, by: str, every: int = 5) -> str:
    return by.join(text[at : at + every] for at in range(0, len(text), every))


WAYS: dict[str, Callable[[str], str]] = {
    "as it is": lambda value: value,
    "repr": repr,
    "ascii": ascii,
    "repr of bytes": lambda value: repr(value.encode()),
    "repr of UTF-16": lambda value: repr(value.encode("utf-16-le")),
    "UTF-16 read as text": lambda value: value.encode("utf-16-le").decode("latin-1"),
    "json": json.dumps,
    "json in json": lambda value: json.dumps(json.dumps(value)),
    "all of it escaped": lambda value: "".join(f"\\u{ord(one):04x}" for one in value),
    "escaped as in JavaScript": lambda value: "".join(f"\\u{{{ord(one):x}}}" for one in value),
    "octal escapes": lambda value: "".join(f"\\{byte:03o}" for byte in value.encode("utf-16-be") if byte),
    "upper": str.upper,
    "lower": str.lower,
    "title": str.title,
    "wrapped": lambda value: broken(value, "\n    "),
    "hyphenated": lambda value: broken(value, "-\n"),
    "soft hyphens": lambda value: broken(value, "\u00ad"),
    "zero width": lambda value: broken(value, "\u200b", 1),
    "spaced": lambda value: " ".join(value),
    "a letter a line": lambda value: "\n".join(value),
    "a list": lambda value: str(list(value)),
    "reversed": lambda value: value[::-1],
    "decimal codes": lambda value: str([ord(one) for one in value]),
    "bytes": lambda value: str(list(value.encode())),
    "bytes of UTF-16": lambda value: str(list(value.encode("utf-16-le"))),
    "octal codes": lambda value: " ".join(f"{ord(one):o}" for one in value),
    "octal codes of Python": lambda value: ", ".join(oct(ord(one)) for one in value),
    "hex codes": lambda value: ", ".join(f"0x{byte:02X}" for byte in value.encode()),
    "hex": lambda value: value.encode().hex(" "),
    "hex over lines": lambda value: broken(value.encode().hex(), "\n", 7),
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64, one in": lambda value: base64.b64encode(b"x" + value.encode() + b"yz").decode(),
    "base64, two in": lambda value: base64.b64encode(b"xy" + value.encode() + b"z").decode(),
    "base64 for addresses": lambda value: base64.urlsafe_b64encode(value.encode()).decode().rstrip("="),
    "base64 with spaces": lambda value: " ".join(base64.b64encode(value.encode()).decode()),
    "base64 of UTF-16": lambda value: base64.b64encode(value.encode("utf-16-le")).decode(),
    "base32": lambda value: base64.b32encode(value.encode()).decode(),
    "base32, three in": lambda value: base64.b32encode(b"abc" + value.encode()).decode().lower(),
    "rot13": lambda value: codecs.encode(value, "rot13"),
    "entities": lambda value: "".join(f"&#{ord(one)};" for one in value),
    "hex entities": lambda value: "".join(f"&#x{ord(one):x};" for one in value),
    "named entities": html.escape,
    "percent": lambda value: "".join(f"%{byte:02X}" for byte in value.encode()),
    "quoted": quote,
    "quoted-printable": lambda value: quopri.encodestring(value.encode(), quotetabs=True).decode(),
    "all of it quoted-printable": lambda value: "".join(f"={byte:02X}" for byte in value.encode()),
    "quoted-printable lines": lambda value: broken(value, "=\n"),
}  # fmt: skip


def redactor(*values: str) -> Redactor:
    return Redactor(Secret(f"s{at}", value, Binding(apps=("x",))) for at, value in enumerate(values))


@pytest.mark.parametrize("way", WAYS)
def test_each_way(way: str) -> None:
    text = f"It says: {WAYS[way](VALUE)} and goes on."
    clean = redactor(VALUE).text(text)
    assert "[secret s0]" in clean, text
    assert clean.startswith("It says: ")
    assert clean.endswith(" and goes on.")
    left = clean.replace("[secret s0]", "")
    # A letter that is made of the value and of what is beside it may stay, and what an escape of the last one begins with.
    assert sum(one.isalnum() for one in left) <= len("Itsaysandgoeson") + 8, clean


ORDINARY = string.ascii_letters + string.digits + string.punctuation + " äöüßéñж中"
values = st.text(ORDINARY, min_size=10, max_size=40).filter(
    lambda value: sum(one.isalnum() for one in value) >= 10 and value.strip() == value and value.isprintable()
)


@example("000000000ж", "bytes of UTF-16", "", "")
@example("00000000ß0", "json in json", "", "")
@example("0000000ß%00", "ascii", "", "")
@given(value=values, way=st.sampled_from(sorted(WAYS)), before=st.text(max_size=30), after=st.text(max_size=30))
def test_any_value_in_any_way(value: str, way: str, before: str, after: str) -> None:
    if way in ("octal codes", "UTF-16 read as text", "repr of UTF-16") and any(ord(one) > 255 for one in value):
        return
    if way == "octal escapes" and not value.isascii():
        return  # not a way of writing them
    # What is beside it is told apart by what no way of writing uses.
    clean = redactor(value).text(f"{before} | \x1f {WAYS[way](value)} \x1f | {after}")
    assert "[secret s0]" in clean
    again = redactor(value).text(clean)
    assert again == clean


@given(value=values, text=st.text(max_size=300))
def test_what_holds_no_value_stays(value: str, text: str) -> None:
    folded = "".join(one for one in text.casefold() if one.isalnum())
    if len(folded) < 8:
        assert redactor(value).text(text) == text or value[:4] in text


def test_what_it_costs_is_linear() -> None:
    """Four times the text costs about four times as much, whatever it is made of."""
    made = random.Random(1)
    kinds = {
        "prose": lambda n: " ".join(made.choice(["the", "horse", "correct", "battery", "staple"]) for _ in range(n // 6)),
        "numbers": lambda n: ", ".join(str(made.randrange(256)) for _ in range(n // 5)),
        "escapes": lambda n: "\\u0041" * (n // 6),
        "one letter": lambda n: "a" * n,
    }
    one = redactor("correct horse battery", "a" * 30)
    for name, make in kinds.items():
        spent: list[float] = []
        for size in (50_000, 200_000):
            text = make(size)
            began = time.process_time()
            one.text(text)
            spent.append(time.process_time() - began)
        assert spent[1] < 12 * spent[0] + 0.5, (name, spent)


def test_little_else_is_found() -> None:
    """Much of prose, numbers and random letters, and twenty values of each length that were drawn at random."""
    made = random.Random(7)
    letters = "".join(made.choice(string.ascii_letters + string.digits + "  \n") for _ in range(150_000))
    digits = " ".join(str(made.randrange(10**6)) for _ in range(30_000))
    prose = (string.__doc__ or "") * 25
    made_up = string.ascii_letters + string.digits
    drawn = ["".join(made.choice(made_up) for _ in range(length)) for length in (8, 10, 12) for _ in range(20)]
    text = letters + digits + prose
    assert Disguises(drawn).find(text) == []
    # They would have been found.
    (found,) = Disguises(drawn).find("-".join(drawn[-1]))
    assert (found.secret, found.start, found.end) == (len(drawn) - 1, 0, 23)
