"""The skills that are part of the package: each does what its examples say, is proven by a program that was written apart
from it, undone without a trace, and not done if its method is wrong."""

from __future__ import annotations

import ast
import hashlib
import itertools
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.code import CodeParams, run_python_code
from deskcrew.actions.sandbox import Sandbox
from deskcrew.engine.replay.live import LiveRequest
from deskcrew.engine.workshop.trying import request_for, try_skill
from deskcrew.environments.workspace import Workspace
from deskcrew.evidence.caller import raw_parts
from deskcrew.evidence.typed import Side, holds
from deskcrew.facts.events import ActionFinished
from deskcrew.facts.observation import Observation
from deskcrew.facts.verdict import Outcome
from deskcrew.learning.skills.folders import SHIPPED, find, load, read
from deskcrew.learning.skills.skill import Example, Skill
from support.crew import bodies, settings_in

pytestmark = pytest.mark.anyio

NAMES = [folder.name for _, folder in find(Path("nowhere"), Path("nowhere"), SHIPPED)]
EXAMPLES = [
    (name, number)
    for name in NAMES
    for number, _ in enumerate(load(read(SHIPPED / name, "shipped")).method.function.examples)  # type: ignore[union-attr]
]
WRONG = {
    "does nothing": "    return 'done'\n",
    "leaves the last out": """    import os
    from pathlib import Path
    def there():
        return {str(p): p.read_bytes() for p in Path('.').rglob('*') if p.is_file()}
    before = there()
    said = _right(**values)
    new = sorted(path for path, data in there().items() if before.get(path) != data)
    place = Path(new[-1])
    if len(new) > 1:
        place.unlink()
    elif place.suffix in ('.xlsx', '.xlsm'):
        import openpyxl
        book = openpyxl.load_workbook(place)
        sheet = book.worksheets[-1]
        sheet.delete_rows(sheet.max_row)
        book.save(place)
    elif place.suffix == '.docx':
        import docx
        document = docx.Document(place)
        last = [p for p in document.element.body.iter() if p.tag.endswith('}t') and p.text][-1]
        last.text = ''
        document.save(place)
    elif place.suffix == '.pdf':
        from pypdf import PdfReader, PdfWriter
        made = PdfWriter()
        pages = PdfReader(place).pages
        for page in pages[:-1]:
            made.add_page(page)
        if len(pages) == 1:
            made.add_blank_page(10, 10)
        made.write(place)
    elif place.suffix == '.zip':
        import zipfile
        with zipfile.ZipFile(place) as old:
            kept = {n: old.read(n) for n in old.namelist()[:-1]}
        with zipfile.ZipFile(place, 'w') as made:
            for name, data in kept.items():
                made.writestr(name, data)
    elif place.suffix.lower() in ('.png', '.jpg', '.jpeg', '.webp', '.gif', '.bmp', '.tif'):
        from PIL import Image
        with Image.open(place) as image:
            image.crop((0, 0, image.width, image.height - 1)).save(place)
    else:
        data = place.read_bytes().rstrip()
        place.write_bytes(data[: data.rfind(b'\\n') + 1] if b'\\n' in data else data[: len(data) // 2])
    return said
""",
    "touches another file": """    from pathlib import Path
    there = sorted(p for p in Path('.').rglob('*') if p.is_file())
    said = _right(**values)
    left = [p for p in there if p.is_file()]
    for place in left[:1]:
        place.chmod(0o600)
        place.write_bytes(place.read_bytes() + b' ')
    Path('left.tmp.txt').write_text('x')
    return said
""",
}
"""Wrong methods, which know nothing of what they spoil."""
NOTHING: Mapping[str, Any] = MappingProxyType({})
TEXTS = {".txt", ".md", ".log", ".csv", ".tsv", ".html", ".ics", ".vcf"}
BESIDE_COUNTS = {"of", "left", "not", "with", "without"}
"""Words that may follow a count, as they are the same after 1 and after 2."""


@cache
def shipped(name: str) -> Skill:
    return load(read(SHIPPED / name, "shipped"))


def takes_texts(name: str) -> bool:
    endings = {
        ending for each in shipped(name).method.parameters if each.given or each.kind == "files" for ending in each.endings
    }
    return not endings.isdisjoint(TEXTS)


def example_of(name: str, number: int) -> Example:
    function = shipped(name).method.function
    assert function is not None
    return function.examples[number]


def laid_out(example: Example, folder: Path) -> Path:
    folder.mkdir()
    for file in example.files:
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.path).write_bytes(file.text.encode())
    if example.setup:
        with Sandbox(folder) as sandbox:
            scene = Scene(Workspace(folder), sandbox, None, Observation())
            made = run_python_code(scene, CodeParams(code=example.setup, main_function=""), None)
        assert made.ok, made.error
    return folder


def tree(folder: Path) -> dict[str, str]:
    return {
        each.relative_to(folder).as_posix(): hashlib.sha256(each.read_bytes()).hexdigest()
        for each in folder.rglob("*")
        if each.is_file()
    }


async def used(skill: Skill, example: Example, folder: Path, home: Path) -> tuple[Outcome, str]:
    """How a run of it ended, and what it said."""
    settings = settings_in(home)
    request = replace(request_for(skill, settings, example.values), workspace=folder)
    ended = await try_skill(skill, example.values, LiveRequest(request), settings)
    outcome = ended.live.journal.state.outcome
    assert outcome is not None
    return outcome, " ".join(f"{body.text} {body.error}" for body in bodies(ended.live.journal, ActionFinished))


WHOLE = [case if case[1] == 0 else pytest.param(*case, marks=pytest.mark.deep) for case in EXAMPLES]
"""Whole runs of the first example of each skill; those of the others, which take the same way, are deep."""


TABLES = [
    (name, number)
    for name, number in EXAMPLES
    if str(example_of(name, number).values.get("result", "")).endswith(".csv")
    and not any(str(example_of(name, earlier).values.get("result", "")).endswith(".csv") for earlier in range(number))
]
"""The first example of each skill whose result is a table in a text file."""


@pytest.mark.deep
@pytest.mark.parametrize(("name", "number"), TABLES)
async def test_its_result_may_as_well_be_a_workbook(name: str, number: int, tmp_path: Path) -> None:
    example = example_of(name, number)
    values = example.values | {"result": str(example.values["result"]).removesuffix("csv") + "xlsx"}
    folder = laid_out(example, tmp_path / "work")
    outcome, said = await used(shipped(name), example.model_copy(update={"values": values}), folder, tmp_path)
    assert (outcome.status, outcome.verified_by) == ("done", "probe"), (outcome.why, said)


@pytest.mark.parametrize(("name", "number"), WHOLE)
async def test_it_does_its_examples(name: str, number: int, tmp_path: Path) -> None:
    example = example_of(name, number)
    folder = laid_out(example, tmp_path / "work")
    before = tree(folder)
    shutil.copytree(folder, tmp_path / "before")
    outcome, said = await used(shipped(name), example, folder, tmp_path)
    assert outcome.status == "done", (outcome.why, said)
    assert outcome.verified_by == "probe"
    assert outcome.strength.tried.get("mistake"), "copies with typical mistakes were rejected, all of them as it is done"
    came_true(example, folder, tmp_path / "before", before, said)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a program's files are closed as it ends
@pytest.mark.parametrize(("name", "number"), [case for case in EXAMPLES if case[1] > 0])
def test_its_method_and_its_check_agree_on_further_examples(
    name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill, example = shipped(name), example_of(name, number)
    folder = laid_out(example, tmp_path / "work")
    before = tree(folder)
    shutil.copytree(folder, tmp_path / "before")
    monkeypatch.chdir(folder)
    values, sets = skill.apart(skill.typed(example.values))
    method, check = called(skill, sets)
    said = str(method(**values))
    held, told = check(tmp_path / "before", folder, **values)
    assert held is True, told
    try:
        held, told = check(tmp_path / "before", tmp_path / "before", **values)
    except (AssertionError, OSError):  # what was made is missed, or cannot be opened as it is not there
        held = False
    assert held is not True, "where nothing was done it is not done"
    came_true(example, folder, tmp_path / "before", before, said)


def came_true(example: Example, folder: Path, start: Path, before: dict[str, str], said: str) -> None:
    """What an example says came of it, and was not so before."""
    assert example.tells in said
    assert set(before.values()) <= set(tree(folder).values()), "what was there is there, at least under another name"
    sides = (Side(folder, start, Observation()), Side(start, folder, Observation()))
    for expected in example.expects:
        assert holds(expected, sides[0])[0], holds(expected, sides[0])
    assert example.expects or example.tells
    assert not example.expects or not all(holds(expected, sides[1])[0] for expected in example.expects)


def called(skill: Skill, sets: Mapping[str, Any] = NOTHING) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A skill's method and its check, to be called here and not in a sandbox. ``sets``: what is set for both."""
    function = skill.method.function
    assert function is not None
    assert function.checker is not None
    method: dict[str, Any] = {}
    checker: dict[str, Any] = {"raw_parts": raw_parts}
    exec(skill.code, method)
    exec(skill.checker, checker)
    method.update(sets)
    checker.update(sets)
    return method[function.name], checker[function.checker.name]


@pytest.mark.parametrize(
    ("files", "told"), [("a.jpg", "a.jpg is a jpg already"), ("*.jp*", r"all of \*.jp\* are jpg already")]
)
def test_pictures_are_not_converted_into_what_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.jpg", "b.jpeg"):
        (tmp_path / name).touch()
    with pytest.raises(ValueError, match=told):
        called(shipped("convert-pictures"))[0](files, "jpg", "out")


@pytest.mark.parametrize("name", [name for name in NAMES if takes_texts(name)])
def test_its_check_reads_texts_that_are_not_utf_8(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = shipped(name)
    function = skill.method.function
    assert function is not None
    for number, example in enumerate(function.examples):
        folder = laid_out(example, tmp_path / str(number))
        kept = f"{example.values} {[*folder.rglob('*')]}"
        changed = [latin_1(each, kept) for each in folder.rglob("*") if each.suffix in TEXTS]
        if any(changed):
            break
    else:
        pytest.fail("no text of its examples can be changed")
    shutil.copytree(folder, tmp_path / "before")
    values, sets = skill.apart(skill.typed(example.values))
    method, check = called(skill, sets)
    monkeypatch.chdir(folder)
    method(**values)
    assert check(tmp_path / "before", folder, **values)[0] is True


def latin_1(file: Path, kept: str) -> bool:
    """Give a text an é as one byte, in its last word that is not in ``kept``, or in front; whether it can have one."""
    text = file.read_bytes().decode()
    words = re.finditer(r"(?<![\w.@/<=\"-])[A-Za-z]*[a-z](?![\w.@/=\">-])", text)
    plain = (each for each in words if "QUOTED" not in text[text.rfind("\n", 0, each.start()) + 1 : each.start()])
    ends = [each.end() for each in plain if each[0] not in kept]
    if ends or file.suffix == ".txt":
        changed = f"{text[: ends[-1] - 1]}é{text[ends[-1] :]}" if ends else f"é {text}"
        file.write_bytes(changed.encode("cp1252"))
    return bool(ends) or file.suffix == ".txt"


@pytest.mark.deep
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", NAMES)
async def test_a_wrong_method_is_not_done(name: str, wrong: str, tmp_path: Path) -> None:
    skill, example = shipped(name), example_of(name, 0)
    function = skill.method.function
    assert function is not None
    code = f"{skill.code}\n\n_right = {function.name}\n\n\ndef {function.name}(**values):\n{WRONG[wrong]}"
    outcome, said = await used(replace(skill, code=code), example, laid_out(example, tmp_path / "work"), tmp_path)
    assert outcome.status != "done", said


def test_none_is_called_like_an_action_which_would_take_its_place() -> None:
    assert not {shipped(name).action for name in NAMES} & set(builtin())


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_needs(name: str) -> None:
    skill = shipped(name)
    function = skill.method.function
    assert function is not None
    assert function.checker is not None
    assert len(function.examples) >= 2
    assert len({example.model_dump_json() for example in function.examples}) == len(function.examples)
    assert all(each.description for each in skill.method.parameters)
    assert skill.description.endswith(".")
    assert len(skill.description) < 200


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_will_do_with_its_values(name: str) -> None:
    skill = shipped(name)
    usual = {"integer": "3"}
    values = {
        each.name: each.value or next(iter(each.choices), usual.get(each.kind, "somewhere"))
        for each in skill.method.parameters
    }
    told = skill.in_words(values)
    assert not re.search(r"[{}\[\]|]|  ", told), told
    assert [value for value in values.values() if value.casefold() not in told.casefold()] == []
    least = skill.in_words(values | {each.name: "" for each in skill.method.parameters if each.optional})
    assert not re.search(r"[{}\[\]|]|  |None| ,| $|\(\)", least), least


@pytest.mark.parametrize("name", NAMES)
def test_what_it_says_of_one_is_in_the_singular(name: str) -> None:
    skill = shipped(name)
    assert [told for code in (skill.code, skill.checker) for told in bare_counts(code)] == []


@pytest.mark.parametrize(
    "code",
    [
        "said = f'{len(rows)} rows'",
        "said = f'in {len(rows) - 1} rows sorted'",
        "def f():\n count = sum(found)\n return f'; {count} places'",
        "def f():\n for row in rows:\n  count += 1\n return f'{min(count, 3)} rows'",
    ],
)
def test_a_count_with_a_plural_behind_it_is_found(code: str) -> None:
    assert len(bare_counts(code)) == 1


def bare_counts(code: str) -> list[str]:
    """The texts of a program with a count that a word follows, which is wrong of one or of several."""
    return [each for function in ast.parse(code).body for each in bare_counts_in(function)]


def bare_counts_in(code: ast.stmt) -> list[str]:
    names = {
        target.id
        for node in ast.walk(code)
        if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Assign) and counts(node.value, set()))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    return [
        ast.unparse(text)
        for text in ast.walk(code)
        if isinstance(text, ast.JoinedStr)
        for part, after in itertools.pairwise(text.values)
        if isinstance(part, ast.FormattedValue) and counts(part.value, names)
        if isinstance(after, ast.Constant) and (words := str(after.value).split(" "))[0] == ""
        if words[1].rstrip(",;:") not in BESIDE_COUNTS
    ]


def counts(value: ast.expr, names: set[str]) -> bool:
    """Whether a value is a count. ``names``: variables that hold one."""
    match value:
        case ast.Call(func=ast.Name(id="len" | "sum") | ast.Attribute(attr="count")):
            return True
        case ast.Call(func=ast.Name(id="min" | "max")):
            return any(counts(each, names) for each in value.args)
        case ast.BinOp():
            return counts(value.left, names) or counts(value.right, names)
        case _:
            return isinstance(value, ast.Name) and value.id in names
