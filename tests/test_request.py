"""What a request makes on the disk before anything is started."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from pydantic import TypeAdapter

from deskcrew.engine.request import RunRequest, prepare, workspace_of
from deskcrew.engine.roles.crew import BUILTIN
from deskcrew.engine.roles.role_kinds import KINDS
from deskcrew.engine.session import run
from deskcrew.errors import UsageError
from deskcrew.settings import Limits, Settings


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_a_workspace_of_ours_is_closed_to_others_and_one_of_the_users_is_as_they_say(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    ours, name = workspace_of(RunRequest(task="x", crew="planned"), settings)
    theirs, none = workspace_of(RunRequest(task="x", workspace=tmp_path / "notes", crew="planned"), settings)
    assert (name, none) == (ours.name, None)
    assert [oct(folder.stat().st_mode & 0o777) for folder in (ours, theirs)] == ["0o700", "0o755"]


def test_a_wrong_model_is_told_of_before_a_file_is_copied(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    request = RunRequest(
        task="x",
        model="bogus:x",
        workspace=tmp_path / "work",
        attachments=(tmp_path / "a.txt",),
        desktop="none",
        crew="planned",
    )
    with pytest.raises(UsageError, match="is not a model"):
        anyio.run(run, request, Settings(data=tmp_path / "data"))
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("crew", sorted(path.stem for path in BUILTIN.glob("*.toml")))
def test_every_role_of_a_crew_can_be_given_a_mode(crew: str, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", config=tmp_path / "config")
    made = prepare(RunRequest("x", crew=crew), settings)
    named = [getattr(made, kind.named_by) for kind in KINDS.values()]
    names = [name for each in named for name in ([each] if isinstance(each, str) else each) if name]
    assert {"ContractWriter", "Verifier", "Reader", "AttemptJudge"} <= set(names)
    prepare(RunRequest("x", crew=crew, modes=tuple((name, "active") for name in names)), settings)


def test_who_is_sent_a_request_knows_which_limits_were_asked_for() -> None:
    """The others may be the crew's."""
    sent = TypeAdapter(RunRequest).dump_json(RunRequest("Look.", limits=Limits(rounds=2, tokens=None), crew="planned"))
    limits = TypeAdapter(RunRequest).validate_json(sent).limits
    assert limits == Limits(rounds=2)
    assert limits.model_fields_set == {"rounds", "tokens"}
