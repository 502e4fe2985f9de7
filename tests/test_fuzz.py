"""Any reply at all: the run ends with an outcome, within its limits, and touches nothing but its workspace."""

from __future__ import annotations

import itertools
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from deskcrew.actions.sandbox import Sandbox
from deskcrew.actions.sandbox import SandboxLimits as SandboxLimits
from deskcrew.engine import session
from deskcrew.engine.human.responder import Nobody
from deskcrew.engine.request import RunRequest, prepare
from deskcrew.engine.roles import recorded
from deskcrew.engine.roles.role import BUILTIN, load_roles
from deskcrew.environments.desk import Desk
from deskcrew.environments.workspace import Workspace
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Answer, Call, Profile, T
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Limits
from support.crew import bodies, settings_in
from support.required import required

TASK = 'Add up table.csv, write the total into total.txt, then write "bye" into end.txt. What is the total?'
LIMITS = Limits(replies=5, operations=8, format_retries=4, repeats=4)
AGENTS = ["ApplicationManager", "FileManager", "Searcher", "Programmer", "Operator", "Worker", "nobody", "Planner"]
PATHS = [
    "table.csv", "total.txt", "end.txt", "../outside.txt", "/etc/passwd", "/workspace/../../outside.txt", "~/.profile",
    "link/outside.txt", "a/b/c.txt", ".", "", "\x00", "..", "sub/../../outside.txt", "total.txt\n", "x" * 300,
]  # fmt: skip
CODE = [
    "print(42)",
    "raise SystemExit(3)",
    "open('total.txt', 'w').write('42')",
    "open('../outside.txt', 'w').write('x')",
    "(",
]
COMMANDS = ["cat table.csv", "echo x > ../outside.txt", "rm -rf / --no-preserve-root", "false", "curl http://10.0.0.1"]

names = st.sampled_from(PATHS)
words = st.sampled_from(["hello", "42", "", "{result}", "{{ task }}", "\ud800", "\u202e", "x" * 5000, "\x00", "1" * 400])
plain = st.sampled_from(["hello", "42", "", "{result}", "{{ task }}", "\u202e Zoë", "../outside.txt", "99"])
FREE: dict[str, st.SearchStrategy[Any]] = {
    "code": st.sampled_from(CODE),
    "command": st.sampled_from(COMMANDS),
    "role": st.sampled_from(AGENTS),
    "goal": st.sampled_from(["add up", "write the total", "write bye"]),
} | dict.fromkeys(("file_path", "source", "destination", "folder", "path", "file"), names)


def fitting(draw: Any, schema: dict[str, Any], all_of_it: dict[str, Any], name: str = "") -> Any:
    """A reply of the type that this is the schema of, but for what free text may hold."""
    if "$ref" in schema:
        return fitting(draw, all_of_it["$defs"][schema["$ref"].rsplit("/", 1)[-1]], all_of_it, name)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return fitting(draw, draw(st.sampled_from(schema[union])), all_of_it, name)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        # The first is the one to go on with, where it is about that.
        return schema["enum"][0] if name == "branch" and draw(st.booleans()) else draw(st.sampled_from(schema["enum"]))
    match schema.get("type"):
        case "object":
            required = schema.get("required", [])
            wanted = [key for key in schema["properties"] if key in required or draw(st.booleans())]
            return {key: fitting(draw, schema["properties"][key], all_of_it, key) for key in wanted}
        case "array":
            count = draw(st.integers(schema.get("minItems", 0), min(3, schema.get("maxItems", 3))))
            count = max(count, int(name in ("operations", "subtasks", "assignments") and draw(st.booleans())))
            return [fitting(draw, schema["items"], all_of_it) for _ in range(count)]
        case "boolean":
            return draw(st.booleans())
        case "integer" | "number":
            return draw(st.sampled_from([0, 1, 2, 5]))
        case _:
            return draw(FREE.get(name, plain))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words | names | st.sampled_from([2**53 + 1, 10**400]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["operations", "branch", "function", "subtasks", "answer", "\ud800", "k" * 9000]), inner
        )
    ),
    max_leaves=8,
)
LITERAL = st.sampled_from(
    ["", " ", "null", "[]", "{}", '"x"', "NaN", "{" * 50_000, "[" * 50_000, "x" * 200_000, "\ud800", "\x00",
     "```json\n{}\n```",
     '{"a":' * 150 + "1" + "}" * 150, '{"branch": "\\ud800"}', "{'branch': 'Continue'}", '{"n": ' + "9" * 5000 + "}"]
)  # fmt: skip


def reply_of(draw: Any, type: type[BaseModel]) -> str:
    """What a model may say: mostly what would do, now and then damaged or anything at all."""
    kind = draw(st.sampled_from(["fitting"] * 12 + ["damaged", "cut", "anything", "literal"]))
    if kind == "literal":
        return draw(LITERAL)
    if kind == "anything":
        return json.dumps(draw(anything), default=str)
    schema = type.model_json_schema()
    made = fitting(draw, schema, schema)
    if kind == "damaged":
        made = {**made, draw(st.sampled_from([*made, "extra"])): draw(anything)}
    text = json.dumps(made, ensure_ascii=draw(st.booleans()))
    return text[: draw(st.integers(0, len(text)))] if kind == "cut" else text


class Drawing(ScriptedModel):
    """A scripted model whose replies are drawn for the type that is asked for."""

    def __init__(self, draw: Any, profile: Profile) -> None:
        super().__init__(itertools.repeat(lambda call: self.next), profile=profile)
        self.draw, self.next = draw, ""

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        assert len(call.text()) < 60_000, "the prompt grew without bound"
        assert "SECRET-CANARY" not in call.text()
        self.next = reply_of(self.draw, type)
        return await super().answer(call, type)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    made = Store(tmp_path_factory.mktemp("fuzz") / "journal.db", durable=False)
    yield made
    made.close()


def one_run(draw: Any, store: Store, crew_name: str, pool: bool, profile: Profile) -> None:
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        work = folder / "work"
        work.mkdir()
        (work / "table.csv").write_text("item,amount\napple,20\npear,22\n")
        (work / "link").symlink_to(folder)
        (folder / "secret.txt").write_text("SECRET-CANARY")
        request = RunRequest(
            task=TASK, model="scripted:x", crew=crew_name, pool=pool, workspace=work, desktop="none", limits=LIMITS,
            required=required("file_contains total.txt 42", "file_contains end.txt bye"),
        )  # fmt: skip
        crew = prepare(request, settings_in(folder))

        model = Drawing(draw, profile)
        desk = Desk(Workspace(work), None)
        journal = store.create(session.started(request, crew, desk, model), texts=recorded.texts(crew))
        with Sandbox(work, limits=SandboxLimits(seconds=10)) as sandbox:

            async def main() -> None:
                await session.go_on(
                    journal,
                    lambda: session.assemble(request, journal, crew, session.Parts(desk, sandbox, {"": model}), Nobody()),
                )

            anyio.run(main)
        check(journal, model, crew_name)
        assert sorted(path.name for path in folder.iterdir()) == ["secret.txt", "work"]
        assert (folder / "secret.txt").read_text() == "SECRET-CANARY"
    finally:
        shutil.rmtree(folder)


def check(journal: Journal, model: ScriptedModel, crew_name: str) -> None:
    state = journal.state
    assert state.outcome is not None
    assert not state.interrupted
    assert journal.verify() == []
    assert max(state.replies.values(), default=0) <= LIMITS.replies
    assert len(model.calls) == sum(state.replies.values())
    assert len(bodies(journal, e.ActionStarted)) == state.operations <= LIMITS.operations
    assert len(journal.events) < 500
    roles = load_roles((BUILTIN,))
    for body in bodies(journal, e.ActionStarted):
        assert body.operation.function in roles[body.role].domain, f"{body.role} did {body.operation.function}"
    ended = bodies(journal, e.ActionFinished)
    assert len(ended) == state.operations, "an action did not end"
    hypothesis.event(f"{state.outcome.status} {state.outcome.reason}")
    hypothesis.event(f"{min(state.operations, 3)} operations or more")
    if state.outcome.status == "done":
        assert state.outcome.verified_by
        assert state.outcome.proofs
        assert all(proof.holds for proof in state.outcome.proofs)


PROFILES = st.sampled_from(
    [
        Profile(name="full"),
        Profile(name="short", free_text="short"),
        Profile(name="narrowed", schema_mode="grammar", free_text="short"),
    ]
)
CREWS = st.sampled_from([("planned", True), ("planned", False), ("default", True), ("cola", True), ("solo", True)])


@hypothesis.settings(max_examples=10)
@given(data=st.data(), crew=CREWS, profile=PROFILES)
def test_any_replies(store: Store, data: st.DataObject, crew: tuple[str, bool], profile: Profile) -> None:
    one_run(data.draw, store, *crew, profile)


@pytest.mark.deep
@pytest.mark.timeout(1500)
@hypothesis.settings(max_examples=1500)
@given(data=st.data(), crew=CREWS, profile=PROFILES)
def test_any_replies_for_long(store: Store, data: st.DataObject, crew: tuple[str, bool], profile: Profile) -> None:
    one_run(data.draw, store, *crew, profile)
