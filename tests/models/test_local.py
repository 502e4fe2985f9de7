"""The local server's life, with the smallest real model: started, shared, killed, left alone, found stale."""

from __future__ import annotations

import json
import os
import signal
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import httpx
import psutil
import pytest
from pydantic import BaseModel, Field

from deskcrew.engine.session import loading_told
from deskcrew.errors import ModelFailure
from deskcrew.facts.liveness import held
from deskcrew.models.client import Call, Malformed, Text
from deskcrew.models.factory import create
from deskcrew.models.local import LocalModel, runtime_folder
from deskcrew.models.options import ModelOptions
from deskcrew.models.probe import probe
from deskcrew.models.scripted import ScriptedModel
from deskcrew.models.server import ServerFiles, ServerLease, ServerRecord, read_record, write_record
from deskcrew.models.store import WeightStore

from .conftest import Choice, ask

SMALL = "smollm2-135m-instruct"


def own_record(**changes: Any) -> ServerRecord:
    process = psutil.Process()
    facts = {"pid": process.pid, "started": process.create_time(), "url": "http://x", "api_key": "k", **changes}
    return ServerRecord.model_validate(facts)


def test_record_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    files = ServerFiles(folder=tmp_path, key="k")
    write_record(files, own_record())
    assert stat.S_IMODE(files.record.stat().st_mode) == 0o600
    assert read_record(files) == own_record()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}'])
def test_damaged_record_is_none(tmp_path: Path, text: str) -> None:
    files = ServerFiles(folder=tmp_path, key="k")
    files.record.write_text(text)
    assert read_record(files) is None


def test_record_of_a_reused_pid_is_stale(tmp_path: Path) -> None:
    files = ServerFiles(folder=tmp_path, key="k")
    write_record(files, own_record(started=psutil.Process().create_time() - 3600))
    assert read_record(files) is None


def test_lease_is_shared_and_given_back(tmp_path: Path) -> None:
    files = ServerFiles(folder=tmp_path, key="k")
    assert not held(files.lease)
    first, second = ServerLease(files), ServerLease(files)
    first.release()
    first.release()
    assert held(files.lease)
    second.release()
    assert not held(files.lease)


def test_runtime_folder_of_someone_else_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(ModelFailure, match="not a folder of yours"):
        runtime_folder(tmp_path / "link")
    assert stat.S_IMODE(runtime_folder(tmp_path / "fresh").stat().st_mode) == 0o700


async def test_loading_takes_nothing_from_the_time_of_the_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny.gguf").touch()
    model = create(f"local:{tmp_path / 'tiny.gguf'}", options=ModelOptions(runtime_folder=tmp_path / "run"))
    assert isinstance(model, LocalModel)
    answering = ScriptedModel([{"why": "", "pick": "red"}])

    async def slowly() -> None:
        await anyio.sleep(0.05)
        monkeypatch.setattr(model, "_client", answering)

    monkeypatch.setattr(model, "start", slowly)
    await model.answer(ask(deadline=30), Choice)
    assert [call.deadline for call in answering.calls] == [30]


Make = Callable[..., LocalModel]


@pytest.fixture(scope="module")
def weights() -> Path:
    """Where the small model is; not fetched here."""
    folder = os.environ.get("DESKCREW_MODELS")
    path = WeightStore(Path(folder) if folder else None).path(SMALL)
    if path is None:
        pytest.skip(f"deskcrew models pull {SMALL}")
    return path


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Path]:
    """A runtime folder whose servers are ended with the test."""
    folder = tmp_path / "run"
    yield folder
    for path in folder.glob("*.json"):
        record = ServerRecord.model_validate_json(path.read_bytes())
        if process := record.process():
            process.kill()
            process.wait(30)


@pytest.fixture
async def make(weights: Path, servers: Path) -> AsyncIterator[Make]:
    """Clients of the small model, closed with the test."""
    models: list[LocalModel] = []

    def one(*, on_loading: Callable[[float, int], None] | None = None, **options: Any) -> LocalModel:
        chosen = ModelOptions(store_folder=weights.parent, runtime_folder=servers, context=1024, threads=1, **options)
        model = create(f"local:{SMALL}", options=chosen, on_loading=on_loading)
        assert isinstance(model, LocalModel)
        models.append(model)
        return model

    yield one
    for model in models:
        await model.close()


def server_of(model: LocalModel) -> psutil.Process:
    assert model.record is not None
    process = model.record.process()
    assert process is not None
    return process


async def gone(process: psutil.Process) -> None:
    with anyio.fail_after(60), suppress(psutil.NoSuchProcess):
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:  # noqa: ASYNC110 - nobody tells us
            await anyio.sleep(0.02)


class Click(BaseModel):
    kind: Literal["click"] = "click"
    label: Literal["a1", "a2"]


class Write(BaseModel):
    kind: Literal["type"]
    label: Literal["b1"]
    text: str = Field(max_length=4000)


class Decision(BaseModel):
    zeta: str = Field(max_length=20)
    operations: list[Annotated[Click | Write, Field(discriminator="kind")]] = Field(min_length=1, max_length=2)
    note: str | None = Field(default=None, max_length=10)
    alpha: bool


@pytest.mark.llm
async def test_schema_is_obeyed_in_order_without_white_space(make: Make) -> None:
    loading: list[float] = []
    model = make(on_loading=lambda fraction, _: loading.append(fraction))
    for number in range(3):
        answer = await model.answer(ask(f"Question {number}: click a2.", max_tokens=300), Decision)
        assert not isinstance(answer.value, Malformed), answer.value
        fields = json.loads(answer.raw)
        assert [name for name in fields if name != "note"] == ["zeta", "operations", "alpha"]
        assert list(fields).index("alpha") == len(fields) - 1
        assert all(next(iter(operation)) == "kind" for operation in fields["operations"])
        assert "\n" not in answer.raw
    assert loading[-1] == 1.0
    assert loading == sorted(loading)
    assert answer.usage.cost == 0.0
    assert answer.usage.input


@pytest.mark.llm
async def test_while_it_is_loaded_a_person_is_told_how_large_it_is(make: Make) -> None:
    told: list[str] = []
    await make(on_loading=loading_told(told.append)).start()
    assert [*dict.fromkeys(told)] == [
        "loading the model into memory: 0.1 GB, about half a minute",
        "the model is reading what it is asked",
    ]


@pytest.mark.deep
@pytest.mark.llm
async def test_prompts_of_alternating_roles_are_reused(make: Make) -> None:
    model = make()

    def call(role: str) -> Call:
        stable = f"You are {role}. " + " ".join(f"{role} rule {number}." for number in range(30))
        return Call(role, (Text(stable, "stable"), Text("Pick one.", "volatile")), max_tokens=40)

    for role in ("planner", "reviewer"):
        await model.answer(call(role), Choice)
    for role in ("planner", "reviewer"):
        answer = await model.answer(call(role), Choice)
        assert answer.usage.input
        assert answer.usage.cached is not None
        assert answer.usage.cached > 0.9 * answer.usage.input


@pytest.mark.llm
@pytest.mark.deep
async def test_two_clients_share_one_server_which_refuses_strangers(make: Make) -> None:
    first, second = make(), make()
    async with anyio.create_task_group() as group:
        group.start_soon(first.start)
        group.start_soon(second.start)
    record = first.record
    assert record is not None
    assert record == second.record
    await first.close()
    assert isinstance((await second.answer(ask(), Choice)).value, Choice)
    async with httpx.AsyncClient(base_url=record.url) as stranger:
        assert (await stranger.post("/v1/chat/completions", json={"messages": []})).status_code == 401
        assert (await stranger.get("/slots")).status_code == 401


@pytest.mark.deep
@pytest.mark.llm
@pytest.mark.fault
async def test_killed_server_is_started_once_more(make: Make) -> None:
    model = make()
    await model.start()
    killed = server_of(model)
    os.kill(killed.pid, signal.SIGKILL)
    await gone(killed)
    answer = await model.answer(ask(), Choice)
    assert isinstance(answer.value, Choice)
    assert answer.retries == 1
    assert server_of(model).pid != killed.pid


@pytest.mark.llm
@pytest.mark.fault
@pytest.mark.deep
async def test_server_that_dies_twice_in_one_call_fails_the_call(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make()
    start = model.start

    async def start_and_kill() -> None:
        await start()
        process = server_of(model)
        process.kill()
        await gone(process)

    monkeypatch.setattr(model, "start", start_and_kill)
    with pytest.raises(ModelFailure, match="died twice"):
        await model.answer(ask(), Choice)


@pytest.mark.llm
@pytest.mark.deep
async def test_server_without_clients_ends_and_another_is_started_later(make: Make) -> None:
    model = make(idle_seconds=0.2)
    await model.start()
    process = server_of(model)
    files = model.files
    await anyio.sleep(1)
    assert process.is_running(), "a held lease keeps it"
    await model.close()
    await gone(process)
    assert not files.record.exists()
    await model.start()
    assert server_of(model).pid != process.pid


@pytest.mark.llm
async def test_stale_record_is_replaced(make: Make) -> None:
    model = make()
    write_record(model.files, own_record(started=1.0))
    await model.start()
    assert server_of(model).pid != os.getpid()


@pytest.mark.llm
async def test_cancelling_while_loading_leaves_no_process(make: Make) -> None:
    seen = anyio.Event()
    model = make(on_loading=lambda *_: seen.set())
    async with anyio.create_task_group() as group:
        group.start_soon(model.start)
        await seen.wait()
        group.cancel_scope.cancel()
    assert read_record(model.files) is None
    # It has been killed, which takes the kernel a moment, and then may wait for init to take notice of it.
    for process in [process for process in psutil.process_iter() if _serves(process, model)]:
        await gone(process)


def _serves(process: psutil.Process, model: LocalModel) -> bool:
    try:
        return any(file.path == str(model.files.log) for file in process.open_files())
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


@pytest.fixture
def broken(weights: Path, tmp_path: Path) -> Path:
    """Weights cut off after a tenth of a megabyte."""
    path = tmp_path / "broken.gguf"
    path.write_bytes(weights.read_bytes()[:100_000])
    return path


@pytest.mark.llm
async def test_damaged_weights_say_what_to_do(broken: Path, servers: Path) -> None:
    model = create(f"local:{broken}", options=ModelOptions(runtime_folder=servers))
    with pytest.raises(ModelFailure, match="ended while loading") as caught:
        await model.answer(ask(), Choice)
    assert "models pull" in caught.value.hint
    await model.close()


@pytest.mark.llm
@pytest.mark.deep
async def test_probe_tells_what_a_model_can_do(make: Make) -> None:
    found = await probe(make())
    assert found.reachable
    assert found.schema_obeyed
    assert found.vision is None
    assert found.reply_rate
    assert found.context == 1024
    assert found.cost_known
