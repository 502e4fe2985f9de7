"""A right result made from a task's own checks: the control that shows that its checker can be satisfied at all.

It has what the checks look for and is no use to anybody else.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import docx
import openpyxl

from deskcrew_bench.officebench.tasks import Check, Task

NEWLINE = "\r\n"
EVENT = "BEGIN:VEVENT\r\nSUMMARY:Kept\r\nDTSTART:20200101T100000Z\r\nDTEND:20200101T110000Z\r\nEND:VEVENT\r\n"
CALENDAR = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{EVENT}END:VCALENDAR\r\n"
CONVERT_SECONDS = 60.0
"""Seconds in which LibreOffice makes a PDF."""


def make_right(task: Task, folder: Path) -> None:
    """Make in ``folder``, which holds what the task begins with, what its checks look for."""
    for check in sorted(task.checks, key=_first):
        _fulfil(check, folder, task.folder)


def _first(check: Check) -> int:
    # What takes something out comes before what puts something in.
    taking = ("evaluate_not_contain", "evaluate_calendar_no_overlap", "evaluate_exact_match")
    return taking.index(check.function) if check.function in taking else len(taking)


def _fulfil(check: Check, folder: Path, given: Path) -> None:
    args = check.args
    path = folder / next((str(args[key]) for key in ("file", "result_file", "output_file") if key in args), "data/none.xlsx")
    words = [str(word) for word in args.get("keywords", ())]
    path.parent.mkdir(parents=True, exist_ok=True)
    match check.function:
        case "evaluate_contain" if args["doc_type"] == "email":
            mails = folder / "emails" / str(args["username"])
            mails.mkdir(parents=True, exist_ok=True)
            _put(mails / f"Right {len(list(mails.iterdir()))}.eml", words)
        case "evaluate_contain" | "evaluate_diff_contain_text":
            _put(path, words)
        case "evaluate_not_contain":
            if args["doc_type"] != "email":
                path.unlink(missing_ok=True)
        case "evaluate_file_exist":
            if not path.exists():
                _put(path, [])
        case "evaluate_file_not_exist":
            path.unlink(missing_ok=True)
        case "evaluate_exact_match":
            reference = given / "reference" / Path(args["expected_file"]).name
            if reference.exists():  # of some it was forgotten
                shutil.copyfile(reference, path)
        case "evaluate_excel_cell_value":
            _cells(path, [(each["row"], each["col"], each["value"]) for each in args["matches"]])
        case "evaluate_excel_cell_comparator":
            _cells(path, [(each["row"], each["col"], "1") for each in args["matches"]])
        case "evaluate_calendar_no_overlap":
            calendar = folder / "calendar" / f"{args['username']}.ics"
            calendar.write_text(CALENDAR)
        case _:
            raise ValueError(f"There is no check {check.function}.")


def _put(path: Path, words: Sequence[str]) -> None:
    """Add words to a file, which is made where it is not there."""
    match path.suffix:
        case ".xlsx":
            book: Any = openpyxl.load_workbook(path) if path.exists() else openpyxl.Workbook()
            for word in words:
                book.active.append([word])
            book.save(path)
        case ".doc" | ".docx":
            document = docx.Document(str(path)) if path.exists() else docx.Document()
            document.add_paragraph(" ".join(words))
            document.save(str(path))
        case ".pdf":
            with tempfile.TemporaryDirectory(prefix="deskcrew-officebench-") as name:
                _put(made := Path(name) / f"{path.stem}.docx", words)
                command = ["soffice", "--headless", "--convert-to", "pdf", "--outdir", str(path.parent), str(made)]
                subprocess.run(command, check=True, capture_output=True, timeout=CONVERT_SECONDS)
        case ".eml":
            _mail(path, words)
        case ".ics":
            begun, end, _ = (path.read_text(encoding="utf-8") if path.exists() else CALENDAR).rpartition("END:VCALENDAR")
            path.write_text(
                f"{begun}{''.join(f'X-KEPT:{word}' + NEWLINE for word in words)}{end}{NEWLINE}", encoding="utf-8"
            )
        case _:
            with path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{word}\n" for word in words))


def _cells(path: Path, cells: Sequence[tuple[Any, Any, Any]]) -> None:
    book: Any = openpyxl.load_workbook(path) if path.exists() else openpyxl.Workbook()
    for row, column, value in cells:
        book.active.cell(int(row), int(column)).value = str(value)
    book.save(path)


def _mail(path: Path, words: Sequence[str]) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "a@example.com", "b@example.com", path.stem
    mail.set_content("\n".join(words))
    path.write_bytes(mail.as_bytes())
