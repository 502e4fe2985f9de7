"""Runs that were recorded once verify, fold to the same state, replay without a model with equal prompts, and can be read by
every way in."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from deskcrew.engine.replay.replay import replay
from deskcrew.errors import UsageError
from deskcrew.journal.branches import branches
from deskcrew.ways_in.cli import main
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.app import create_app
from support.crew import settings_in
from support.golden import FOLDER, Golden, differing, folded, listed, unpack

pytestmark = pytest.mark.anyio
RUNS = listed()
ON_PURPOSE = "On purpose? make golden ARGS=--states writes what they are folded to anew."
ORIGIN = "http://127.0.0.1:8700"


@pytest.mark.parametrize("golden", RUNS, ids=lambda golden: golden.name)
async def test_a_golden_run_is_what_it_was(golden: Golden, tmp_path: Path) -> None:
    journal = unpack(golden.packed.read_bytes(), tmp_path)
    told = differing(golden.state.read_text(encoding="utf-8"), folded(journal))
    assert not told, "\n".join([ON_PURPOSE, *told[:60]])
    for branch in branches(journal):
        if golden.unreplayed:
            with pytest.raises(UsageError, match=golden.unreplayed):
                await replay(journal, branch.head)
            continue
        found = await replay(journal, branch.head)
        assert found.difference is None, f"branch that ends with event {branch.head.number}"


@pytest.mark.parametrize(
    "runs", [RUNS[first : first + 10] for first in range(0, len(RUNS), 10)], ids=lambda runs: runs[0].name
)
def test_golden_runs_can_be_read(
    runs: tuple[Golden, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said of them is tested elsewhere; here that something is, in the terminal and in the browser."""
    settings, access = settings_in(tmp_path), Access(b"k" * 32)
    settings.data.mkdir()
    names = [unpack(golden.packed.read_bytes(), settings.data).run for golden in runs]
    monkeypatch.setenv("DESKCREW_DATA", str(settings.data))
    further = (["show", names[0], "2"], ["export", names[0], str(tmp_path / "run.zip")])
    for command in (*(["log", run] for run in names), *further):
        with pytest.raises(SystemExit) as ended:
            main(command)
        assert (ended.value.code or 0) == 0, f"{command}: {capsys.readouterr().err}"
    with TestClient(create_app(settings, access, [ORIGIN], folder=tmp_path / "sockets"), base_url=ORIGIN) as client:
        client.get("/enter", params={"token": access.link()})
        for run in names:
            assert client.get(f"/runs/{run}").status_code == 200, run


def test_nothing_lies_beside_the_golden_runs() -> None:
    kept = {path for folder in ("journals", "states") for path in (FOLDER / folder).iterdir()}
    assert kept == {path for golden in RUNS for path in (golden.packed, golden.state)}
