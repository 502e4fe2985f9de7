"""What is submitted: read from a file, line by line, and put together with what its runs have in common."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.settings import Limits
from deskcrew.ways_in.fleet.tasks import AskedRun, Submission, Task, read_tasks
from deskcrew.ways_in.running.messages import Start


def submission(**more: object) -> Submission:
    request = RunRequest(task="", model="scripted:x", crew="solo", desktop="none", limits=Limits(tokens=5))
    return Submission.model_validate({"start": Start(request=request), "workspace": "s3://all/in", **more})


def test_a_broken_line_is_named_and_the_rest_goes_on() -> None:
    lines = [
        '{"task": "one"}',
        "",
        "{broken",
        '{"task": ""}',
        '{"task": "two", "colour": "red"}',
        '{"task": "three"}',
        "[1]",
    ]
    tasks, broken = read_tasks(lines)
    assert [task.task for task in tasks] == ["one", "three"]
    assert [line.number for line in broken] == [3, 4, 5, 7]
    assert "colour" in broken[2].why


def test_a_file_without_a_task_is_refused_with_what_is_wrong_with_it() -> None:
    with pytest.raises(UsageError, match=r"no task in the file\. Line 2: "):
        read_tasks(["\n", "nonsense"])
    with pytest.raises(UsageError, match="no task in the file"):
        read_tasks([])


def test_a_task_has_what_it_does_not_say_from_its_submission() -> None:
    task = Task(task="one", model="scripted:y", limits=Limits(operations=7), results="/mnt/out")
    read = AskedRun.read(submission(results="/mnt/all").model_dump_json(), task.model_dump_json(exclude_unset=True))
    assert (read.request.task, read.request.model, read.request.crew) == ("one", "scripted:y", "solo")
    assert read.request.limits.model_dump(exclude_unset=True) == {"tokens": 5, "operations": 7}
    assert (read.places.workspace, read.places.results) == ("s3://all/in", "/mnt/out")
    assert AskedRun.read(submission().model_dump_json(), '{"task": "two"}').request.limits == Limits(tokens=5)


@pytest.mark.parametrize(
    "line",
    [
        {"task": "t", "desktop": "real"},
        {"task": "t", "desktop": "windows"},
        {"task": "t", "workspace": "s3://user:password@bucket/x"},
    ],
)
def test_what_no_node_can_have_is_refused(line: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Task.model_validate_json(json.dumps(line))
