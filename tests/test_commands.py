"""What commands and programs that a model wrote do to the files of the user: seen on the disk, through whole runs."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder, Responder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from support.crew import bodies, by_role, settings_in
from support.sampling import sampled

pytestmark = pytest.mark.anyio

TEXT = "Dear Ada, the contract ends in March.\n" * 40
FILES = {
    "important.txt": TEXT,
    "data/numbers.csv": "name,count\nada,3\nbob,4\n" * 20,
    "data/plan.md": "# Plan\nFirst of all\n",
}
STOPS = {"operations": [], "branch": "Interrupt", "problem": "done with it"}
LANGUAGES = [name for name in ("perl", "busybox", "git", "rsync") if shutil.which(name)]


def shell(command: str) -> dict[str, Any]:
    return {"operations": [{"function": "run_shell", "command": command}], "branch": "Continue"}


def python(code: str) -> dict[str, Any]:
    return {"operations": [{"function": "run_python_code", "code": code}], "branch": "Continue"}


async def ran(folder: Path, *replies: dict[str, Any], human: Responder | None = None, **more: Any) -> Journal:
    """A run in ``folder``/work in which the Programmer says this, one after the other."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    waiting = [*replies]
    model = by_role(
        Planner={"subtasks": [{"goal": "tidy up", "role": "Programmer"}]},
        Programmer=lambda _: waiting.pop(0) if waiting else STOPS,
        TaskScheduler={},
    )
    mode = "automatic" if human is None else "passive"
    request = RunRequest(
        task="Tidy up.", model="scripted:", workspace=work, mode=mode, desktop="none", **{"crew": "planned", **more}
    )
    return await session.run(request, settings_in(folder), model=model, human=human)


def filled(folder: Path) -> dict[str, str]:
    for name, text in FILES.items():
        file = folder / "work" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return dict(FILES)


def held(folder: Path) -> dict[str, str]:
    work = folder / "work"
    return {str(p.relative_to(work)): p.read_text() for p in work.rglob("*") if p.is_file() and not p.is_symlink()}


DESTROYING = [
    shell("rm important.txt"),
    shell("rm -rf data"),
    shell("python3 -c \"import os; os.remove('important.txt')\""),
    shell("find . -name '*.txt' -exec rm {} +"),
    shell("find . -type f -exec sh -c ': > \"$1\"' sh {} \\;"),
    shell("truncate -s 0 important.txt"),
    shell("truncate -s 5 important.txt"),
    shell(": > important.txt"),
    shell("> important.txt"),
    shell("mv important.txt /dev/null || cp /dev/null important.txt"),
    shell("mv important.txt /tmp/"),
    shell("cp /dev/null important.txt"),
    shell("dd if=/dev/zero of=important.txt bs=1k count=2 2>/dev/null"),
    shell("sed -i d important.txt"),
    shell("tar --remove-files -cf /tmp/x.tar data"),
    shell("echo cm0gaW1wb3J0YW50LnR4dA== | base64 -d | sh"),
    shell("echo nothing else > important.txt"),
    shell("cp data/plan.md important.txt"),
    shell("mv data/plan.md important.txt"),
    shell("tee important.txt < /dev/null"),
    shell("ln -sf /etc/passwd important.txt"),
    shell("rm important.txt && mkdir important.txt"),
    shell("mkdir new && mv data new/ && rm -r new"),
    shell("gzip -c important.txt > /tmp/a.gz; shred -u important.txt 2>/dev/null || unlink important.txt"),
    shell('awk \'BEGIN { printf "" > "important.txt" }\''),
    python("import os\nos.replace('data/plan.md', 'important.txt')"),
    python("open('important.txt', 'w').write('x')"),
    python("import shutil\nshutil.rmtree('data')"),
    python("from pathlib import Path\nPath('important.txt').write_bytes(b'')"),
    python("import subprocess\nsubprocess.run(['unlink', 'important.txt'])"),
    python("import ctypes\nctypes.CDLL(None).unlink(b'important.txt')"),
    python("import os\nf = os.open('important.txt', os.O_RDWR)\nos.ftruncate(f, 0)"),
    *([shell("perl -e 'unlink \"important.txt\"'")] if "perl" in LANGUAGES else []),
    *([shell("busybox rm important.txt")] if "busybox" in LANGUAGES else []),
    *([shell("mkdir /tmp/e; rsync -r --delete /tmp/e/ ./")] if "rsync" in LANGUAGES else []),
    *([shell("git init -q . && git clean -fdxq")] if "git" in LANGUAGES else []),
]


@pytest.mark.parametrize(
    "wanted", sampled(DESTROYING, 7), ids=lambda each: str(list(each["operations"][0].values())[1])[:60]
)
async def test_what_destroys_is_asked_about_and_with_nobody_there_nothing_of_it_lands(
    tmp_path: Path, wanted: dict[str, Any]
) -> None:
    before = filled(tmp_path)
    journal = await ran(tmp_path, wanted)
    found = held(tmp_path)
    assert {name: text for name, text in found.items() if not name.startswith(".git/")} == before
    assert [body.by for body in bodies(journal, e.OperationDenied)] == ["nobody"]
    assert not list((tmp_path / "data" / "layers").glob("*/*"))


KEEPING = [
    (shell("echo 1 > note.txt && rm note.txt && echo 2 > other.txt"), {"other.txt": "2\n"}, set[str]()),
    (shell("mv important.txt renamed.txt"), {"renamed.txt": TEXT}, {"important.txt"}),
    (shell("mv data moved"), {"moved/plan.md": FILES["data/plan.md"]}, {"data/plan.md", "data/numbers.csv"}),
    (shell("sed -i s/March/May/ important.txt"), {"important.txt": TEXT.replace("March", "May")}, set[str]()),
    (shell("cp important.txt a.bak && echo new > important.txt"), {"important.txt": "new\n", "a.bak": TEXT}, set[str]()),
    (python("import os\nos.rename('data', 'moved')"), {"moved/plan.md": FILES["data/plan.md"]}, {"data/plan.md"}),
    (python("open('important.txt', 'a').write('PS')"), {"important.txt": TEXT + "PS"}, set[str]()),
    (shell("mkdir -p a/b && echo c > a/b/c && rm -r a && mkdir a && echo d > a/d"), {"a/d": "d\n"}, set[str]()),
]


@pytest.mark.parametrize(("wanted", "there", "gone"), sampled(KEEPING, 3), ids=lambda each: None)
async def test_what_loses_nothing_lands_without_a_question(
    tmp_path: Path, wanted: dict[str, Any], there: dict[str, str], gone: set[str]
) -> None:
    filled(tmp_path)
    journal = await ran(tmp_path, wanted)
    found = held(tmp_path)
    assert {name: found.get(name) for name in there} == there
    assert not gone & set(found)
    assert bodies(journal, e.OperationDenied) == []


async def test_who_is_asked_sees_what_would_be_lost_the_largest_first(tmp_path: Path) -> None:
    filled(tmp_path)
    asked: list[OperationQuestion] = []

    async def operation(question: OperationQuestion) -> Approval:
        asked.append(question)
        assert (tmp_path / "work/important.txt").read_text() == TEXT, "nothing lands before the answer"
        return Approval(allowed=True)

    journal = await ran(tmp_path, shell("rm important.txt; : > data/plan.md"), human=PythonResponder(operation=operation))
    assert len(asked) == 1
    assert asked[0].risk == "destroy"
    assert 0 < asked[0].why.index("important.txt (removed, 1.5 KB)") < asked[0].why.index("data/plan.md (emptied, 20 bytes)")
    assert held(tmp_path) == {"data/plan.md": "", "data/numbers.csv": FILES["data/numbers.csv"]}
    assert (await replay(journal)).equal


async def test_a_replay_decides_again_what_nobody_approved(tmp_path: Path) -> None:
    filled(tmp_path)
    journal = await ran(tmp_path, shell("rm important.txt"), shell("echo 1 > new.txt"))
    assert (await replay(journal)).equal
    assert (tmp_path / "work/new.txt").exists()


POLICY = """
[[rules]]
name = "not-the-plan"
effect = "deny"
risk = "write"
path = "data/plan.md"

[[rules]]
name = "private"
effect = "deny"
path = ["secret", "secret/**"]
"""


async def test_path_rules_are_judged_on_the_paths_that_code_really_changes(tmp_path: Path) -> None:
    before = filled(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY)
    code = "import os\nopen(os.path.join('da' + 'ta', 'pl' + 'an.md'), 'a').write('more')"
    journal = await ran(tmp_path, python(code), policy=tmp_path / "policy.toml")
    assert held(tmp_path) == before
    assert [(body.by, body.rule) for body in bodies(journal, e.OperationDenied)] == [("policy", "not-the-plan")]


async def test_paths_that_a_policy_denies_are_not_there_for_programs(tmp_path: Path) -> None:
    filled(tmp_path)
    secret = tmp_path / "work/secret/key.txt"
    secret.parent.mkdir()
    secret.write_text("CANARY")
    (tmp_path / "policy.toml").write_text(POLICY)
    look = shell("cat s*/* > out.txt; ls -R >> out.txt; true")
    overwrite = python("import os\nd = 'sec' + 'ret'\nos.makedirs(d)\nopen(d + '/key.txt', 'w').write('x')")
    await ran(tmp_path, look, policy=tmp_path / "policy.toml")
    journal = await ran(tmp_path, overwrite, policy=tmp_path / "policy.toml")
    out = (tmp_path / "work/out.txt").read_text()
    assert "CANARY" not in out
    assert "secret" not in out
    assert secret.read_text() == "CANARY"
    assert [body.rule for body in bodies(journal, e.OperationDenied)] == ["private"], bodies(journal, e.ActionFinished)


async def test_what_another_program_changed_meanwhile_stays_as_it_is(tmp_path: Path) -> None:
    filled(tmp_path)
    work = tmp_path / "work"

    async def operation(question: OperationQuestion) -> Approval:
        (work / "important.txt").write_text("saved by the editor")
        return Approval(allowed=True)

    wanted = shell("echo x > important.txt; rm data/plan.md")
    journal = await ran(tmp_path, wanted, human=PythonResponder(operation=operation))
    assert (work / "important.txt").read_text() == "saved by the editor"
    assert not (work / "data/plan.md").exists()
    ended = bodies(journal, e.ActionFinished)[0]
    assert not ended.ok
    assert "important.txt: another program changed it meanwhile" in ended.error


KILLED = """
import os, signal, sys
from pathlib import Path
import anyio
sys.path.insert(0, {tests!r})
from deskcrew.environments.layer import Layer
from test_commands import ran, shell

landed = 0
bring = Layer._bring

def dying(self, *args):
    global landed
    landed += 1
    if landed > {after}:
        os.kill(os.getpid(), signal.SIGKILL)
    return bring(self, *args)

Layer._bring = dying
anyio.run(lambda: ran(Path({folder!r}), shell("for n in 1 2 3 4; do echo $n >> log; cp important.txt $n.txt; done")))
"""


@pytest.mark.fault
@pytest.mark.parametrize("after", sampled([0, 2], 1))
@pytest.mark.deep
async def test_what_was_allowed_and_had_not_all_landed_when_the_process_was_killed_lands_once(
    tmp_path: Path, after: int
) -> None:
    filled(tmp_path)
    code = KILLED.format(tests=str(Path(__file__).parent), folder=str(tmp_path), after=after)
    killed = await anyio.run_process([sys.executable, "-c", code], check=False)
    assert killed.returncode == -9, killed.stderr.decode()
    settings = settings_in(tmp_path)
    model = by_role(Planner={}, Programmer=STOPS, TaskScheduler={})
    journal = await session.resume("last", settings, model=model)
    assert bodies(journal, e.ActionInterrupted)
    assert held(tmp_path) == FILES | {"log": "1\n2\n3\n4\n"} | {f"{n}.txt": TEXT for n in range(1, 5)}
    assert not (settings.data / "layers" / journal.run).exists() or not os.listdir(settings.data / "layers" / journal.run)


@pytest.mark.parametrize("second", ["echo two > made.txt", "rm made.txt"])
async def test_a_crew_puts_its_own_work_right_without_asking(tmp_path: Path, second: str) -> None:
    filled(tmp_path)
    journal = await ran(tmp_path, shell("echo one > made.txt"), shell(second))
    assert bodies(journal, e.OperationDenied) == []
    assert held(tmp_path).get("made.txt") == ("two\n" if "two" in second else None)


async def test_what_a_user_had_is_not_the_crews_own_wherever_it_lies(tmp_path: Path) -> None:
    filled(tmp_path)
    steps = ("mv important.txt made.txt", "echo more >> made.txt", "echo two > made.txt")
    journal = await ran(tmp_path, *map(shell, steps))
    assert [body.risk for body in bodies(journal, e.OperationDenied)] == ["destroy"]
    assert held(tmp_path)["made.txt"] == f"{TEXT}more\n"


async def test_a_file_that_is_renamed_and_edited_is_not_lost(tmp_path: Path) -> None:
    filled(tmp_path)
    step = "sed 's/March/April/' important.txt > letter.txt && rm important.txt"
    journal = await ran(tmp_path, shell(step))
    assert bodies(journal, e.OperationDenied) == []
    assert sorted(held(tmp_path)) == ["data/numbers.csv", "data/plan.md", "letter.txt"]


@pytest.mark.parametrize("step", ["echo Dear Ada > b.txt; rm important.txt", "cp data/plan.md b.txt; rm important.txt"])
async def test_a_file_of_which_little_is_left_is_lost(tmp_path: Path, step: str) -> None:
    filled(tmp_path)
    journal = await ran(tmp_path, shell(step))
    assert [body.risk for body in bodies(journal, e.OperationDenied)] == ["destroy"]
    assert held(tmp_path)["important.txt"] == TEXT
