"""An event survives being written and read, and no byte of it can change unseen."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from deskcrew.facts.canonical import canonical
from deskcrew.facts.events import SCHEMA, Body, Header, HumanSaid, Operation, body_digest, event_id
from deskcrew.facts.observation import Frozen
from support.bodies import BODY_TYPES, bodies, instances, ordinary_run, values

ADAPTER: TypeAdapter[Any] = TypeAdapter(Body)
HEADER = Header(run="r", number=2, parent="p", lane="1", cause="c", time=1.5, type="human_said")


@pytest.mark.parametrize("kind", BODY_TYPES, ids=lambda kind: kind.__name__)
def test_every_type_reads_back_as_it_was_written(kind: type[Frozen]) -> None:
    @given(instances(kind))
    def round_trip(body: Frozen) -> None:
        text = body.model_dump_json()
        again = ADAPTER.validate_json(text)
        assert again == body
        assert type(again) is kind
        assert body_digest(again) == body_digest(body)
        # A journal is verified from the stored text, without today's types.
        assert hashlib.sha256(canonical(json.loads(text))).hexdigest() == body_digest(body)

    round_trip()


def test_every_type_has_its_own_tag_and_the_ordinary_run_has_one_of_each() -> None:
    tags = [kind.model_fields["type"].default for kind in BODY_TYPES]
    assert len(set(tags)) == len(tags)
    assert {type(body) for body in ordinary_run()} == set(BODY_TYPES)


@given(bodies, st.data())
def test_changing_a_field_of_a_body_changes_its_digest(body: Frozen, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(set(type(body).model_fields) - {"type"})))
    value = data.draw(values(type(body).model_fields[name].annotation))
    changed = body.model_copy(update={name: value})
    unchanged = canonical(changed.model_dump(mode="json")) == canonical(body.model_dump(mode="json"))
    assert (body_digest(changed) == body_digest(body)) == unchanged


@pytest.mark.parametrize(
    "change",
    [
        {"run": "s"},
        {"number": 3},
        {"parent": "q"},
        {"parent": None},
        {"lane": "2"},
        {"cause": None},
        {"time": 1.500001},
        {"type": "observed"},
        {"schema_version": SCHEMA + 1},
    ],
    ids=str,
)
def test_every_field_of_the_header_is_in_the_id(change: dict[str, Any]) -> None:
    assert set(Header.model_fields) == {"run", "number", "parent", "lane", "cause", "time", "type", "schema_version"}
    digest = body_digest(HumanSaid(kind="guide", text="left"))
    assert event_id(HEADER.model_copy(update=change), digest) != event_id(HEADER, digest)


def test_the_digest_is_in_the_id() -> None:
    said = [body_digest(HumanSaid(kind="guide", text=text)) for text in ("left", "right")]
    assert event_id(HEADER, said[0]) != event_id(HEADER, said[1])


def test_the_hash_is_the_documented_one() -> None:
    """Written out, so that another program can verify a journal; a change here breaks every journal there is."""
    body = HumanSaid(kind="guide", text="ü")
    said = '{"kind":"guide","role":null,"role_kind":"other","text":"ü","type":"human_said"}'
    digest = hashlib.sha256(said.encode()).hexdigest()
    assert body_digest(body) == digest
    header = '{"cause":"c","lane":"1","number":2,"parent":"p","run":"r","schema_version":5,"time":1.5,"type":"human_said"}'
    assert event_id(HEADER, digest) == hashlib.sha256(f"p\0{header}\0{digest}".encode()).hexdigest()


def test_canonical_json_does_not_depend_on_the_order_of_keys() -> None:
    one = Operation(function="f", params={"b": 1, "a": {"d": 2, "c": 3}})
    other = Operation(function="f", params={"a": {"c": 3, "d": 2}, "b": 1})
    assert canonical(one.model_dump(mode="json")) == canonical(other.model_dump(mode="json"))


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.integers().map(float) | st.text(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(), inside, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
@example({"a": 0.0, "b": -0.0, "c": "-0.0,1.0]", "d": ['x\\"1.0', 1e16, 1e-5, 0.0001, 2**53, 2**53 - 1, -3.0]})
@example({"\ue000": 1, "\U00010000": 2})
@example(["\ud800"])
@example([float("nan")])
@example({"a": {1, 2}})
def test_canonical_json_is_that_of_the_library(value: Any) -> None:
    try:
        expected = rfc8785.dumps(value)
    except ValueError:
        with pytest.raises(ValueError):
            canonical(value)
    else:
        assert canonical(value) == expected


def test_events_cannot_be_changed_and_take_no_unknown_fields() -> None:
    said = HumanSaid(kind="guide")
    with pytest.raises(ValidationError):
        said.text = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        ADAPTER.validate_python({"type": "human_said", "kind": "guide", "colour": "red"})
    with pytest.raises(ValidationError):
        ADAPTER.validate_python({"type": "no_such_event"})
