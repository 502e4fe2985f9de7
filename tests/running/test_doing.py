"""What a run's process says takes a while, for whoever asks about the run meanwhile."""

from __future__ import annotations

import os

import pytest

from deskcrew.facts import events as e
from deskcrew.ways_in.running.files import Socket, files_named, runs_folder
from deskcrew.ways_in.running.messages import Job, Start
from deskcrew.ways_in.running.process import Process, Reports
from support.runs import There

pytestmark = pytest.mark.anyio


async def test_what_takes_a_while_is_told_until_the_next_event(there: There) -> None:
    folder = runs_folder()
    job = Job(task=Start(request=there.request([])), settings=there.settings, folder=folder, name="0123456789abcdef")
    listening = Socket(files_named(folder, job.name))
    process = Process(job, Reports(os.dup(1)), listening)
    begun = e.RunStarted(task="Think", crew="solo", model="m", mode="automatic", workspace="w", desktop="none")
    journal = there.runs._store.create(begun)
    process._watch(journal.events[0], journal)
    process._notice("keeping the workspace: 3 files")
    assert process._listener.alive.doing == "keeping the workspace: 3 files"
    process._watch(journal.append(e.RoleCalled(role="Worker")), journal)
    assert process._listener.alive.doing == ""
    journal.close()
    listening.close()
