"""Running a model's code and commands: results, failures, and which files the result rests on."""

from __future__ import annotations

import zipfile
from collections.abc import Callable

import openpyxl
import pytest

from deskcrew.actions.action import Result
from deskcrew.coaching.code import imported, plain_texts, unbroken, untailed
from deskcrew.environments.workspace import Workspace

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


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ("print('a\n')", "print('a\\n')"),
        ("with open('f') as f:\n    f.write('x\ny\n')", "with open('f') as f:\n    f.write('x\\ny\\n')"),
        ("print('''a\nb''')", "print('''a\nb''')"),
        ("print('a", "print('a"),
        ("x = = 1\nprint('a\n')", "x = = 1\nprint('a\n')"),
        ("print(1)", "print(1)"),
    ],
)
def test_line_breaks_lost_in_a_reply_are_put_back_into_strings(broken: str, mended: str) -> None:
    assert unbroken(broken) == mended


def test_tables_in_an_archive_are_read_as_the_text_that_they_are(do: Do, workspace: Workspace) -> None:
    with zipfile.ZipFile(workspace.root / "a.zip", "w") as archive:
        archive.writestr("b.csv", "name,size\nBo,3\n")
    opens = "import csv, zipfile\nfile = zipfile.ZipFile('a.zip').open('b.csv')\n"
    assert do("run_python_code", code=f"{opens}print([row['size'] for row in csv.DictReader(file)])").text == "['3']\n"
    assert do("run_python_code", code=f"{opens}print(list(csv.reader(file))[1][0])").text == "Bo\n"


def test_moving_several_files_into_a_folder_that_is_not_there_loses_none(do: Do, workspace: Workspace) -> None:
    for name in ("a.txt", "b.txt"):
        (workspace.root / name).write_text(name)
    moves = "import shutil\nfor name in ('a.txt', 'b.txt'):\n    shutil.move(name, 'sorted')"
    result = do("run_python_code", code=moves)
    assert not result.ok
    assert "os.makedirs('sorted', exist_ok=True)" in result.error
    assert sorted(path.name for path in workspace.root.iterdir() if path.is_file()) == ["a.txt", "b.txt"]
    assert do("run_python_code", code=f"import os\nos.makedirs('sorted')\n{moves}").ok
    assert sorted(path.name for path in (workspace.root / "sorted").iterdir()) == ["a.txt", "b.txt"]


def test_moving_a_file_onto_another_is_refused_and_renaming_is_not(do: Do, workspace: Workspace) -> None:
    (workspace.root / "a.txt").write_text("a")
    (workspace.root / "b.txt").write_text("b")
    result = do("run_python_code", code="import shutil\nshutil.move('a.txt', 'b.txt')")
    assert "'b.txt' is there already" in result.error
    assert (workspace.root / "b.txt").read_text() == "b"
    assert "'b.txt' is there already" in do("run_python_code", code="import os\nos.rename('a.txt', 'b.txt')").error
    assert do("run_python_code", code="import shutil\nshutil.move('a.txt', 'c.txt')").ok
    assert do("run_python_code", code="from pathlib import Path\nPath('c.txt').rename('d')").ok
    assert (workspace.root / "d").read_text() == "a"


def test_office_documents_can_be_read_by_code(do: Do, workspace: Workspace) -> None:
    book = openpyxl.Workbook()
    book["Sheet"].append(["name", "age"])
    book.save(workspace.root / "team.xlsx")
    code = "from openpyxl import load_workbook\nimport docx, pptx, pypdf, lxml.etree, PIL.Image\n"
    result = do("run_python_code", code=f"{code}print(load_workbook('team.xlsx')['Sheet']['B1'].value)")
    assert (result.text, result.reads) == ("age\n", ("team.xlsx",))
    assert not do("run_python_code", code="import deskcrew").ok
    assert not do("run_python_code", code="import pydantic").ok


def test_an_error_says_what_there_is_instead(do: Do, workspace: Workspace) -> None:
    (workspace.root / "costs.csv").write_text("team,April,May\nLegal,3,4\n")
    missing = do("run_python_code", code="import csv\nprint(next(csv.DictReader(open('costs.csv')))['June'])")
    assert "KeyError: 'June'" in missing.error
    assert "costs.csv is: team,April,May | Legal,3,4" in missing.error
    assert "The files are: costs.csv." in do("run_python_code", code="open('cost.csv')").error
    assert "openpyxl" in do("run_python_code", code="import pandas").error


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('print({"a": 1})"}],"branch":"RoleTaskFinish"}', 'print({"a": 1})'),
        ("print(sum(int(row['a']) for row in rows)}]}` This code adds.", "print(sum(int(row['a']) for row in rows))"),
        ("print(1)\n```\nThis prints one.", "print(1)"),
        ("print({1: 2})", "print({1: 2})"),
        ("for x in\nprint(1)", "for x in\nprint(1)"),
    ],
)  # fmt: skip
def test_the_end_of_a_reply_that_was_written_into_code_is_taken_off(written: str, meant: str) -> None:
    assert untailed(written) == meant


def test_modules_that_code_uses_and_forgets_are_imported() -> None:
    assert imported("print(json.dumps([]), math.pi)") == "import json, math; print(json.dumps([]), math.pi)"
    for whole in (
        "import json\nprint(json.dumps([]))",
        "json = Fake()\njson.x()",
        "for x in y:\n    os.stat(x)",
        "print('json')",
    ):
        assert imported(whole) == whole


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("totals = {}\ntotals['a'] += 1", "totals['a'] = totals.get('a', 0) + ..."),
        ("{'b': 1}['a']", "There is no 'a'; use the names that are there."),
        ("print(tree.find('kind').text)", "kind is an attribute in a.xml: take it with .get('kind')."),
        ("print(tree.find('item').get('size').strip())", "size is an element in a.xml: take it with .findtext('size')."),
    ],
)
def test_an_error_says_what_to_do_about_it(do: Do, workspace: Workspace, code: str, hint: str) -> None:
    (workspace.root / "a.xml").write_text("<all><item kind='x'><size>3</size></item></all>")
    opens = "from xml.etree import ElementTree\ntree = ElementTree.parse('a.xml')\n"
    assert hint in do("run_python_code", code=f"{opens}{code}").error


READS = "print(open('north.csv').read().strip())"


def test_a_file_named_without_its_folder_is_read_where_it_lies(do: Do, workspace: Workspace) -> None:
    (workspace.root / "sales").mkdir()
    (workspace.root / "sales/north.csv").write_text("n\n4\n")
    result = do("run_python_code", code=READS)
    assert (result.text, result.reads) == ("n\n4\n", ("sales/north.csv",))
    assert (
        do("run_python_code", code="import os\nprint(os.path.exists('north.csv'), os.path.isfile('x'))").text
        == "True False\n"
    )
    assert not do("run_python_code", code="open('north.csv', 'a').write('5'); print(open('none.csv').read())").ok
    assert (workspace.root / "north.csv").read_text() == "5", "what is written is written where the code says"
    assert (workspace.root / "sales/north.csv").read_text() == "n\n4\n"


def test_of_two_files_of_a_name_neither_is_taken(do: Do, workspace: Workspace) -> None:
    for folder in ("a", "b"):
        (workspace.root / folder).mkdir()
        (workspace.root / folder / "north.csv").write_text("4")
    assert "FileNotFoundError" in do("run_python_code", code=READS).error


def test_code_that_finds_a_file_missing_which_is_there_has_failed(do: Do, workspace: Workspace) -> None:
    (workspace.root / "a").mkdir()
    (workspace.root / "a/north.csv").write_text("4")
    tells = "import os\nprint('there' if {0!r} in os.listdir() else 'File {0} does not exist')"
    result = do("run_python_code", code=tells.format("north.csv"))
    assert (result.ok, result.error) == (False, "It found no north.csv. The file is there: a/north.csv.")
    assert do("run_python_code", code=tells.format("south.csv")).ok, "that one is missing"


def test_code_that_takes_an_element_for_an_attribute_has_failed(do: Do, workspace: Workspace) -> None:
    (workspace.root / "a.xml").write_text("<a><b kind='k'><c>x</c></b></a>")
    code = "import xml.etree.ElementTree as ET\nprint(len(ET.parse('a.xml').getroot().findall(\"b[@{}]\")))"
    result = do("run_python_code", code=code.format("c='x'"))
    assert not result.ok
    assert "c is an element in a.xml" in result.error
    assert do("run_python_code", code=code.format("kind='k'")).text == "1\n"
    assert "compare with if" in do("run_python_code", code=code.format("kind and c > 3")).error


@pytest.mark.parametrize(
    ("code", "mended"),
    [
        ("float(a.findtext('b').text) > 1", "float(a.findtext('b')) > 1"),
        ("a.find('b').text", "a.find('b').text"),
        ("a.findtext('b').texts", "a.findtext('b').texts"),
    ],
)
def test_the_text_of_a_text_is_that_text(code: str, mended: str) -> None:
    assert plain_texts(code) == mended


RECORDS = "import csv\nrows = list(csv.DictReader(open('a.csv')))\n"


@pytest.mark.parametrize(
    ("mode", "before", "text"),
    [
        ("w", "", "item,packs\nrice,2\ntea,4\n"),
        ("w", "w.writerow(['item', 'packs'])\n", "item,packs\nrice,2\ntea,4\n"),
        ("a", "", "item,packs\nrice,2\nrice,2\ntea,4\n"),
    ],
)
def test_writer_of_rows_takes_records(do: Do, workspace: Workspace, mode: str, before: str, text: str) -> None:
    (workspace.root / "a.csv").write_text("item,packs\nrice,2\n")
    code = RECORDS + f"rows.append({{'item': 'tea', 'packs': 4}})\nw = csv.writer(open('a.csv', '{mode}', newline=''))\n"
    assert do("run_python_code", code=f"{code}{before}w.writerows(rows)").ok
    assert (workspace.root / "a.csv").read_text().replace("\r", "") == text


def test_program_that_fails_leaves_the_files_that_it_names_as_they_were(do: Do, workspace: Workspace) -> None:
    (workspace.root / "a.txt").write_text("one\ntwo\n")
    code = "a = open('a.txt', 'w')\nb = open('b.txt', 'w')\nc = open('c.txt', 'w')\nc.write('x')\nc.close()\n1 / 0"
    assert not do("run_python_code", code=code).ok
    assert (workspace.root / "a.txt").read_text() == "one\ntwo\n"
    assert not (workspace.root / "b.txt").exists(), "nothing stands in it"
    assert (workspace.root / "c.txt").read_text() == "x", "somebody may want it"


def test_program_that_fails_after_moving_a_file_does_not_double_it(do: Do, workspace: Workspace) -> None:
    (workspace.root / "a.txt").write_text("one\n")
    assert not do("run_python_code", code="import os\nos.rename('a.txt', 'b.txt')\n1 / 0").ok
    assert not (workspace.root / "a.txt").exists()
    assert (workspace.root / "b.txt").read_text() == "one\n"


def test_writers_of_rows_and_of_records_write(do: Do, workspace: Workspace) -> None:
    (workspace.root / "a.csv").write_text("item,packs\nrice,2\n")
    code = (
        RECORDS
        + "with open('b.csv', 'w', newline='') as f:\n    w = csv.DictWriter(f, rows[0].keys())\n    w.writeheader()\n"
        "    w.writerows(rows)\nwith open('c.csv', 'w', newline='') as f:\n"
        "    csv.writer(f, delimiter=';').writerows([list(rows[0]), ('tea', 4)])"
    )
    assert do("run_python_code", code=code).ok
    assert (workspace.root / "b.csv").read_text() == "item,packs\nrice,2\n"
    assert (workspace.root / "c.csv").read_text() == "item;packs\ntea;4\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("city,sales,city,sales\\nKiel,1\\n", "a name twice"),
        ("city,sales\\nKiel,1\\ncity,sales\\nUlm,2\\n", "row 3 is the header again"),
        ("city,sales\\nKiel,1\\nUlm\\n", "row 1 has 2 cells, row 3 has 1"),
    ],
)
def test_table_that_is_none_is_put_back(do: Do, workspace: Workspace, text: str, said: str) -> None:
    (workspace.root / "a.csv").write_text("city,sales\nBonn,7\n")
    code = f"open('a.csv', 'w').write('{text}')\nopen('new.csv', 'w').write('{text}')"
    result = do("run_python_code", code=code)
    assert not result.ok
    assert said in result.error
    assert (workspace.root / "a.csv").read_text() == "city,sales\nBonn,7\n"
    assert not (workspace.root / "new.csv").exists()


def test_table_that_is_written_as_the_users_own_is_kept(do: Do, workspace: Workspace) -> None:
    (workspace.root / "a.csv").write_text("Report of May\ncity,sales\nBonn,7\nUlm,5\n")
    (workspace.root / "b.csv").write_text("city,sales\nBonn\n")
    code = "t = open('b.csv').read()\nopen('c.csv', 'w').write(t + 'Ulm\\n')"
    assert do("run_python_code", code=code).ok
    assert (workspace.root / "c.csv").read_text() == "city,sales\nBonn\nUlm\n"
