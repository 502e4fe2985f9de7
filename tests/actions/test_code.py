"""Running a model's code and commands: results, failures, and which files the result rests on."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import docx
import openpyxl
import pytest

from deskcrew.actions.action import Result
from deskcrew.environments.workspace import Workspace
from support.sampling import sampled

Do = Callable[..., Result]


@pytest.mark.parametrize(
    ("code", "main_function", "text"),
    [
        ("print(1 + 1)", "", "2\n"),
        ("x = 20\nx + 22", "", "42\n"),
        ("'Paris'", "", "Paris\n"),
        ("print('said')\n5", "", "said\n"),
        ("def f():\n    return [1]", "f", "[1]\n"),
        ("def f():\n    return 3", "f()", "3\n"),
        ("def main_function():\n    return 3", "", "3\n"),
        ("def main():\n    print(4)", "", "4\n"),
        ("def main():\n    print(5)\nif __name__ == '__main__':\n    main()", "main", "5\n"),
        ("```python\nprint(6)\n```", "", "6\n"),
        ("import json, csv, datetime, statistics\nprint(statistics.mean([1, 3]))", "", "2\n"),
        ("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nA(1)", "", "A(x=1)\n"),
        ("print('ü', '\\ud800')", "", "ü \\ud800\n"),
    ],
)
def test_value_comes_back(do: Do, code: str, main_function: str, text: str) -> None:
    result = do("run_python_code", code=code, main_function=main_function)
    assert (result.ok, result.text, result.exit_code) == (True, text, 0)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("x = 1\n1 / 0", "ZeroDivisionError: division by zero (line 2)"),
        ("print('a'", "SyntaxError: '(' was never closed (line 1)"),
        ("import sys\nsys.exit(3)", "exit code 3"),
        ("raise SystemExit('no good')", "no good"),
        ("input()", "EOFError"),
        ("import pandas", "No module named 'pandas'"),
        ("def f(): pass", "defines no function 'missing'"),
    ],
)
def test_failure_is_an_error_with_its_last_line_first(do: Do, code: str, error: str) -> None:
    result = do("run_python_code", code=code, main_function="missing" if "def f" in code else "")
    assert not result.ok
    assert error in result.error
    assert result.exit_code != 0
    assert "code_runner" not in result.text
    assert "runpy" not in result.text


def test_printing_the_word_traceback_is_no_error(do: Do) -> None:
    assert do("run_python_code", code="print('Traceback (most recent call last):')").ok


@pytest.mark.parametrize(("command", "code"), [("false", 1), ("nosuchcommand", 127), ("ls nosuchfile", 2), ("exit 9", 9)])
def test_failed_command_is_an_error_whatever_it_prints(do: Do, command: str, code: int) -> None:
    result = do("run_shell", command=command)
    assert (result.ok, result.exit_code) == (False, code)
    assert result.error


def test_shell_works_in_the_workspace(do: Do, workspace: Workspace) -> None:
    (workspace.root / "a.csv").write_text("3\n4\n")
    result = do("run_shell", command="awk '{s+=$1} END {print s}' a.csv; pwd; echo warn >&2")
    assert result.ok
    assert result.text == "7\n/workspace\n\n[stderr]\nwarn\n"


def test_reads_are_the_files_that_were_there_and_opened(do: Do, workspace: Workspace) -> None:
    for name in ("a.txt", "b.txt", "c.txt", "ö.txt"):
        (workspace.root / name).write_text("x")
    (workspace.root / "helper.py").write_text("VALUE = 1")
    code = (
        "import os, helper\n"
        "open('a.txt').read(); open('/workspace/b.txt').read(); open('ö.txt', 'rb').read()\n"
        "open('new.txt', 'w').write('mine'); open('new.txt').read()\n"
        "open('c.txt', 'w').write('mine'); open('c.txt').read()\n"
        "os.path.exists('d.txt'); open('/etc/passwd').read()\n"
    )
    result = do("run_python_code", code=code)
    assert result.ok, result.error
    assert set(result.reads) == {"a.txt", "b.txt", "ö.txt", "helper.py"}
    assert not (workspace.root / "__pycache__").exists()


def test_reads_of_code_that_fails_are_known_too(do: Do, workspace: Workspace) -> None:
    (workspace.root / "a.txt").write_text("x")
    assert do("run_python_code", code="int(open('a.txt').read())").reads == ("a.txt",)


def test_framework_cannot_be_rebound_or_imported(do: Do) -> None:
    assert not do("run_python_code", code="import deskcrew").ok
    assert do("run_python_code", code="import sys; print([m for m in sys.modules if 'deskcrew' in m])").text == "[]\n"


def test_office_documents_can_be_read_by_code(do: Do, workspace: Workspace) -> None:
    book = openpyxl.Workbook()
    book["Sheet"].append(["name", "age"])
    book.save(workspace.root / "team.xlsx")
    code = "from openpyxl import load_workbook\nimport docx, pptx, pypdf, lxml.etree, PIL.Image\n"
    result = do("run_python_code", code=f"{code}print(load_workbook('team.xlsx')['Sheet']['B1'].value)")
    assert (result.text, result.reads) == ("age\n", ("team.xlsx",))
    assert not do("run_python_code", code="import deskcrew").ok
    assert not do("run_python_code", code="import pydantic").ok


@pytest.mark.desktop
@pytest.mark.skipif(shutil.which("soffice") is None, reason="there is no LibreOffice")
@pytest.mark.parametrize("to", sampled(["pdf", "odt"], 1))
def test_a_document_is_converted_by_code(do: Do, workspace: Workspace, to: str) -> None:
    document = docx.Document()
    document.add_paragraph("Dear Ada")
    document.save(str(workspace.root / "letter.docx"))
    command = ["soffice", "--headless", "--convert-to", to, "letter.docx"]
    result = do("run_python_code", code=f"import subprocess\nsubprocess.run({command}, check=True)")
    assert result.ok, result.error
    assert "Dear Ada" in do("read_file", file_path=f"letter.{to}").text
    assert sorted(path.name for path in workspace.root.iterdir()) == ["letter.docx", f"letter.{to}"]


def test_an_error_says_what_there_is_instead(do: Do, workspace: Workspace) -> None:
    (workspace.root / "costs.csv").write_text("team,April,May\nLegal,3,4\n")
    missing = do("run_python_code", code="import csv\nprint(next(csv.DictReader(open('costs.csv')))['June'])")
    assert "KeyError: 'June'" in missing.error
    assert "costs.csv is: team,April,May | Legal,3,4" in missing.error
    assert "The files are: costs.csv." in do("run_python_code", code="open('cost.csv')").error
    assert "openpyxl" in do("run_python_code", code="import pandas").error
