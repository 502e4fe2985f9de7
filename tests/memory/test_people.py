"""Several people's memories in one database: each finds their own, and settles, forgets and declines their own."""

from __future__ import annotations

from deskcrew.learning.memory.declaring import declare
from deskcrew.learning.memory.entry import Entry, entry_id
from deskcrew.learning.memory.sentences import SentenceEmbedder
from deskcrew.learning.memory.store import Memory
from support.places import Place

EMBEDDER = SentenceEmbedder()
WANTED = "Add up the amounts in sales.csv"


def of(place: Place, person: str) -> Memory:
    return Memory(place.path.with_name("memory.db"), EMBEDDER, address=place.address, person=person)


def lesson(run: str, decision: str) -> Entry:
    return Entry(
        id=entry_id(run, "Programmer"),
        role="Programmer",
        situation=WANTED,
        decision=decision,
        run=run,
        verdict="proven",
        created=1.0,
    )


def test_everybody_recalls_their_own(place: Place) -> None:
    people = {name: of(place, name) for name in ("", "alice", "bob")}
    for name, memory in people.items():
        memory.begin(f"run-{name}", "it goes on")
        memory.settle(f"run-{name}", [lesson(f"run-{name}", name)], "over")
    for name, memory in people.items():
        assert [entry.decision for entry in memory.all()] == [name]
        assert [entry.decision for entry in memory.all(role="Programmer")] == [name]
        assert [entry.decision for entry in memory.by_words(WANTED, "Programmer", 9)] == [name]
        assert [entry.decision for entry, _ in memory.by_meaning(WANTED, "Programmer", 9)] == [name]
        assert memory.get(entry_id(f"run-{name}", "Programmer")).role == "Programmer"
    assert not of(place, "carol").holds("Programmer", "")
    assert of(place, "carol").by_meaning(WANTED, "Programmer", 9) == []


def test_what_one_begins_another_does_not_settle(place: Place) -> None:
    alice, user = of(place, "alice"), of(place, "")
    alice.begin("hers", "it goes on")
    user.begin("ours", "it goes on")
    assert (alice.unsettled(), user.unsettled(), of(place, "bob").unsettled()) == (["hers"], ["ours"], [])
    user.settle("hers", [], "over")
    assert alice.unsettled() == ["hers"]


def test_the_same_words_are_two_facts_and_one_is_forgotten(place: Place) -> None:
    alice, bob = of(place, "alice"), of(place, "bob")
    kept = [declare(memory, "Reports go to Ann.", scope="shared", place="", now=1.0) for memory in (alice, bob)]
    assert kept[0].id != kept[1].id
    alice.forget([alice.get(kept[0].id).id])
    assert alice.all() == []
    assert [fact.situation for fact in bob.all(kind="fact")] == ["Reports go to Ann."]
