"""What was parsed last is kept for a while, by the thread that parsed it; and no library is loaded that nothing needs."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from deskcrew.evidence.places.recent import MOST_BYTES, MOST_FILES, recent
from deskcrew.evidence.typed import Side, holds
from deskcrew.facts.contract import TypedCheck
from deskcrew.facts.observation import Observation


def counted() -> tuple[list[bytes], Any]:
    parsed: list[bytes] = []

    @recent
    def parse(content: bytes) -> str:
        parsed.append(content)
        return content.decode()

    return parsed, parse


def test_the_same_bytes_are_parsed_once_until_others_have_come() -> None:
    parsed, parse = counted()
    files = [f"file {number}".encode() for number in range(MOST_FILES)]
    for content in (*files, *files, b"another", *files[1:]):
        assert parse(content) == content.decode()
    assert parsed == [*files, b"another"]
    assert parse(files[0]) == "file 0"
    assert parsed[-1] == files[0], "it was the one that nobody had asked for the longest"


def test_a_large_file_is_kept_alone() -> None:
    parsed, parse = counted()
    large = b"x" * (MOST_BYTES + 1)
    for content in (b"small", large, large, b"small"):
        parse(content)
    assert [len(content) for content in parsed] == [5, len(large), 5]


def test_what_one_thread_has_parsed_no_other_is_given() -> None:
    parsed, parse = counted()
    parse(b"one")
    other = threading.Thread(target=parse, args=(b"one",))
    other.start()
    other.join()
    parse(b"one")
    assert parsed == [b"one", b"one"]


def test_a_workbook_is_read_once_for_all_that_is_looked_for_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bool] = []
    load = openpyxl.load_workbook

    def loading(*given: Any, data_only: bool = False, **named: Any) -> Any:
        read.append(data_only)
        return load(*given, data_only=data_only, **named)

    monkeypatch.setattr(openpyxl, "load_workbook", loading)
    book = openpyxl.Workbook()
    page: Any = book.worksheets[0]
    page.append(("tea", 3))
    for number, formula in enumerate(("", "=B1*2")):
        page["C1"] = formula or None
        book.save(tmp_path / f"{number}.xlsx")
        for address, value in (("A1", "tea"), ("B1", "3"), ("A1.bold", "false"), ("Sheet!rows", "1")):
            check = TypedCheck(kind="value_is", target=f"{number}.xlsx#{address}", text=value)
            assert holds(check, Side(tmp_path, tmp_path, Observation()))[0] is True
    assert read == [False, False, True], "what formulas came to is read where there are formulas"


LOOKS = """
import sys
from pathlib import Path
from deskcrew.errors import ActionError
from deskcrew.evidence.places.reading import value_at
path = Path(sys.argv[1])
for address in ("B2", "A1:B2", "Sheet1!B2", "column[sum]"):
    try:
        print(value_at(path, address).split())
    except ActionError as error:
        print(type(error).__name__)
print(sorted({"openpyxl", "docx", "pptx", "pypdf", "dulwich", "numpy"} & sys.modules.keys()))
"""


def test_a_look_into_a_table_loads_no_library_for_documents(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item,sum\ntea,3\n")
    done = subprocess.run(
        [sys.executable, "-c", LOOKS, str(tmp_path / "a.csv")], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.splitlines() == ["['3']", "['item,sum', 'tea,3']", "ActionError", "['3']", "[]"]
