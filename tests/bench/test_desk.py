"""The desk suite: its tasks are well formed, its runner counts right, its controls pass and fail."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from deskcrew.engine.attempts import made
from deskcrew.errors import ConfigError, UsageError
from deskcrew.journal.records import model_replies
from deskcrew.journal.store import Store
from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply
from deskcrew.settings import Limits, SearchSettings
from deskcrew_bench.desk import suite as desk
from deskcrew_bench.desk.task import Task, tasks_of
from deskcrew_bench.series import keep, kept
from deskcrew_bench.suites import report as desk_report
from deskcrew_bench.suites import targets as desk_targets
from deskcrew_bench.suites import text as desk_text
from deskcrew_bench.suites import totals as desk_totals
from deskcrew_bench.suites.controls import Idle
from support.crew import settings_in
from support.sampling import sampled

SUITE = Path(__file__).parents[2] / "bench/desk"
EVERY = (*tasks_of(SUITE), *tasks_of(SUITE.parent / "again/chores"))
"""Those of the suite, and those that are only done again."""


def trial(task: str = "a", seed: int = 1, **changes: object) -> desk.Trial:
    told: dict[str, object] = {
        "task": task, "seed": seed, "model": "m", "crew": "c", "pool": True, "run": "r", "agents": 1, "used": 1,
        "infeasible": False, "right": True, "said": "", "outcome": "done", "reason": "", "why": "", "answer": "",
        "calls": 4, "input": 10, "output": 2, "cached": 1, "seconds": 2.0,
    }  # fmt: skip
    return desk.Trial.model_validate(told | changes)


def write(folder: Path, language: str = "", **files: str) -> Task:
    """A task with these files, ``__`` in a name for a dot."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return Task(folder, language)


@pytest.mark.parametrize(
    ("changes", "success", "unverified", "false"),
    [
        ({}, True, False, False),
        ({"right": False}, False, False, True),
        ({"outcome": "failed", "reason": "gave_up"}, False, True, False),
        ({"outcome": "unverified"}, False, True, False),
        ({"right": False, "outcome": "failed"}, False, False, False),
        ({"infeasible": True, "outcome": "failed", "reason": "infeasible", "why": "There is no May."}, True, False, False),
        ({"infeasible": True, "outcome": "failed", "reason": "infeasible"}, False, False, False),
        ({"infeasible": True, "outcome": "failed", "reason": "gave_up", "why": "no"}, False, False, False),
        ({"infeasible": True}, False, False, True),
        ({"infeasible": True, "right": False}, False, False, True),
        ({"outcome": "failed", "reason": "infeasible", "why": "no"}, False, True, False),
    ],
)
def test_what_counts(changes: dict[str, object], success: bool, unverified: bool, false: bool) -> None:
    made = trial(**changes)
    assert (made.success, made.unverified, made.false) == (success, unverified, false)


def test_shares_are_means_over_tasks_with_an_interval() -> None:
    trials = [trial("a"), trial("a", 2, right=False), trial("b"), trial("c", right=False, agents=2, calls=9)]
    summed = desk_totals.totals(trials)
    assert (summed.tasks, summed.trials, summed.success.share) == (3, 4, 0.5)
    assert summed.success.low is not None
    assert summed.success.high is not None
    assert 0 <= summed.success.low < 0.5 < summed.success.high <= 1
    assert summed.false.share == 0.5
    assert (summed.calls, summed.alone_calls) == (4, 4)
    assert desk_totals.totals(trials) == summed
    assert desk_totals.interval([1.0, 1.0, 1.0]) == (1.0, 1.0)
    assert desk_totals.interval([1.0]) == (None, None)
    # By hand: of two tasks, one done, a quarter of samples each are 0 and 1.
    assert desk_totals.interval([0.0, 1.0]) == (0.0, 1.0)


def test_the_report_shows_every_trial_and_takes_names_for_text() -> None:
    page = desk_report.report({"default": [trial("<b>x"), trial("y", right=False, said="no & never")]})
    assert "&lt;b&gt;x" in page
    assert "<b>x" not in page
    assert "no &amp; never" in page
    assert page.count("<svg") == 2
    assert 'class="met">met' in page
    assert 'class="missed">missed' in page
    assert not re.search(r"(src|href)=", page), "it needs nothing else"


def test_every_figure_stands_beside_its_target_and_decides_nothing() -> None:
    trials = [trial("a"), trial("b", calls=7, seconds=60.0), trial("c", right=False, agents=2), trial("d", seconds=181.0)]
    figures = desk_targets.reached(trials)
    told = [(desk_text.shown(each).split(" (")[0], desk_text.bound(each), desk_text.met(each)) for each in figures]
    assert told == [
        ("75%", ">= 70%", "met"),
        ("25%", "<= 5%", "missed"),
        ("0%", "<= 15%", "met"),
        ("4", "<= 5", "met"),
        ("60 s", "<= 45 s", "missed"),
        ("181 s", "<= 180 s", "missed"),
    ]
    of_two = desk_targets.reached([trial(agents=2)])
    assert [(each.figure, each.met) for each in of_two[3:5]] == [(None, None), (None, None)]
    text = desk_text.standing(of_two)
    assert len(text.splitlines()) == 1 + len(of_two)


def test_a_line_says_why_it_is_not_right() -> None:
    assert desk_text.line(trial()) == "+ a (seed 1): done, right; 4 calls, 10 / 2 / 1 tokens in / out / cached, 2 s"
    assert desk_text.line(trial(right=False, said="it is 4")).startswith("! a")
    assert "it is 4 [r]" in desk_text.line(trial(right=False, said="it is 4"))
    assert "bound" in desk_text.line(trial(outcome="failed", why="bound", input=None))


async def played(task: Task, tmp_path: Path, model: str, seed: int = 1) -> desk.Trial:
    return await desk.attempt(task, seed, settings_in(tmp_path), model=model, crew="planned")


class Broken(Idle):
    """A model adapter with a bug in it."""

    def _reply(self, call: Call) -> Reply:
        raise ZeroDivisionError("a bug of ours")


@pytest.mark.anyio
@pytest.mark.deep
async def test_a_bug_of_ours_ends_one_trial_and_not_the_series(tmp_path: Path) -> None:
    task = write(
        tmp_path / "tasks/greet", task__toml='instruction = "Write hello."\n', check__py="", oracle__json='{"steps": []}'
    )
    made = await desk.attempt(task, 1, settings_in(tmp_path), model="m", crew="solo", loaded=Broken())
    assert (made.outcome, made.broken, made.success) == ("interrupted", True, False)
    assert "a bug of ours" in made.why
    assert "a bug of ours" in desk_text.line(made)
    assert Store(settings_in(tmp_path).journal).journal(made.run).state.interrupted


@pytest.mark.anyio
async def test_what_a_person_must_mend_ends_the_series(tmp_path: Path) -> None:
    task = write(
        tmp_path / "tasks/greet", task__toml='instruction = "Write hello."\n', check__py="", oracle__json='{"steps": []}'
    )
    with pytest.raises(UsageError, match="none-such"):
        await desk.attempt(task, 1, settings_in(tmp_path), model="m", crew="none-such", loaded=Idle())


@pytest.mark.anyio
@pytest.mark.deep
async def test_a_search_service_of_the_user_is_not_asked(tmp_path: Path) -> None:
    task = write(
        tmp_path / "tasks/greet", task__toml='instruction = "Write hello."\n', check__py="", oracle__json='{"steps": []}'
    )
    search = SearchSettings(provider="searxng", address="http://127.0.0.1:9")
    settings = settings_in(tmp_path).model_copy(update={"search": search})
    model = Idle()
    await desk.attempt(task, 1, settings, model="m", crew="solo", loaded=model)
    assert model.calls
    assert not any("web_search" in call.text() for call in model.calls)


@pytest.mark.anyio
async def test_a_task_is_made_done_and_checked(tmp_path: Path) -> None:
    task = write(
        tmp_path / "tasks/greet",
        task__toml="instruction = 'Write \"{{ word }}\" into {{ word }}.txt.'\n[limits]\noperations = 3\n",
        make__py='import json, sys\nprint(json.dumps({"word": f"hello{sys.argv[1]}"}))\n',
        check__py="import os, sys\nname = 'hello' + os.environ['DESKCREW_SEED'] + '.txt'\n"
        "assert os.environ['DESKCREW_OUTCOME'] in ('done', 'failed', 'unverified')\n"
        "sys.exit(0 if os.path.exists(name) else 'there is no ' + name)\n",
        oracle__json=json.dumps(
            {
                "steps": [[{"function": "write_file", "file_path": "{{ word }}.txt", "text": "{{ word }}"}]],
                "must": ["file_contains {{ word }}.txt {{ word }}"],
            }
        ),
    )
    right = await played(task, tmp_path, desk.ORACLE, seed=7)
    assert right.success, right
    assert (right.calls, right.used) == (1, 1)
    wrong = await played(task, tmp_path, desk.IDLE, seed=7)
    assert not wrong.right
    assert wrong.said == "there is no hello7.txt"
    assert task.limited(Limits()).operations == 3
    begun = Store(settings_in(tmp_path).journal).journal(right.run).state.started
    assert begun is not None
    assert begun.settings.limits["seconds"] == desk.LONGEST == 180
    assert task.limited(Limits(replies=5)).replies == 5


@pytest.mark.anyio
@pytest.mark.deep
async def test_a_trial_of_several_attempts_costs_what_all_of_them_cost(tmp_path: Path) -> None:
    task = write(tmp_path / "tasks/greet", task__toml='instruction = "Write hello into hello.txt."\n', check__py="")
    settings = settings_in(tmp_path)
    once = await desk.attempt(task, 1, settings, model="m", crew="solo", loaded=Idle())
    assert (once.calls, once.regime) == (1, "")
    model = Idle()
    thrice = await desk.attempt(task, 1, settings, model="m", crew="solo", attempts=3, loaded=model)
    assert (thrice.calls, thrice.regime) == (len(model.calls), "3 attempts")
    journal = Store(settings.journal).journal(thrice.run)
    assert len(made(journal)) == 3
    assert len(model_replies(journal.events)) < thrice.calls  # those of the one that was taken


@pytest.mark.anyio
@pytest.mark.deep
async def test_a_refusal_counts_only_after_a_look(tmp_path: Path) -> None:
    task = write(
        tmp_path / "tasks/never",
        task__toml='instruction = "Add up the figures of May."\ninfeasible = true\n',
        oracle__json=json.dumps({"steps": [[{"function": "list_files"}]], "refuses": "There is no file with figures."}),
    )
    refused = await played(task, tmp_path, desk.ORACLE)
    assert refused.success, refused
    assert "figures" in refused.why
    assert not (await played(task, tmp_path, desk.IDLE)).success


def test_mistakes_in_a_task_name_file_and_field(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"task\.toml: .*give either instruction, or instructions"):
        write(tmp_path / "one", task__toml="agents = 2\n")
    with pytest.raises(ConfigError, match="it is not worded in 'fr'"):
        write(tmp_path / "german", "fr", task__toml='[instructions]\nde = "x"\n')
    with pytest.raises(ConfigError, match=r"task\.toml: agent: Extra"):
        write(tmp_path / "two", task__toml='instruction = "x"\nagent = 2\n')
    with pytest.raises(ConfigError, match=r"task\.toml: .*'who' is undefined"):
        write(tmp_path / "three", task__toml='instruction = "Call {{ who }}."\n').make(1, tmp_path)
    with pytest.raises(ConfigError, match=r"make\.py failed: .*boom"):
        write(tmp_path / "four", task__toml='instruction = "x"\n', make__py='raise SystemExit("boom")\n').make(1, tmp_path)
    with pytest.raises(ConfigError, match="one JSON object"):
        write(tmp_path / "five", task__toml='instruction = "x"\n', make__py="print(5)\n").make(1, tmp_path)
    with pytest.raises(UsageError, match="There is no task 'six'"):
        tasks_of(tmp_path, ["six"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="There are no tasks"):
        tasks_of(tmp_path / "empty")
    with pytest.raises(UsageError, match="does not exist"):
        tasks_of(tmp_path / "none")
    with pytest.raises(UsageError, match="is a file"):
        tasks_of(tmp_path / "one" / "task.toml")


def test_files_are_copied_and_the_seed_chooses_the_screen(tmp_path: Path) -> None:
    task = write(tmp_path / "copied", task__toml='instruction = "Seed {{ seed }}"\nanswer = "42"\n')
    (task.folder / "files").mkdir()
    (task.folder / "files/a.txt").write_text("here")
    (tmp_path / "work").mkdir()
    made = task.make(4, tmp_path / "work")
    assert (made.instruction, made.screen) == ("Seed 4", (1366, 768))
    assert (tmp_path / "work/a.txt").read_text() == "here"
    assert task.check(4, tmp_path, answer="It is 42.", outcome="done", reason="", expected=made.answer) == (True, "")
    right, said = task.check(4, tmp_path, answer="It is 421.", outcome="done", reason="", expected=made.answer)
    assert (right, "42" in said) == (False, True)


@pytest.mark.parametrize("task", sampled(EVERY, 8), ids=lambda task: task.name)
def test_every_task_of_the_suite_is_whole(task: Task, tmp_path: Path) -> None:
    """It can be made, the same seed makes the same, another makes another, and doing nothing is not right."""
    for folder in ("one", "again", "other"):
        (tmp_path / folder).mkdir()
    assert (task.limits.seconds or desk.LONGEST) == desk.LONGEST
    one, again = task.make(1, tmp_path / "one"), task.make(1, tmp_path / "again")
    assert one == again
    assert any({**task.make(seed, tmp_path / "other").values, "seed": 1} != one.values for seed in range(2, 6))
    assert task.oracle(one)["steps"]
    reason = "gave_up"
    right, said = task.check(1, tmp_path / "one", answer="", outcome="failed", reason=reason, expected=one.answer)
    assert task.document.infeasible or (not right and said)


def test_nothing_of_the_suite_stands_in_the_engine() -> None:
    """No task's name, and no phrase of its instruction that is longer than what stands in any sentence."""
    source = Path(__file__).parents[2] / "src/deskcrew"
    engine = "\n".join(
        file.read_text(encoding="utf-8")
        for file in source.rglob("*")
        if file.suffix in {".py", ".md", ".toml"} and "bench" not in file.relative_to(source).parts[0]
    ).casefold()
    for task in EVERY:
        words = re.sub(r"\{\{.*?\}\}", "|", task.document.instruction).casefold()
        for phrase in re.split(r"[|.;:?!\n]", words):
            if len(phrase.split()) >= 5:
                assert phrase.strip() not in engine, f"{task.name}: {phrase.strip()!r}"
        assert "-" not in task.name or task.name not in engine


def test_a_check_that_cannot_be_run_blames_nobody_and_one_that_hangs_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(text: str) -> tuple[bool, str]:
        task = write(tmp_path / f"tasks/{len(text)}", task__toml='instruction = "Write."\n', check__py=text)
        return task.check(1, tmp_path, answer="", outcome="done", reason="", expected="")

    with pytest.raises(ConfigError, match=r"check\.py cannot be run: ModuleNotFoundError: No module named 'nothere'"):
        check("import nothere")
    assert check("assert 1 == 2")[0] is False
    monkeypatch.setattr("deskcrew_bench.desk.task.PATIENCE", 0.2)
    right, said = check("import time\ntime.sleep(60)")
    assert not right
    assert "took more than 0.2 seconds" in said


def test_what_cannot_hold_trials_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        kept(tmp_path, desk.Trial, command="x")
    (tmp_path / "a file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        keep(tmp_path / "a file" / "t.jsonl", trial())
