"""A run as one file, and back: the same, or nothing. Files that nobody of ours wrote are refused."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

from deskcrew.engine.replay.replay import replay
from deskcrew.errors import JournalError, UsageError
from deskcrew.facts import events as e
from deskcrew.facts.canonical import canonical
from deskcrew.facts.events import Header, event_id
from deskcrew.facts.verdict import Outcome
from deskcrew.journal import migrate
from deskcrew.journal.branches import branches, name_branch
from deskcrew.journal.exporting import export
from deskcrew.journal.importing import Imported, read_export
from deskcrew.journal.journal import Journal, path_to
from deskcrew.journal.redaction import REDACTED, without_texts
from deskcrew.journal.store import Store
from deskcrew_bench.cassettes import CASES, Case, make
from support.bodies import ordinary_run, started

pytestmark = pytest.mark.anyio

Entries = dict[str, bytes]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def case(name: str) -> Case:
    return next(each for each in CASES if each.name.startswith(name))


def small(folder: Path, run: str = "run-1", task: str = "Say what 6 * 7 is") -> Journal:
    """A run with three events and two blobs, one of them the file of a save point."""
    journal = Store(folder / "journal.db").create(started(task), run=run)
    file = journal.blob(b"the file")
    manifest = json.dumps([1, [["", "folder", 493, 1], ["a", "file", 420, 1, 8, "", file, True]]], separators=(",", ":"))
    journal.append(e.Saved(manifest=journal.blob(manifest)))
    journal.append(e.HumanSaid(kind="guide", text="a sentence"))
    journal.commit()
    return journal


def entries(file: Path) -> Entries:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(file: Path, content: Entries, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return file


async def test_the_same_run_gives_the_same_bytes_and_comes_back_whole(tmp_path: Path) -> None:
    journal = await make(case("rewound"), tmp_path / "here")
    name_branch(journal, branches(journal)[1], label="in capitals", hidden=True)
    first, second = tmp_path / "a.zip", tmp_path / "b.zip"
    done = export(journal, first)
    export(Store(journal.path).journal(journal.run), second)
    assert first.read_bytes() == second.read_bytes()
    assert zipfile.ZipFile(first).testzip() is None
    shutil.rmtree(tmp_path / "here")

    store = Store(tmp_path / "there.db")
    found = read_export(first, store)
    assert (found.run, found.new, found.events, found.redacted) == (journal.run, True, done.events, 0)
    again = store.journal(found.run)
    assert again.all == journal.all
    assert again.state == journal.state
    assert store.verified(found.run).problems == ()
    assert [(b.label, b.hidden) for b in branches(again)] == [("", False), ("in capitals", True), ("", False)]
    assert [(row.id, row.outcome) for row in store.runs()] == [(journal.run, "done")]
    third = tmp_path / "c.zip"
    export(again, third)
    assert third.read_bytes() == first.read_bytes()


def test_the_files_of_save_points_go_along(tmp_path: Path) -> None:
    export(small(tmp_path), tmp_path / "a.zip")
    store = Store(tmp_path / "there.db")
    read_export(tmp_path / "a.zip", store)
    digest = hashlib.sha256(b"the file").hexdigest()
    assert store.journal("run-1").read_blob(digest) == b"the file"


def test_the_same_run_twice_changes_nothing_and_an_older_copy_neither(tmp_path: Path) -> None:
    journal = small(tmp_path)
    export(journal, tmp_path / "old.zip")
    journal.append(e.HumanSaid(kind="guide", text="more"))
    journal.commit()
    export(journal, tmp_path / "new.zip")
    store = Store(tmp_path / "there.db")
    assert read_export(tmp_path / "new.zip", store).new
    for file in ("new.zip", "old.zip"):
        found = read_export(tmp_path / file, store)
        assert (found.run, found.new) == ("run-1", False)
    assert len(store.journal("run-1").all) == 4


def test_an_altered_export_of_a_run_that_is_here_is_refused_with_the_first_event_that_differs(tmp_path: Path) -> None:
    journal = small(tmp_path)
    journal.append(e.HumanSaid(kind="guide", text="more"))
    journal.commit()
    export(journal, tmp_path / "a.zip")
    store = Store(tmp_path / "there.db")
    read_export(tmp_path / "a.zip", store)
    content = entries(tmp_path / "a.zip")
    changed_event(4, lambda event: event["body"].update(text="less"))(content)
    with pytest.raises(JournalError, match="run run-1 is already here, and differs from the file from event 4 on"):
        read_export(packed(tmp_path / "b.zip", content), store)
    said = store.journal("run-1").all[3].body
    assert isinstance(said, e.HumanSaid)
    assert said.text == "more"
    assert not read_export(tmp_path / "a.zip", store).new


def test_whether_another_person_has_a_run_is_not_told(tmp_path: Path) -> None:
    export(small(tmp_path), tmp_path / "a.zip")
    found: list[Imported] = []
    for name in ("free", "taken"):
        hers, his = (Store(tmp_path / f"{name}.db", person=person) for person in ("alice", "bob"))
        if name == "taken":
            hers.create(started(), run="run-1")
        found += [read_export(tmp_path / "a.zip", his) for _ in range(2)]
        assert [row.id for row in his.runs()] == [found[-1].run]
        assert his.verified(found[-1].run).problems == ()
        assert not hers.has(found[-1].run)
    assert found[:2] == found[2:]
    assert [each.new for each in found[:2]] == [True, False]
    export(his.journal(found[0].run), tmp_path / "b.zip")
    assert read_export(tmp_path / "b.zip", his).run == found[0].run, "it is his own"


def test_another_run_of_the_same_id_gets_a_new_one(tmp_path: Path) -> None:
    for folder, task in (("a", "one"), ("b", "another")):
        journal = small(tmp_path / folder, task=task)
        left = journal.events[-1].id
        journal.branch_at(journal.events[1], e.Rewound(undo=True, left=left))
        journal.commit()
        export(journal, tmp_path / f"{folder}.zip")
    store = Store(tmp_path / "there.db")
    read_export(tmp_path / "a.zip", store)
    found = read_export(tmp_path / "b.zip", store)
    assert (found.was, found.new) == ("run-1", True)
    assert found.run != "run-1"
    other = store.journal(found.run)
    assert store.verified(found.run).problems == ()
    assert store.verified("run-1").problems == ()
    assert other.state.task == "another"
    rewound = other.all[-1].body
    assert isinstance(rewound, e.Rewound)
    assert rewound.left == other.all[2].id, "what events say of events was changed with them"


def test_a_run_that_went_on_here_and_there_is_kept_twice(tmp_path: Path) -> None:
    """The same first events, then others."""
    journal = small(tmp_path)
    export(journal, tmp_path / "a.zip")
    store = Store(tmp_path / "there.db")
    read_export(tmp_path / "a.zip", store)
    there = store.journal("run-1")
    for each, said in ((journal, "here"), (there, "there")):
        each.append(e.HumanSaid(kind="guide", text=said))
        each.commit()
    export(journal, tmp_path / "b.zip")
    found = read_export(tmp_path / "b.zip", store)
    assert found.run != "run-1"
    texts = [store.journal(run).all[-1].body.text for run in ("run-1", found.run)]  # type: ignore[union-attr]
    assert texts == ["there", "here"]
    assert store.verified(found.run).problems == ()


# Without texts.

WORDS = "Xylophone"


def test_no_text_is_left_and_every_kind_of_event_can_still_be_folded(tmp_path: Path) -> None:
    journal = Store(tmp_path / "j.db").create(ordinary_run()[0])
    for body in ordinary_run()[1:]:
        if not isinstance(body, e.Rewound):
            journal.append(body)
    operation = e.Operation(function="keyboard_input", control=WORDS, params={"text": WORDS, WORDS: 1234567890123})
    reply = {"branch": "Continue", "reason": WORDS, "operations": [operation.model_dump(mode="json")], "sources": [WORDS]}
    journal.append(e.RoleReplied(role="Operator", subtask="2", reply=reply, error=WORDS, usage=e.Usage(input=7, cost=0.5)))
    journal.append(e.FileRead(path=WORDS, error=WORDS))
    journal.append(e.RunResumed(applications=(WORDS,), lost=(WORDS,), settings={WORDS: WORDS}, profile={"name": WORDS}))
    journal.append(e.RunInterrupted(error=WORDS))
    journal.commit()
    export(journal, tmp_path / "a.zip", redact=True)
    content = entries(tmp_path / "a.zip")
    assert sorted(content) == ["events.jsonl", "manifest.json"]
    text = content["events.jsonl"].decode()
    for word in (WORDS, "1234567890123", "Mousepad", "It is 42", "Read the table", "out.txt", "in.csv", "print"):
        assert word not in text, word
    store = Store(tmp_path / "there.db")
    found = read_export(tmp_path / "a.zip", store)
    assert found.redacted == found.events
    again = store.journal(found.run)
    assert store.verified(found.run).problems == ()
    assert store.verified(found.run).redacted == found.events
    assert [x.header for x in again.all] == [x.header for x in journal.all]
    assert again.state.spent == journal.state.spent
    assert [s.id for s in again.state.plan.subtasks] == ["1", "2"]
    kinds = [[x.body.verdict.kind for x in j.all if isinstance(x.body, e.Judged)] for j in (again, journal)]
    assert kinds[0] == kinds[1]


def test_what_is_not_known_to_be_structure_is_text() -> None:
    bare = without_texts({"type": "x", "new_field": WORDS, "deep": [{"newer": WORDS, "role": "Operator"}], "kind": "guide"})
    assert bare == {
        "type": "x",
        "new_field": REDACTED,
        "deep": [{"newer": REDACTED, "role": "Operator"}],
        "kind": "guide",
    }


def test_taking_the_texts_out_twice_is_as_once(tmp_path: Path) -> None:
    for body in ordinary_run():
        bare = without_texts(body.model_dump(mode="json"))
        assert without_texts(bare) == bare
    journal = small(tmp_path)
    export(journal, tmp_path / "a.zip", redact=True)
    store = Store(tmp_path / "there.db")
    read_export(tmp_path / "a.zip", store)
    export(store.journal("run-1"), tmp_path / "b.zip")
    assert (tmp_path / "b.zip").read_bytes() == (tmp_path / "a.zip").read_bytes()


def test_an_export_without_texts_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    export(small(tmp_path), tmp_path / "a.zip", redact=True)
    content = entries(tmp_path / "a.zip")
    content["events.jsonl"] = cut(content["events.jsonl"])
    with pytest.raises(JournalError, match="holds 2 events"):
        read_export(packed(tmp_path / "b.zip", content), Store(tmp_path / "there.db"))


def test_no_text_comes_in_with_an_event_that_claims_to_have_none(tmp_path: Path) -> None:
    """Nothing proves what is left of such an event: no words of a forger are shown for a run's."""
    export(small(tmp_path), tmp_path / "a.zip", redact=True)
    content = entries(tmp_path / "a.zip")
    changed_event(3, lambda x: x["body"].update(text="all is well"))(content)
    changed_event(1, lambda x: x["body"].update(task="another"))(content)
    store = Store(tmp_path / "there.db")
    read_export(packed(tmp_path / "b.zip", content), store)
    journal = store.journal("run-1")
    assert (journal.state.task, journal.all[2].body.text) == (REDACTED, REDACTED)  # type: ignore[union-attr]
    assert [(row.imported, row.redacted) for row in store.runs()] == [(True, True)]


def test_a_whole_export_corrects_what_a_forged_one_said(tmp_path: Path) -> None:
    """Figures and outcomes of redacted events can be forged; the list of runs believes them no longer than it must."""
    journal = small(tmp_path)
    journal.append(e.RunFinished(outcome=Outcome(status="failed", reason="gave_up")))
    journal.commit()
    export(journal, tmp_path / "bare.zip", redact=True)
    export(journal, tmp_path / "whole.zip")
    content = entries(tmp_path / "bare.zip")
    changed_event(4, lambda x: x["body"]["outcome"].update(status="done"))(content)
    store = Store(tmp_path / "there.db")
    read_export(packed(tmp_path / "b.zip", content), store)
    assert [(row.outcome, row.redacted) for row in store.runs()] == [("done", True)]
    read_export(tmp_path / "whole.zip", store)
    assert [(row.outcome, row.redacted, row.task) for row in store.runs()] == [("failed", False, "Say what 6 * 7 is")]


def test_no_other_file_is_written_over(tmp_path: Path) -> None:
    journal, target = small(tmp_path), tmp_path / "a.zip"
    export(journal, target)
    journal.append(e.HumanSaid(kind="guide", text="more"))
    journal.commit()
    assert export(journal, target).events == 4, "an earlier export of the same run may be"
    other = small(tmp_path / "other", run="run-2")
    for content in (target.read_bytes(), b"my novel", b""):
        target.write_bytes(content)
        with pytest.raises(UsageError, match="already exists") as refused:
            export(other, target)
        assert "--force" in refused.value.hint
        assert target.read_bytes() == content
    export(other, target, force=True)
    assert json.loads(entries(target)["manifest.json"])["run"] == "run-2"


@pytest.mark.parametrize("where", [".", "", "/", "..", "folder"])
@pytest.mark.parametrize("force", [False, True])
def test_a_folder_is_no_file_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, force: bool) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is a folder"):
        export(small(tmp_path), Path(where), force=force)


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not an ordinary file"):
        export(small(tmp_path), tmp_path / "pipe", force=True)
    assert (tmp_path / "pipe").is_fifo()


async def test_one_branch_alone_keeps_its_texts(tmp_path: Path) -> None:
    journal = await make(case("rewound"), tmp_path / "here")
    found = branches(journal)
    only = {event.id for event in path_to(journal.all, found[1].head)}
    export(journal, tmp_path / "a.zip", only=only)
    store = Store(tmp_path / "there.db")
    read_export(tmp_path / "a.zip", store)
    again = store.journal(journal.run)
    assert store.verified(journal.run).problems == ()
    assert again.redacted == {event.id for event in journal.all} - only
    assert (await replay(again, branches(again)[1].head)).equal
    with pytest.raises(UsageError, match="texts were removed"):
        await replay(again)


async def test_the_texts_come_back_with_a_whole_export(tmp_path: Path) -> None:
    journal = await make(case("one file"), tmp_path / "here")
    export(journal, tmp_path / "bare.zip", redact=True)
    export(journal, tmp_path / "whole.zip")
    store = Store(tmp_path / "there.db")
    read_export(tmp_path / "bare.zip", store)
    assert read_export(tmp_path / "whole.zip", store).new
    assert store.verified(journal.run).redacted == 0
    assert (await replay(store.journal(journal.run))).equal
    assert not read_export(tmp_path / "bare.zip", store).new


def test_nothing_is_written_where_a_secret_is_found(tmp_path: Path) -> None:
    journal = small(tmp_path)
    target = tmp_path / "a.zip"
    for word in (b"a sentence", b"the file"):
        with pytest.raises(UsageError, match="secrets"):
            export(journal, target, holds=lambda data, word=word: word in data)
        assert [path.name for path in tmp_path.glob("*a.zip*")] == []
    with pytest.raises(UsageError, match="cannot be written"):
        export(journal, tmp_path / "nowhere" / "a.zip")


# Files from anybody.


def changed_event(number: int, change: Callable[[dict[str, Any]], object]) -> Callable[[Entries], None]:
    def apply(content: Entries) -> None:
        lines = [json.loads(line) for line in content["events.jsonl"].splitlines()]
        change(lines[number - 1])
        content["events.jsonl"] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    return apply


def manifest(**fields: Any) -> Callable[[Entries], None]:
    def apply(content: Entries) -> None:
        content["manifest.json"] = json.dumps(json.loads(content["manifest.json"]) | fields).encode()

    return apply


def blob_changed(content: Entries) -> None:
    name = next(name for name in content if name.startswith("blobs/"))
    content[name] += b"."


def without(name: str) -> Callable[[Entries], None]:
    return lambda content: content.pop(next(each for each in content if each.startswith(name))) and None


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else []


def cut(lines: bytes) -> bytes:
    """Without the newest event."""
    return b"".join(lines.splitlines(keepends=True)[:-1])


HOSTILE: dict[str, tuple[Callable[[Entries], object], str]] = {
    "a text was changed": (changed_event(3, lambda x: x["body"].update(text="another")), "does not match its digest"),
    "a header was changed": (changed_event(3, lambda x: x["header"].update(lane="2")), "does not match its header"),
    "an event is missing": (lambda c: c.update({"events.jsonl": c["events.jsonl"].split(b"\n", 1)[1]}), "event 1"),
    "the last event is missing": (lambda c: c.update({"events.jsonl": b""}), "not those of one run"),
    "a blob was changed": (blob_changed, "was changed"),
    "a blob is missing": (without("blobs/"), "missing|belongs to no event"),
    "a blob of nobody": (lambda c: c.update({"blobs/" + hashlib.sha256(b"x").hexdigest(): b"x"}), "belongs to no event"),
    "a path that leads out": (lambda c: c.update({"../../etc/passwd": b"x"}), "does not belong to an export"),
    "an absolute path": (lambda c: c.update({"/etc/passwd": b"x"}), "does not belong to an export"),
    "a newer form": (manifest(form=2), "newer Deskcrew"),
    "no form": (manifest(form="?"), "not an export"),
    "a newer schema": (changed_event(2, lambda x: x["header"].update(schema_version=99)), "newer Deskcrew"),
    "an unknown event": (changed_event(2, lambda x: x["body"].update(type="exploded")), "event 2"),
    "a run whose name is a path": (manifest(run="../x"), "not that of a run"),
    "another run's manifest": (manifest(run="run-2"), "not those of one run"),
    "fewer events than there were": (lambda c: c.update({"events.jsonl": cut(c["events.jsonl"])}), "holds 2 events"),
    "more events than it says": (manifest(events=2), "its manifest says 2"),
    "no number of events": (manifest(events=None), "not that of a run"),
    "another last event": (manifest(head="f" * 64), "last event"),
    "no last event": (manifest(head=None), "not that of a run"),
    "no branches": (manifest(branches=5), "not that of a run"),
    "numbers out of order": (changed_event(2, lambda x: x["header"].update(number=7)), "not in its place"),
    "a parent that comes later": (changed_event(2, lambda x: x["header"].update(parent="f" * 64)), "follows no earlier"),
    "an event that is its own parent": (
        changed_event(2, lambda x: x["header"].update(parent=x["id"])),
        "follows no earlier",
    ),
    "a time that is no time": (changed_event(2, lambda x: x["header"].update(time=1e300)), "not in its place"),
    "an infinite number": (
        lambda c: c.update({"events.jsonl": c["events.jsonl"].replace(b"0.0", b"1e999")}),
        "not verify|version|not in its place",
    ),
    "not a number": (lambda c: c.update({"events.jsonl": c["events.jsonl"].replace(b"0.0", b"NaN")}), "JSON"),
    "endless nesting": (lambda c: c.update({"events.jsonl": b"[" * 200_000 + b"\n"}), "JSON"),
    "nesting without texts": (
        changed_event(3, lambda x: x.update(redacted=True, body={"type": "human_said", "text": nested(450)})),
        "JSON|not one of this version",
    ),
    "no JSON": (lambda c: c.update({"events.jsonl": b"hello\n"}), "JSON"),
    "a list": (lambda c: c.update({"manifest.json": b"[]"}), "JSON"),
    "no manifest": (without("manifest.json"), "missing"),
    "no events": (without("events.jsonl"), "missing"),
    "does not begin a run": (
        changed_event(1, lambda x: x.update(body={"type": "run_interrupted", "error": "x"})),
        "does not begin a run",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_that_was_changed_is_refused_and_leaves_nothing(tmp_path: Path, what: str) -> None:
    change, said = HOSTILE[what]
    export(small(tmp_path / "here"), tmp_path / "a.zip")
    content = entries(tmp_path / "a.zip")
    change(content)
    store = Store(tmp_path / "there.db")
    with pytest.raises(JournalError, match=said):
        read_export(packed(tmp_path / "b.zip", content), store)
    assert store.runs() == []
    read_export(tmp_path / "a.zip", store)
    assert len(store.runs()) == 1


def test_a_small_file_with_huge_contents_is_refused_while_it_is_read(tmp_path: Path) -> None:
    export(small(tmp_path), tmp_path / "a.zip")
    bomb = bytes(80 << 20)
    content = entries(tmp_path / "a.zip") | {"blobs/" + hashlib.sha256(bomb).hexdigest(): bomb}
    packed(tmp_path / "b.zip", content)
    assert (tmp_path / "b.zip").stat().st_size < 1 << 20
    with pytest.raises(JournalError, match=r"too large|belongs to no event"):
        read_export(tmp_path / "b.zip", Store(tmp_path / "there.db"))
    line = b'{"id":"' + bytes(80 << 20) + b'"}\n'
    with pytest.raises(JournalError, match="too large"):
        read_export(packed(tmp_path / "c.zip", content | {"events.jsonl": line}), Store(tmp_path / "there.db"))


@pytest.mark.deep
def test_what_packs_very_well_is_exported_so_that_it_can_be_imported(tmp_path: Path) -> None:
    journal = small(tmp_path)
    zeros = journal.blob(bytes(40 << 20))
    journal.append(e.Observed(observation=zeros))
    journal.commit()
    export(journal, tmp_path / "a.zip")
    store = Store(tmp_path / "there.db")
    read_export(tmp_path / "a.zip", store)
    assert len(store.journal("run-1").read_blob(zeros)) == 40 << 20


def test_something_twice_is_refused(tmp_path: Path) -> None:
    export(small(tmp_path), tmp_path / "a.zip")
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(tmp_path / "a.zip", "a") as archive:
        archive.writestr("events.jsonl", b"{}\n")
    with pytest.raises(JournalError, match="twice"):
        read_export(tmp_path / "a.zip", Store(tmp_path / "there.db"))


@pytest.mark.parametrize("data", [b"", b"PK", b"hello" * 1000])
def test_a_file_that_is_no_zip_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(JournalError, match="zip"):
        read_export(tmp_path / "a.zip", Store(tmp_path / "there.db"))


def test_a_file_that_is_cut_off_or_not_there_is_refused(tmp_path: Path) -> None:
    export(small(tmp_path), tmp_path / "a.zip")
    data = (tmp_path / "a.zip").read_bytes()
    store = Store(tmp_path / "there.db")
    for size in range(0, len(data), 97):
        (tmp_path / "b.zip").write_bytes(data[:size])
        with pytest.raises(JournalError, match="truncated"):
            read_export(tmp_path / "b.zip", store)
    with pytest.raises(UsageError, match="no such file"):
        read_export(tmp_path / "none.zip", store)
    with pytest.raises(UsageError, match="it is a folder"):
        read_export(tmp_path, store)
    assert store.runs() == []


def test_a_run_of_the_first_schema_is_exported_and_comes_back(tmp_path: Path) -> None:
    """Its bodies have not the fields of today, and its hashes are over what it has."""
    body = {"type": "run_started", "task": "old", "crew": "c", "model": "m", "mode": "automatic"}
    body |= {"workspace": "w", "desktop": "none"}
    digest = hashlib.sha256(canonical(body)).hexdigest()
    header = Header(run="old-1", number=1, parent=None, time=1.5, type="run_started", schema_version=1)
    id = event_id(header, digest)
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    with create_engine(f"sqlite:///{tmp_path / 'old.db'}").begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(text("INSERT INTO runs VALUES ('old-1', 1.5, 'old', 'c', 'm', :id, NULL)"), {"id": id})
        values = {"id": id, "header": header.model_dump_json(), "digest": digest, "body": json.dumps(body)}
        connection.execute(text("INSERT INTO events VALUES (:id, 'old-1', 1, NULL, :header, :digest, :body)"), values)
    store = Store(tmp_path / "old.db")
    assert store.verified("old-1").problems == ()
    export(store.journal("old-1"), tmp_path / "a.zip")
    there = Store(tmp_path / "there.db")
    assert read_export(tmp_path / "a.zip", there).new
    assert there.verified("old-1").problems == ()
    assert there.verified("old-1").head == id
