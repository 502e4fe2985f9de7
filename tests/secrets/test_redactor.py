"""Values are found in whatever way a program may write them, and nothing else is touched."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.facts.events import ActionFinished, Operation
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.secrets.redactor import Redactor
from support.canary import CANARY, VALUE, forms, spoken, told_in

BOUND = Binding(apps=("a",))
REDACTOR = Redactor([CANARY])


@pytest.mark.parametrize("form", forms())
def test_each_form_is_replaced(form: str) -> None:
    clean = REDACTOR.text(f"before {forms()[form]} after")
    assert clean.startswith("before ")
    assert "[secret mail]" in clean
    assert forms()[form] not in clean


def test_a_text_with_all_of_them_tells_nothing() -> None:
    assert len(told_in(spoken().encode())) == len(forms())
    assert told_in(REDACTOR.text(spoken()).encode()) == []
    assert told_in(REDACTOR.data(spoken().encode())) == []


@given(
    st.text(st.characters(exclude_categories=("C",)), min_size=4, max_size=24).filter(str.strip),
    st.binary(max_size=7),
    st.binary(max_size=7),
)
def test_base64_at_any_place(value: str, before: bytes, after: bytes) -> None:
    redactor = Redactor([Secret("s", value, BOUND)])
    for encode in (base64.b64encode, base64.urlsafe_b64encode, base64.encodebytes):
        assert redactor.holds(encode(before + value.encode() + after).decode())


@given(st.text(), st.sampled_from([*forms().values(), "{{secret:mail}}", "[secret mail]", "c4n@…", ""]), st.text())
def test_twice_changes_nothing(before: str, form: str, after: str) -> None:
    once = REDACTOR.text(before + form + after)
    assert REDACTOR.text(once) == once


@given(st.binary())
def test_bytes_without_a_value_are_left_alone(data: bytes) -> None:
    assert REDACTOR.data(data) == data


def test_of_two_the_longer_is_named_and_a_name_is_no_value() -> None:
    redactor = Redactor([Secret("short", "mail", BOUND), Secret("mail", "mail-box", BOUND)])
    assert redactor.text("mail-box, mail, {{secret:mail}}") == "[secret mail], [secret short], {{secret:mail}}"


@pytest.mark.parametrize("mark", ["…", "...", "\n[cut here: 900 of 1200 bytes are left out]\n"])
def test_a_value_that_was_cut(mark: str) -> None:
    assert REDACTOR.text(f"it reads {VALUE[:9]}{mark}") == f"it reads [secret mail]{mark}"


def test_an_event_is_cleaned_in_keys_and_values() -> None:
    operation = Operation(function="write_file", params={VALUE: [f"<{VALUE}>"]})
    clean = REDACTOR.model(ActionFinished(role="r", subtask="1", operation=operation, ok=True, text=spoken()))
    assert told_in(clean.model_dump_json().encode()) == []
    assert clean.operation.params == {"[secret mail]": ["<[secret mail]>"]}


def test_an_exception_is_cleaned_with_what_caused_it() -> None:
    error = ValueError(f"no {VALUE}", {"key": VALUE})
    error.__cause__ = FileNotFoundError(2, "No such file", f"/tmp/{VALUE}")
    error.add_note(VALUE)
    REDACTOR.exception(error)
    told = (str(error), str(error.__cause__), repr(error), *error.__notes__)
    assert told_in("\n".join(told).encode()) == []


def test_without_secrets_nothing_is_looked_at() -> None:
    event = ActionFinished(role="r", subtask="1", operation=Operation(function="f"), ok=True, text=VALUE)
    assert Redactor().model(event) is event
    assert not Redactor()
    assert Redactor().text(VALUE) is VALUE
