"""Entries are kept whole or not at all, found by meaning and by words, and forgotten for good."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deskcrew.errors import UsageError
from deskcrew.learning.memory.entry import Entry, entry_id
from deskcrew.learning.memory.sentences import SentenceEmbedder
from deskcrew.learning.memory.store import Memory, MemoryFailure
from support.places import Place
from support.servers import PostgresServer

EMBEDDER = SentenceEmbedder()


def entry(situation: str, role: str = "Programmer", **more: Any) -> Entry:
    given: dict[str, Any] = {"run": "r1", "verdict": "proven", "created": 1.0, "decision": "run_python_code"} | more
    return Entry(id=entry_id(given["run"], role, situation), role=role, situation=situation, **given)


def opened(place: Place, embedder: Any = EMBEDDER) -> Memory:
    return Memory(place.path.with_name("memory.db"), embedder, address=place.address)


def test_nothing_is_made_by_looking(place: Place) -> None:
    memory = opened(place)
    assert not memory.holds("Programmer")
    assert (memory.all(), memory.unsettled(), memory.index()) == ([], [], 0)
    assert memory.by_meaning("Add up", "Programmer", 3) == memory.by_words("Add up", "Programmer", 3) == []
    assert place.address or not place.path.parent.exists()


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Summe der Beträge aus umsatz.csv in eine Datei schreiben", "total"),
        ("把发票移到存档文件夹", "move"),
        ("写真を日付で名前を変更する", "rename"),
        ("Réserver une salle de réunion", "book"),
    ],
)
def test_what_is_alike_is_found_in_any_language(place: Place, asked: str, meant: str) -> None:
    memory = opened(place)
    memory.settle(
        "r1",
        [
            entry("Write the total of the amounts in sales.csv to a file", decision="total"),
            entry("Move the invoices into the archive folder", decision="move"),
            entry("Rename the photos by their date", decision="rename"),
            entry("Book a meeting room", decision="book"),
        ],
        "",
    )
    found = memory.by_meaning(asked, "Programmer", 2)
    assert found[0][0].decision == meant
    assert found[0][1] >= EMBEDDER.alike > found[1][1]


def test_words_are_found_without_an_embedder_whatever_their_case_and_accents(place: Place) -> None:
    memory = opened(place, None)
    memory.settle(
        "r1", [entry("Crée le résumé de bilan.xlsx"), entry("ファイルを移動する"), entry("Open the calculator")], ""
    )
    assert [e.situation for e in memory.by_words("RESUME du bilan", "Programmer", 3)] == ["Crée le résumé de bilan.xlsx"]
    assert [e.situation for e in memory.by_words("移動", "Programmer", 3)] == ["ファイルを移動する"]
    assert memory.by_words("... ?!", "Programmer", 3) == []
    assert memory.by_meaning("Open it", "Programmer", 3) == []


def test_no_role_finds_anothers_and_what_was_withdrawn_is_found_by_none(place: Place) -> None:
    memory = opened(place)
    memory.settle("r1", [entry("Open the calculator"), entry("Open the calculator", role="Operator")], "")
    assert [e.role for e, _ in memory.by_meaning("Open the calculator", "Operator", 3)] == ["Operator"]
    memory.settle("r1", [], "it was wrong")
    for role in ("Operator", "Programmer"):
        assert memory.by_meaning("Open the calculator", role, 3) == memory.by_words("calculator", role, 3) == []
        assert not memory.holds(role)
    assert {e.withdrawn for e in memory.all(withdrawn=True)} == {"it was wrong"}
    memory.settle("r1", [entry("Open the calculator")], "")
    assert [e.withdrawn for e, _ in memory.by_meaning("Open the calculator", "Programmer", 3)] == [""]


def test_what_fails_in_the_middle_leaves_nothing(place: Place) -> None:
    memory = opened(place)
    memory.begin("r1", "")
    same = entry("Open the calculator", run="r0")
    memory.add(same)
    with pytest.raises(MemoryFailure):  # the second one has an id that is taken
        memory.settle("r1", [entry("Move the files"), same], "")
    assert [e.situation for e in memory.all()] == ["Open the calculator"]
    assert memory.unsettled() == ["r1"]
    assert memory.by_words("files", "Programmer", 3) == []


def test_what_is_forgotten_is_nowhere(place: Place) -> None:
    memory = opened(place)
    kept, gone = entry("Open the calculator"), entry("Write to Heliogabalus about the party")
    memory.settle("r1", [kept, gone], "")
    memory.index()
    assert memory.forget([gone.id, "nothing"]) == 1
    assert memory.by_words("Heliogabalus", "Programmer", 3) == []
    assert [e for e, _ in memory.by_meaning("a letter about a party", "Programmer", 3)] == [kept]
    memory.settle("r1", [kept, gone], "")
    assert memory.bring_in([gone]) == 0
    assert memory.all() == [kept]
    memory.close()
    if place.address:
        return
    with sqlite3.connect(memory.path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    assert b"eliogabalus" not in memory.path.read_bytes()
    assert memory.path.stat().st_mode & 0o077 == 0


def test_a_server_keeps_nothing_derived_from_what_was_forgotten(pgvector: PostgresServer, tmp_path: Path) -> None:
    place = Place(tmp_path / "journal.db", pgvector.journal())
    memory = opened(place)
    gone = entry("Write to Heliogabalus about the party")
    memory.settle("r1", [gone], "")
    assert memory.index() == 1
    memory.forget([gone.id])
    import psycopg

    with psycopg.connect(place.address) as connection:
        for table in ("entries", "terms", "words", "waiting", "vectors", "codes", "halfvec", "signs"):
            assert connection.execute(f"SELECT count(*) FROM memory_{table}".encode()).fetchone() == (0,), table


def test_the_rarest_words_count_most(place: Place) -> None:
    memory = opened(place, None)
    common = [entry(f"Open the file {letter}") for letter in "abcdefgh"]
    memory.settle("r1", [*common, entry("Print the sarcophagus")], "")
    found = memory.by_words("Open the sarcophagus", "Programmer", 2)
    assert found[0].situation == "Print the sarcophagus"
    assert memory.by_words("Open the file h", "Programmer", 1)[0].situation == "Open the file h"


def test_a_word_of_any_length_is_kept(place: Place) -> None:
    memory = opened(place, None)
    word = "\U00010380" * 600  # four bytes each: longer than a full-text index takes
    memory.settle("r1", [entry(word)], "")
    assert [e.situation for e in memory.by_words(word, "Programmer", 1)] == [word]


def test_two_that_write_at_once_lose_nothing(place: Place) -> None:
    def write(who: str) -> None:
        memory = opened(place, Other())
        for number in range(6):
            run = f"{who}{number}"
            memory.begin(run, "")
            memory.settle(run, [entry(f"Open the file {run}", run=run), entry("Close it", run=run)], "")
            memory.index()
        memory.close()

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(write, "abc"))
    memory = opened(place, Other())
    assert len(memory.all()) == 36
    assert (memory.unsettled(), memory.index()) == ([], 0)
    assert len(memory.by_words("close", "Programmer", 50)) == 18
    assert len(memory.by_meaning("Close it", "Programmer", 50)) == 36


def test_what_one_machine_keeps_another_finds(postgres: PostgresServer, tmp_path: Path) -> None:
    here = Place(tmp_path / "here" / "journal.db", postgres.journal())
    there = here.elsewhere(tmp_path / "there")
    first, second = opened(here, None), opened(there, None)
    assert not second.holds("Programmer")
    first.settle("r1", [entry("Open the calculator")], "")
    assert [e.situation for e in second.by_words("calculator", "Programmer", 1)] == ["Open the calculator"]


def test_vectors_move_into_pgvector_once_it_is_there(pgvector: PostgresServer, tmp_path: Path) -> None:
    address = pgvector.journal()
    without = Place(tmp_path / "journal.db", address.replace("%2Cpublic", ""))
    memory = opened(without)
    memory.settle("r1", [entry("Open the calculator"), entry("Bake bread")], "")
    assert (memory.index(), memory.in_pgvector()) == (2, False)
    again = opened(Place(tmp_path / "journal.db", address))
    assert again.in_pgvector()
    assert again.by_meaning("Bake a loaf of bread", "Programmer", 1)[0][0].situation == "Bake bread"
    back = opened(without)
    assert back.by_meaning("Bake a loaf of bread", "Programmer", 1)[0][0].situation == "Bake bread"


def test_a_server_that_cannot_be_reached_is_said_to_be(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.db", address=f"postgresql://deskcrew@/deskcrew?host={tmp_path}")
    with pytest.raises(MemoryFailure, match="cannot be reached") as raised:
        memory.holds("Programmer")
    assert "Runs go on without it." in raised.value.hint


def test_a_reworded_entry_is_found_by_its_new_words_only(place: Place) -> None:
    memory = opened(place)
    memory.settle("r1", [entry("Open the calculator"), entry("Bake bread")], "")
    memory.index()
    old = memory.all()[0]
    memory.change(old.model_copy(update={"situation": "Send the newsletter"}))
    assert memory.by_words("calculator", "Programmer", 3) == []
    assert memory.by_meaning("Send out a newsletter", "Programmer", 1)[0][0].id == old.id


class Other:
    """An embedder of another kind."""

    name, dimensions, alike = "other", 3, 0.9

    def embed(self, texts: Sequence[str]) -> Any:
        return np.asarray([[1.0, len(text) % 2, 0.0] for text in texts], dtype=np.float32)


def test_another_embedder_has_vectors_of_its_own(place: Place) -> None:
    memory = opened(place)
    memory.settle("r1", [entry("Open the calculator")], "")
    assert memory.index() == 1
    assert memory.index() == 0
    memory.close()
    again = opened(place, Other())
    assert [cosine for _, cosine in again.by_meaning("Open", "Programmer", 1)] == [pytest.approx(1, abs=0.5)]
    assert again.index() == 0


def test_an_id_may_be_shortened_unless_several_begin_so(place: Place) -> None:
    memory = opened(place)
    for id in ("abc1", "abd2"):
        memory.add(entry(id).model_copy(update={"id": id}))
    assert memory.get("abc").situation == "abc1"
    for wrong in ("ab", "x", ""):
        with pytest.raises(UsageError):
            memory.get(wrong)


def test_blocks_of_codes_are_searched_as_one(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from deskcrew.learning.memory import codes

    monkeypatch.setattr(codes, "ROWS", 2)
    memory = opened(place)
    said = ["Open the calculator", "Move the files", "Bake bread", "Send the newsletter", "Rename photos"]
    memory.settle("r1", [entry(text) for text in said], "")
    assert [memory.by_meaning(text, "Programmer", 1)[0][0].situation for text in said] == said


@pytest.mark.deep
def test_the_nearest_codes_are_those_with_the_fewest_different_bits() -> None:
    from deskcrew.learning.memory.codes import Codes, signs

    vectors = np.random.default_rng(7).normal(size=(70_000, 512)).astype(np.float32)
    query = vectors[31_415] + 0.3 * np.random.default_rng(8).normal(size=512).astype(np.float32)
    bits = (vectors > 0) != (query > 0)
    blocks = [
        (np.arange(start, start + 35_000).tobytes(), signs(vectors[start : start + 35_000]).tobytes())
        for start in (0, 35_000)
    ]
    found = Codes(blocks).nearest(signs(query[None, :])[0], 20)
    assert found[0] == 31_415
    assert sorted(bits[found].sum(axis=1)) == sorted(bits.sum(axis=1))[:20]
