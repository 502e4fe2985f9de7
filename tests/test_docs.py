"""The documentation site: it builds, its links lead somewhere, it fetches nothing, and it says what the code says."""

from __future__ import annotations

import ast
import functools
import http.server
import inspect
import itertools
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, get_args
from urllib.parse import unquote, urljoin, urlsplit

import lxml.html
import pytest
from playwright.sync_api import sync_playwright

from cli.conftest import Cli, Result, cli
from deskcrew.engine.roles.role import ALWAYS, PROTOCOL
from deskcrew.environments.search import factory as search
from deskcrew.learning.skills import folders
from deskcrew.learning.skills.lexicon import shipped
from deskcrew.models.reference import KEY_VARIABLES
from deskcrew.ways_in.cli import reference

__all__ = ["cli"]
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FETCHES = (("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("object", "data"), ("embed", "src"))
"""What a browser fetches by itself; so are links in a page's head."""
OF_USERS = ("settings.toml", "models.toml", "policy.toml", "strict.toml", "cases.toml", "job.toml", "NAME.toml")
"""Files that users write; they are in no repository."""
TEXTS = (".py", ".md", ".toml", ".html", ".js", ".sh")


WITHOUT_PYTHON = f"""
INHERIT: {ROOT / "mkdocs.yml"}
docs_dir: {DOCS}
hooks: [{ROOT / "tools/docs_hooks.py"}]
plugins: [search]
"""
"""All pages, but the reference of the Python interface is empty: reading the code for it is more than half of the work."""


def built(folder: Path, *options: str) -> Path:
    """The site, built strictly without a way out to the network."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    environment = {**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", *options, "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module", params=["without python", pytest.param("whole", marks=pytest.mark.deep)])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    if request.param == "whole":
        return built(folder / "site")
    (folder / "mkdocs.yml").write_text(WITHOUT_PYTHON)
    return built(folder / "site", "--config-file", str(folder / "mkdocs.yml"))


@functools.cache
def parsed(path: Path) -> Any:
    return lxml.html.parse(str(path)).getroot()


@functools.cache
def places(path: Path) -> frozenset[str | None]:
    """What a link into a page may name."""
    return frozenset(name for element in parsed(path).iter() for name in (element.get("id"), element.get("name")))


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def targets(page: Path, site: Path) -> Iterator[tuple[str, Path, str]]:
    """Every link and picture of a page that leads into the site: as it is written, its file and its anchor."""
    here = f"http://site/{page.relative_to(site)}"
    for element in parsed(page).iter("a", "img", "script", "link"):
        told = element.get("href") or element.get("src")
        if not told or urlsplit(told).scheme in ("mailto", "data"):
            continue
        parts = urlsplit(urljoin(here, told))
        if parts.netloc == "site":
            file = site / unquote(parts.path).lstrip("/")
            yield told, file / "index.html" if file.is_dir() else file, unquote(parts.fragment)


def test_every_link_leads_to_a_page_and_every_anchor_to_a_place(site: Path) -> None:
    broken: list[str] = []
    for page in pages(site):
        if page.name == "404.html":
            continue  # shown at any address, so its links are absolute
        for told, file, anchor in targets(page, site):
            there = file.is_file()
            if there and anchor and file.suffix == ".html":
                there = anchor in places(file)
            if not there:
                broken.append(f"{page.relative_to(site)}: {told}")
    assert broken == []
    assert len(pages(site)) > 30


def test_a_page_names_nothing_outside_that_a_browser_would_fetch(site: Path) -> None:
    named: list[str] = []
    for page in pages(site):
        found = [element.get(name) for tag, name in FETCHES for element in parsed(page).iter(tag)]
        found += [element.get("href") for element in parsed(page).iter("link") if element.get("rel") != "canonical"]
        named += [f"{page.relative_to(site)}: {told}" for told in found if told and re.match(r"(\w+:)?//", told)]
    for style in site.rglob("*.css"):
        outside = re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)", style.read_text())
        named += [f"{style.relative_to(site)}: {told}" for told in outside]
    assert named == []


@pytest.fixture
def served(site: Path) -> Generator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.deep
@pytest.mark.parametrize("site", ["whole"], indirect=True)
def test_a_browser_asks_nobody_else_and_the_search_finds(served: str) -> None:
    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        try:
            page = browser.new_page()
            page.on("request", lambda request: asked.append(request.url))
            page.route(lambda url: not url.startswith((served, "data:", "blob:")), lambda route: route.abort())
            for address in ("", "tutorial/", "reference/cli/", "reference/events/", "design/loop/"):
                page.goto(served + address)
                page.wait_for_load_state("networkidle")
            page.set_default_timeout(60_000)
            page.click("input[name=query]")
            # The index is read by a worker; what is typed before that is lost.
            page.wait_for_function("!/^Init/.test(document.querySelector('.md-search-result__meta').textContent.trim())")
            page.locator("input[name=query]").press_sequentially("journal")
            page.wait_for_selector(".md-search-result__link", state="attached")
            found = page.locator(".md-search-result__link").first.get_attribute("href") or ""
        finally:
            browser.close()
    assert [url for url in asked if not url.startswith((served, "data:", "blob:"))] == []
    assert found.startswith(served)


def test_what_the_reference_of_the_python_interface_names_is_there() -> None:
    marked = re.findall(r"^<!-- generated: python_(\w+) -->$", (DOCS / "reference/python.md").read_text(), re.MULTILINE)
    assert sorted(marked) == sorted(reference.PYTHON)
    for name in itertools.chain(*reference.PYTHON.values()):
        pkgutil.resolve_name(name)  # raises where there is no such thing


def rows(head: str) -> dict[str, list[str]]:
    """The rows of the table of the Python page with this head, by each name in their first cell."""
    page = (DOCS / "reference/python.md").read_text()
    table = page[page.index(f"| {head} |") :].partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\\\)\|", line)[1:-1]] for line in table]
    found = [(name, row) for row in cells for name in re.findall(r"`\"?(\w+)", row[0])]
    assert len({name for name, _ in found}) == len(found), "each is told once"
    return dict(found)


def test_the_python_page_on_disk_has_every_option_field_and_error() -> None:
    import deskcrew
    from deskcrew.engine.human import questions
    from deskcrew.engine.request import RunRequest

    options = rows("option | type, default |")
    assert set(options) == set(deskcrew.Options.__annotations__)
    defaults = {field.name: field.default for field in fields(RunRequest)}
    told = {name: re.findall(r"`([^`]*)`$", row[1]) for name, row in options.items()}
    literal = {
        name: ast.literal_eval(found[0])
        for name, found in told.items()
        if (found and "." not in found[0][1:] and found[0][:1] in '("0123456789') or found in (["False"], ["None"])
    }
    assert literal == {name: defaults[name] for name in literal}
    assert len(literal) > 12
    public = {name for name, each in inspect.getmembers(deskcrew.Result) if not name.startswith(("_", "model_"))}
    named = set(rows("field of `Result` | type |"))
    assert set(deskcrew.Result.model_fields) <= named
    assert named <= public | set(deskcrew.Result.model_fields)
    asked = rows("`type` | fields | answers")
    assert set(asked) == {"operation", "reply", "help", "limit"}
    for question in get_args(questions.Question):
        row = asked[question.model_fields["type"].default][1]
        shown = set(re.findall(r"`\.?(\w+)", row)) | {"note", "tried", "type"}
        assert set(question.model_fields) <= shown, question
    public_types = {name: getattr(deskcrew, name) for name in deskcrew.__all__ if inspect.isclass(getattr(deskcrew, name))}
    public_errors = {name for name, type_ in public_types.items() if issubclass(type_, Exception)}
    assert set(rows("error | when")) == public_errors - {"DeskcrewError"}


def test_the_function_of_the_page_about_actions_is_asked_about_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import deskcrew

    page = (DOCS / "how-to/add-an-action.md").read_text()
    code = page[page.index("## From Python") :].split("```python\n")[1].split("```")[0]
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path))
    monkeypatch.setenv("DESKCREW_CREW", "solo")
    operation = {"function": "pay", "amount": 3}
    model, asked = deskcrew.ScriptedModel([{"operations": [operation], "branch": "RoleTaskFinish"}]), list[str]()

    def answer(question: Any) -> bool:
        asked.append(f"{question.operation.function} {question.risk}")
        return True

    def run(task: str, *, actions: Any) -> None:
        done = deskcrew.run(task, actions=actions, model=model, ask=answer, desktop="none")
        assert done.operations == 1

    api = SimpleNamespace(Action=deskcrew.Action, run=run)
    exec(compile(code, "page", "exec"), {"deskcrew": api, "Annotated": Annotated})
    assert asked == ["pay spend"]


def test_the_script_that_answers_questions_runs_as_it_stands(tmp_path: Path) -> None:
    page = (DOCS / "reference/python.md").read_text()
    (script,) = (code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "REPLIES" in code)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers/old.txt").write_text("old")
    (tmp_path / "papers/new.txt").write_text("new")
    environment = {**os.environ, "DESKCREW_DATA": str(tmp_path / "data"), "DESKCREW_CONFIG": str(tmp_path / "config")}
    environment.pop("DESKCREW_CREW", None)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Worker delete_file {'path': 'old.txt'} destroy" in done.stdout
    assert ": done" in done.stdout
    assert not (tmp_path / "papers/old.txt").exists()
    assert (tmp_path / "papers/new.txt").exists()


def test_a_document_that_is_named_is_there() -> None:
    """Docstrings, messages and pages outside of the site name documents by their path in the repository."""
    rooms = ("src", "tools", "docs", "bench", "examples")
    files = [path for room in rooms for path in (ROOT / room).rglob("*") if path.suffix in TEXTS]
    files += [ROOT / "Makefile", ROOT / "pyproject.toml", *ROOT.glob("*.md")]
    missing: list[str] = []
    for path in files:
        if {"vendor", "history", "results", "chores", ".venv"} & set(
            path.parts
        ):  # strangers' chores have documents of their own
            continue
        for told in set(re.findall(r"\bdocs/[\w/-]+(?:\.(?:md|png)|/(?=[\s)`\"']))", path.read_text())):
            if not (ROOT / told).exists():
                missing.append(f"{path.relative_to(ROOT)}: {told}")
    assert missing == []


def test_modules_that_the_design_names_are_there() -> None:
    """Paths in `code`: relative to the package or to the repository, or a file's name alone."""
    there = {path.relative_to(ROOT).as_posix() for path in ROOT.joinpath("src").rglob("*") if path.is_file()}
    there |= {path.name for path in ROOT.iterdir()}
    there |= {
        path.relative_to(ROOT).as_posix()
        for room in ("tests", "bench", "tools", "examples")
        for path in (ROOT / room).rglob("*")
    }
    missing: list[str] = []
    for page in [*DOCS.rglob("*.md"), ROOT / "AGENTS.md"]:
        if "history" in page.parts:
            continue
        for told in set(re.findall(r"`((?:[\w-]+/)*[\w-]+\.(?:py|js|toml))`", page.read_text())):
            if told not in OF_USERS and not any(path == told or path.endswith(f"/{told}") for path in there):
                missing.append(f"{page.relative_to(ROOT)}: {told}")
    assert missing == []


def test_pages_are_short_and_designs_have_a_figure() -> None:
    """A page says what holds and how it is done; how it came about is in the history of the repository."""
    words = {page.relative_to(ROOT).as_posix(): len(page.read_text().split()) for page in DOCS.rglob("*.md")}
    assert sum(words.values()) <= 30_000
    assert {page: count for page, count in words.items() if count > (900 if "/design/" in page else 1_200)} == {}
    assert len((ROOT / "bench/README.md").read_text().split()) <= 2_500
    figure = re.compile(r"^(?:```text|!\[)", re.MULTILINE)
    bare = [page.name for page in DOCS.glob("design/*.md") if not figure.search(page.read_text())]
    assert bare == []


def text_of(site: Path, page: str) -> str:
    return parsed(site / page / "index.html").text_content()


def test_the_reference_has_every_command_event_key_and_variable(site: Path) -> None:
    from typer.main import get_command

    from deskcrew.facts import events
    from deskcrew.ways_in.cli.app import build

    commands = text_of(site, "reference/cli")
    assert [name for name in get_command(build()).commands if f"deskcrew {name}" not in commands] == []  # type: ignore[attr-defined]
    kinds = get_args(get_args(events.Body)[0])
    assert [kind.__name__ for kind in kinds if f"{kind.__name__} (" not in text_of(site, "reference/events")] == []
    keys = (DOCS / "reference/roles.md").read_text()
    assert [key for key in (*PROTOCOL, *ALWAYS) if f"`{key}`" not in keys] == []
    variables = (*KEY_VARIABLES.values(), *search.KEY_VARIABLES.values())
    told = text_of(site, "reference/settings")
    assert [name for names in variables for name in names if name not in told] == []


def test_the_readme_counts_the_chores_that_are_there() -> None:
    there = sum(1 for _ in folders.find(ROOT / "nowhere", ROOT / "nowhere", folders.SHIPPED))
    assert f"[{there} everyday chores]" in (ROOT / "README.md").read_text()
    page = DOCS / "how-to/everyday-chores.md"
    listed = re.findall(r"^\| `([\w-]+)` \| \w", reference.filled(page.read_text()), re.MULTILINE)
    assert listed == sorted(skill.name for skill in shipped())
    assert "`deskcrew skill list --shipped` shows them." in page.read_text(), "a clone shows the page as it is"


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each ``deskcrew ...`` that a page shows, in a line of its own or within a sentence."""
    pieces = re.split(r"^ *```", page.read_text().replace("\\\n", " "), flags=re.MULTILINE)
    blocks = [piece for piece in pieces[1::2] if re.match(r"(?:sh|console|text)?\n", piece)]
    prose = "\n".join(pieces[::2])
    blocks += re.findall(r"^ {4}deskcrew .*$", prose, re.MULTILINE)
    lines = [line for block in blocks for line in re.findall(r"\bdeskcrew [a-z].*$", block, re.MULTILINE)]
    for line in (*lines, *re.findall(r"`(deskcrew [a-z][^`]*)`", " ".join(prose.split()))):
        yield shlex.split(re.split(r" # |[;|]| {3}", line)[0])[1:]


def unknown(words: list[str], command: Any) -> list[str]:
    """Those of the words that the command does not know: a command below it, or an option."""
    while words and hasattr(command, "get_command"):
        found = command.get_command(None, words[0])
        if found is None:
            return words[:1] if re.fullmatch(r"[a-z][a-z0-9-]+", words[0]) else []
        words, command = words[1:], found
    names = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help"}
    return [word for word in words if re.match(r"--[a-z]", word) and word.partition("=")[0] not in names]


def test_commands_and_options_that_pages_show_are_there() -> None:
    from typer.main import get_command

    from deskcrew.ways_in.cli.app import build
    from deskcrew.ways_in.cli.plugins import plain_flags

    program = plain_flags(get_command(build()))
    pages = (*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "bench/README.md")
    shown = [(page, words) for page in pages for words in commands(page)]
    assert len(shown) > 200
    assert [f"{page.name}: {' '.join(words)}" for page, words in shown if unknown(words, program)] == []


RECORDED = """deskcrew() { printf '%s\\0' "$@"; }
"""
"""Takes the place of the command in a shell: prints the words that it is given."""


def test_the_scripted_steps_of_the_tutorial_end_as_it_says(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    tutorial = (DOCS / "tutorial.md").read_text()
    step = tutorial[tutorial.index("## 3.") : tutorial.index("## 4.")]
    folder = tmp_path / "deskcrew-tutorial"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("DESKCREW_CREW")
    monkeypatch.chdir(folder)

    def told(script: str) -> Result:
        """What comes of a script whose only call of the command is made here, after what it does besides."""
        done = subprocess.run(["bash", "-euc", RECORDED + script], capture_output=True, text=True, check=True)
        *words, _ = done.stdout.split("\0")
        return cli(*words)

    first, wrong = (told(script) for script in re.findall(r"```sh\n(.*?)```", step, re.DOTALL))
    assert "done, verified by checks" in first.out
    assert wrong.code == 4
    assert "done, verified" not in wrong.out
    (number,) = re.findall(r"#(\d+) ● Worker", cli("log", "last").out)
    (command,) = re.findall(r"deskcrew (rewind RUN EVENT .*)", tutorial)
    words = shlex.split(command.replace("RUN", "last").replace("EVENT", number))
    assert cli(*words, "--yes").code == 0, "as the page words it, with a number of the log"


LAX = "#!/bin/sh\ntest -e report.txt\n"


@pytest.mark.parametrize(("total", "program", "code"), [(348, "", 0), (347, "", 4), ("347 348 349", "", 4), (348, LAX, 3)])
def test_the_program_of_the_page_about_checking_says_yes_to_what_is_right_alone(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, total: int | str, program: str, code: int
) -> None:
    page = (DOCS / "how-to/say-what-must-hold.md").read_text()
    (shown,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("total.py").write_text(program or shown)
    Path("papers").mkdir()
    Path("papers/sales.csv").write_text("item,amount\nrent,300\npens,48\n")
    written = {"function": "write_file", "file_path": "report.txt", "text": f"Total {total}"}
    replies = [
        {"subtasks": [{"goal": "write the total", "role": "FileManager"}]},
        {"operations": [written], "branch": "RoleTaskFinish"},
    ]
    Path("replies.json").write_text(json.dumps(replies))
    words = next(words for words in commands(DOCS / "how-to/say-what-must-hold.md") if "--check" in words)
    assert cli(*words, "--desktop", "none", "--model", "scripted:replies.json").code == code
