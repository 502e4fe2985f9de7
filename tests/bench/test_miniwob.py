"""MiniWoB++: its pages begin from a seed and tell what came of them, its runner counts right, its controls get nothing."""

from __future__ import annotations

import importlib.util
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import deskcrew
from cli.conftest import Cli
from deskcrew.environments.browser.launch import program
from deskcrew.errors import UsageError
from deskcrew.facts.events import ActionStarted, Event
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Settings
from deskcrew_bench.miniwob import suite as miniwob
from deskcrew_bench.miniwob.pages import Episode, Pages, folder_of_pages, names_in
from deskcrew_bench.suites.trial import Trial
from support.crew import settings_in
from support.killing import kill_browsers
from support.sampling import sampled

LISTS = Path(__file__).parents[2] / "bench/miniwob"
TRAIN = names_in(LISTS / "train.txt")
SMOKE = names_in(LISTS / "smoke.txt")
SOURCE = Path(deskcrew.__file__).parent
browser = pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")


@pytest.fixture
def pages() -> Iterator[Pages]:
    with Pages(folder_of_pages(), TRAIN) as served:
        yield served


def fetched(address: str, body: dict[str, Any] | None = None) -> tuple[int, str]:
    data = json.dumps(body).encode() if body is not None else None
    try:
        with urlopen(Request(address, data=data)) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except HTTPError as error:
        return error.code, ""


def test_the_lists_name_pages_that_are_there() -> None:
    assert len(TRAIN) == 62
    assert len(SMOKE) == 6
    assert set(SMOKE) < set(TRAIN)
    twenty = names_in(LISTS / "twenty.txt")
    assert len(twenty) == 20
    assert set(twenty) < set(TRAIN)
    folder = folder_of_pages()
    assert [name for name in TRAIN if not (folder / "miniwob" / f"{name}.html").is_file()] == []


def test_no_other_page_is_served(pages: Pages) -> None:
    episode = pages.episode(SMOKE[0], 1)
    assert fetched(episode.address)[0] == 200
    assert fetched(f"http://{pages.host}/1/core/core.js")[0] == 200
    for path in (
        "/1/miniwob/click-button.html",
        f"/1/miniwob/{SMOKE[0]}.html",
        "/2/page/",
        "/1/core/../../registry.py",
        "/",
    ):
        assert fetched(f"http://{pages.host}{path}")[0] == 404, path
    with pytest.raises(UsageError, match="no page"):
        Pages(folder_of_pages(), ["nothing-like-this"])


def test_only_the_page_itself_can_report(pages: Pages) -> None:
    episode = pages.episode(SMOKE[0], 1)
    assert fetched(f"http://{pages.host}/1/told/guessed", {"over": True, "reward": 1})[0] == 403
    assert not episode.over
    assert fetched(f"http://{pages.host}/1/told/{episode.secret}", {"over": True, "reward": -1})[0] == 200
    assert fetched(f"http://{pages.host}/1/told/{episode.secret}", {"over": True, "reward": 1})[0] == 200
    assert episode.reward == -1


def test_the_address_does_not_say_which_task_it_is(pages: Pages) -> None:
    assert not any(name in pages.episode(name, 1).address for name in TRAIN)


def test_without_the_package_a_person_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError) as raised:
        folder_of_pages()
    assert "pip install --no-deps" in raised.value.hint
    with pytest.raises(UsageError):
        folder_of_pages(tmp_path)


def test_a_list_of_tasks_has_remarks(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("# some\na  # first\n\nb\na\n", encoding="utf-8")
    assert names_in(file) == ("a", "b")
    file.write_text("# none\n", encoding="utf-8")
    for name in (file, tmp_path / "missing"):
        with pytest.raises(UsageError):
            names_in(name)


# -- episodes in a real browser


def label(call: Call, what: str) -> str:
    found = re.search(rf"^(\S+) {what}", call.text("volatile"), flags=re.MULTILINE)
    assert found, f"no {what} in the prompt:\n{call.text('volatile')}"
    return found.group(1)


def types_and_submits(text: str | None) -> Any:
    """Types ``text``, None: what the task quotes, and presses the button."""

    def reply(call: Call) -> dict[str, Any]:
        quoted = re.search(r'Your part: .*?"(.+?)"', call.text("volatile"))
        assert quoted, call.text("volatile")
        typing = {"function": "keyboard_input", "control": label(call, "text field"), "keys": text or quoted[1]}
        press = {"function": "click_input", "control": label(call, 'button "Submit"')}
        return {"operations": [typing, press], "branch": "RoleTaskFinish"}

    return reply


async def played(tmp_path: Path, pages: Pages, key: tuple[str, int], model: str, loaded: ScriptedModel | None) -> Trial:
    with miniwob.Instructions(pages, tmp_path / "asked") as asked:
        by = (model, "solo", True, ())
        return await miniwob.attempt(key, pages, asked.of, settings_in(tmp_path), by=by, loaded=loaded)


@browser
@pytest.mark.anyio
@pytest.mark.parametrize(("text", "reward"), sampled([("no", -1.0), (None, 1.0)], 1))
@pytest.mark.deep
async def test_the_page_says_what_came_of_it_and_the_run_ends(
    tmp_path: Path, pages: Pages, text: str | None, reward: float
) -> None:
    model = ScriptedModel(itertools.repeat(types_and_submits(text)))
    trial = await played(tmp_path, pages, ("enter-text", 3), "scripted", model)
    assert (trial.right, trial.success, trial.broken) == (reward > 0, reward > 0, False)
    assert trial.said == f"reward {reward:g}"
    assert trial.operations == 2
    assert len(model.calls) <= 2, "nobody is asked to go on when the page is over"
    prompt = model.calls[0].text("volatile")
    assert "reward" not in prompt.lower(), "the display of rewards is hidden"
    assert "START" not in prompt
    assert prompt.count('Enter "') == 1, "the instruction is told, and not read off the page as well"


@pytest.mark.deep
@browser
@pytest.mark.anyio
async def test_an_episode_that_is_not_brought_to_an_end_is_no_success(tmp_path: Path, pages: Pages) -> None:
    trial = await played(tmp_path, pages, ("enter-text", 3), "no-op", None)
    assert (trial.right, trial.success, trial.said) == (False, False, "the page's task was not over")
    assert trial.outcome in ("failed", "unverified")


@browser
@pytest.mark.deep
def test_a_trial_whose_browser_is_killed_is_no_result_and_is_done_again(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, killed = tmp_path / "kept.jsonl", list[str]()
    real = miniwob.attempt

    def watch(event: Event, journal: Journal) -> None:
        if isinstance(event.body, ActionStarted) and not killed:
            killed.append(journal.run)
            assert kill_browsers()

    async def watched(*given: Any, **named: Any) -> Trial:
        return await real(*given, **named, watch=watch)

    monkeypatch.setattr(miniwob, "attempt", watched)
    options = ("--seeds", "3,4", "--only", "enter-text", "--model", "random", "--tasks", str(LISTS / "train.txt"), "--json")
    series = ("bench", "miniwob", *options, "--data", str(tmp_path / "data"), "--jsonl", str(kept))
    first = cli(*series)
    assert first.code == 1
    assert [each["run"] for each in first.json["lost"]] == killed
    assert first.json["lost"][0]["why"].startswith("The browser has ended")
    assert "? enter-text (seed 3): no result: The browser has ended" in first.err
    assert "No result of 1 trial that lost the browser or desktop; the same command does them again: enter-text" in first.err
    assert [each["seed"] for each in first.json["trials"]] == [4], "the series has gone on"
    assert [json.loads(line)["seed"] for line in kept.read_text().splitlines()] == [4]
    again = cli(*series)
    assert (again.code, again.json["lost"]) == (0, [])
    assert [json.loads(line)["seed"] for line in kept.read_text().splitlines()] == [4, 3]


@pytest.mark.deep
@browser
def test_a_seed_makes_the_same_page_again(tmp_path: Path, pages: Pages) -> None:
    with miniwob.Instructions(pages, tmp_path / "asked") as asked:
        first = [asked.of("enter-text", seed) for seed in (1, 2, 3)]
        assert [asked.of("enter-text", seed) for seed in (1, 2, 3)] == first
    assert len(set(first)) > 1


def test_what_a_page_says_twice_counts_once() -> None:
    episode = Episode(1, "a", 1, "")
    episode.told({"instruction": " Do  this. "})
    episode.told({"over": True, "reward": 0.5, "reason": "why"})
    episode.told({"over": True, "reward": 1})
    assert (episode.instruction, episode.reward, episode.reason, episode.over) == ("Do this.", 0.5, "why", True)


@pytest.mark.deep
@browser
@pytest.mark.timeout(600)
@pytest.mark.parametrize("some", sampled([2, 6], 1))
def test_doing_nothing_gets_nothing_and_a_series_goes_on(tmp_path: Path, cli: Cli, some: int) -> None:
    kept, report, tasks = tmp_path / "kept.jsonl", tmp_path / "report.html", tmp_path / "tasks.txt"
    tasks.write_text("\n".join(names_in(LISTS / "smoke.txt")[:some]))
    options = ("--tasks", str(tasks), "--seeds", "1", "--data", str(tmp_path / "data"), "--json")
    first = cli("bench", "miniwob", "--model", "no-op", "--jsonl", str(kept), *options)
    assert first.code == 0, first.err
    assert first.json["totals"]["success"]["share"] == 0
    assert len(kept.read_text().splitlines()) == some
    cut = kept.read_text().splitlines()
    kept.write_text("\n".join([*cut[:-1], cut[-1][:40]]), encoding="utf-8")
    again = cli("bench", "miniwob", "--model", "no-op", "--jsonl", str(kept), "--html", str(report), *options)
    assert [each["run"] for each in again.json["trials"][:-1]] == [each["run"] for each in first.json["trials"][:-1]]
    assert again.json["trials"][-1]["run"] != first.json["trials"][-1]["run"]
    assert len(kept.read_text().splitlines()) == some, "the line that was cut is not left in the middle"
    assert "<h1>MiniWoB++</h1>" in report.read_text()
    compared = cli("bench", "compare", str(kept), str(_renamed(kept, "other")))
    assert f"{some} pairs of {some} tasks" in compared.out


def _renamed(file: Path, name: str) -> Path:
    other = file.with_name(f"{name}.jsonl")
    other.write_text(file.read_text(), encoding="utf-8")
    return other


@browser
@pytest.mark.anyio
@pytest.mark.llm
@pytest.mark.deep
@pytest.mark.timeout(900)
async def test_the_local_model_does_some_of_the_smoke_set(tmp_path: Path, pages: Pages) -> None:
    from deskcrew.models.factory import create
    from deskcrew.models.options import ModelOptions

    settings = Settings(data=tmp_path / "data", config=tmp_path / "config")
    loaded = create("local", options=ModelOptions(store_folder=settings.models))
    trials: list[Trial] = []
    try:
        with miniwob.Instructions(pages, tmp_path / "asked") as asked:
            for name in SMOKE:
                by = ("local", "default", True, ())
                trials.append(await miniwob.attempt((name, 1), pages, asked.of, settings, by=by, loaded=loaded))
    finally:
        await loaded.close()
    assert not any(trial.broken for trial in trials)
    assert all((trial.operations or 0) <= miniwob.STEPS for trial in trials)
    assert sum(trial.success for trial in trials) >= 3, [f"{each.task}: {each.said}" for each in trials]


# -- nothing of it is in the engine

_SAID = re.compile(r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)\"""")


def test_no_prompt_and_no_code_knows_a_page_of_it() -> None:
    engine = (path for path in SOURCE.rglob("*") if SOURCE / "bench" not in path.parents)
    files = [path for path in engine if path.suffix in (".py", ".md", ".js", ".toml") and "vendor" not in path.parts]
    assert len(files) > 300
    source = "\n".join(path.read_text() for path in files)
    names = set(re.findall(r"[\w-]+", source))  # each as long as it is: what an id or a task is called has no other letters
    assert not [name for name in TRAIN if not re.fullmatch(r"[\w-]+", name)]
    assert [name for name in TRAIN if name in names] == []
    words = re.findall(r"[a-z]+", source.casefold())
    six = {" ".join(words[at : at + 6]) for at in range(len(words) - 5)}
    folder = folder_of_pages()
    for name in TRAIN:
        page = (folder / "miniwob" / f"{name}.html").read_text()
        ids = {one for one in re.findall(r"\bid=[\"']([\w-]{4,})[\"']", page) if "-" in one or "_" in one}
        assert [one for one in ids if one in names] == [], name
        said = [re.findall("[a-z]+", re.sub("<.*?>", " ", one or two).casefold()) for one, two in _SAID.findall(page)]
        phrases = {" ".join(part[at : at + 6]) for part in said for at in range(len(part) - 5)}
        assert [phrase for phrase in phrases if phrase in six] == [], name
