"""The runs that ``deskcrew bench faults`` kills: real workspaces and programs, and crews that look before they act."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply
from deskcrew_bench.faults.kind import LOG, Kind, Operations, Roles, always, finished, has, logging, noting, planned, python
from deskcrew_bench.lies.believer import reading

GUIDANCE = "say Moin"
"""What the person says who sends a crew back."""

# The chore: a table is read, a program fails, another adds up, the total is written, a question answered.


def _table(workspace: Path) -> None:
    (workspace / "table.csv").write_text("item,amount\napple,20\npear,22\n")


ADD = "print(sum(int(line.split(',')[1]) for line in open('table.csv').read().split()[1:]))"


def _chore(workspace: Path) -> Roles:
    def programmer(call: Call) -> Reply:
        if not has(workspace, LOG, "failed"):
            return finished(python(logging(workspace, "failed"), "raise SystemExit(3)"), python(ADD))
        return finished(python(logging(workspace, "added"), ADD))

    def file_manager(call: Call) -> Reply:
        if "Your part: Read table.csv" in call.text():
            return finished({"function": "read_file", "file_path": "table.csv"})
        write = {"function": "write_file", "file_path": "total.txt", "text": "42\n"}
        return finished(*noting(workspace, "noted"), *([] if has(workspace, "total.txt", "42") else [write]))

    parts = (
        ("Read table.csv", "FileManager"),
        ("Add up the amounts", "Programmer"),
        ("Write the total into total.txt", "FileManager"),
    )
    return {
        "Planner": planned(*parts, question="What is the total?"),
        "FileManager": file_manager,
        "Programmer": programmer,
        "FinalAnswer": always({"answer": "42", "sources": [], "branch": "Continue"}),
        "Reader": lambda call: {"texts": list(reading(call, "42")), "why": "It was printed."},
    }


CHORE = Kind(
    name="chore",
    task="Add up the amounts in table.csv and write the total into total.txt. What is the total?",
    roles=_chore,
    lines=("failed", "added", "noted"),
    files={"total.txt": "42\n"},
    fill=_table,
    answer="42",
)


# Repairs: replies that are no reply, an operation that is denied, one that fails, files that are moved and thrown away.


def _repairs(workspace: Path) -> Roles:
    asked: list[str] = []

    def malformed(call: Call) -> bool:
        asked.append(call.role)
        return asked.count(call.role) == 1

    def programmer(call: Call) -> Reply:
        if malformed(call):
            return "I shall write a program."
        if asked.count(call.role) == 2:
            return finished({"function": "run_shell", "command": "curl https://example.org/"})
        if not has(workspace, LOG, "failed"):
            return finished(python(logging(workspace, "failed"), "raise SystemExit(3)"))
        return finished(python(logging(workspace, "counted"), "print('two lines')"))

    def file_manager(call: Call) -> Reply:
        if malformed(call):
            return '{"operations": "none"}'
        wanted: Operations = []
        if (workspace / "inbox.txt").exists():
            wanted.append({"function": "move_file", "source": "inbox.txt", "destination": "filed/inbox.txt"})
        if (workspace / "old.txt").exists():
            wanted.append({"function": "delete_file", "path": "old.txt"})
        wanted += noting(workspace, "filed")
        if not (workspace / "end.txt").exists():
            wanted.append({"function": "write_file", "file_path": "end.txt", "text": "filed"})
        return finished(*wanted)

    plan = planned(("Count the lines", "Programmer"), ("File everything and write end.txt", "FileManager"))
    return {
        "Planner": lambda call: "No plan." if malformed(call) else plan(call),
        "Programmer": programmer,
        "FileManager": file_manager,
    }


def _inbox(workspace: Path) -> None:
    (workspace / "inbox.txt").write_text("one\ntwo\n")
    (workspace / "old.txt").write_text("old\n")


REPAIRS = Kind(
    name="repairs",
    task='Count the lines of inbox.txt, delete old.txt, and write "filed" into end.txt.',
    roles=_repairs,
    lines=("failed", "counted", "filed"),
    files={"filed/inbox.txt": "one\ntwo\n", ".trash/old.txt": "old\n", "end.txt": "filed"},
    fill=_inbox,
    passive=True,
    ends="unverified",  # no check speaks of inbox.txt, which is moved
)


# A question: the person says what they like, and allows what destroys something.


def _question(workspace: Path) -> Roles:
    def file_manager(call: Call) -> Reply:
        if "green" not in call.text():
            return {"operations": [], "branch": "NeedHumanHelp", "problem": "Which colour do you like?"}
        write = {"function": "write_file", "file_path": "colour.txt", "text": "green\n"}
        return finished(*noting(workspace, "chosen"), *([] if has(workspace, "colour.txt", "green") else [write]))

    def programmer(call: Call) -> Reply:
        if not has(workspace, LOG, "removed"):
            return finished({"function": "run_shell", "command": f"rm -rf old && echo removed >> {LOG} && echo removed"})
        return finished(python("print('removed')"))

    parts = ("Remove the folder old", "Programmer"), ("Write the colour into colour.txt", "FileManager")
    plan = planned(*parts)
    return {"Planner": plan, "Programmer": programmer, "FileManager": file_manager}


def _old(workspace: Path) -> None:
    (workspace / "old").mkdir()
    (workspace / "old/file.txt").write_text("old\n")


QUESTION = Kind(
    name="question",
    task='Remove the folder old, and write "green" into colour.txt.',
    roles=_question,
    lines=("chosen", "removed"),
    files={"colour.txt": "green\n"},
    fill=_old,
    passive=True,
)


# A rewind: the greeting was wrong, a sentence mends it, and the second branch does the rest.


def _greeting(workspace: Path) -> Roles:
    def file_manager(call: Call) -> Reply:
        text = "Moin" if GUIDANCE in call.text() else "Hello"
        if "Your part: Keep a copy" in call.text():
            copy = {"function": "copy_file", "source": "hello.txt", "destination": "copy.txt"}
            return finished(*noting(workspace, "copied"), *([] if has(workspace, "copy.txt", text) else [copy]))
        write = {"function": "write_file", "file_path": "hello.txt", "text": text}
        # Also when all of it is there: a part needs something that was done.
        return finished(*noting(workspace, f"greeted-{text}"), write)

    parts = ("Write the greeting into hello.txt", "FileManager"), ("Keep a copy in copy.txt", "FileManager")
    return {
        "Planner": planned(*parts),
        "FileManager": file_manager,
        "Reviewer": always({"analyze": "", "verdict": "continue", "judgement": ""}),
    }


def _folders(workspace: Path) -> None:
    for number in range(12):
        (workspace / f"folder-{number % 3}").mkdir(exist_ok=True)
        (workspace / f"folder-{number % 3}/{number}.txt").write_text(f"{number}\n" * 50)
    (workspace / "link").symlink_to("folder-0")


REWOUND = Kind(
    name="rewound",
    task="Write the greeting into hello.txt and keep a copy in copy.txt.",
    roles=_greeting,
    lines=("greeted-Moin", "copied"),
    files={"hello.txt": "Moin", "copy.txt": "Moin"},
    fill=_folders,
    before="rewound",
)


# A large workspace: hundreds of files, changed, made and removed by programs.

FILES, CHANGED, MADE = 300, 30, 40
_CHANGE = f"for n in range({CHANGED}): open(f'tree/{{n % 20}}/{{n}}.txt', 'w').write(f'changed {{n}}')"
_MAKE = f"for n in range({MADE}): open(f'made-{{n}}.bin', 'wb').write(bytes([n]) * 30000)"
_SUM = "print(sum(1 for _ in pathlib.Path('tree').rglob('*.txt')))"


def _large(workspace: Path) -> Roles:
    def programmer(call: Call) -> Reply:
        if has(workspace, LOG, "removed"):
            return finished()
        pause = "import pathlib, time; time.sleep(0.02)"
        if "Your part: Change" in call.text():
            return finished(python(logging(workspace, "changed"), pause, _CHANGE, "print('changed')"))
        return finished(python(logging(workspace, "made"), pause, _MAKE, _SUM))

    def file_manager(call: Call) -> Reply:
        wanted = noting(workspace, "removed")
        wanted += [{"function": "delete_file", "path": "tree/19"}] if (workspace / "tree/19").exists() else []
        write = {"function": "write_file", "file_path": "end.txt", "text": "end"}
        return finished(*wanted, *([] if (workspace / "end.txt").exists() else [write]))

    programs = ("Change the tree", "Programmer"), ("Make the files", "Programmer")
    plan = planned(*programs, ("Remove tree/19 and write end.txt", "FileManager"))
    return {"Planner": plan, "Programmer": programmer, "FileManager": file_manager}


def _tree(workspace: Path) -> None:
    for number in range(FILES):
        file = workspace / "tree" / str(number % 20) / f"{number}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{number}\n" * 200)


LARGE = Kind(
    name="large",
    task='Change the tree, make the files, remove tree/19 and write "end" into end.txt.',
    roles=_large,
    lines=("changed", "made", "removed"),
    files={
        "end.txt": "end",
        "tree/5/5.txt": "changed 5",
        "tree/5/25.txt": "changed 25",
        ".trash/tree/19/299.txt": "299\n" * 200,
    },
    ends="unverified",
    fill=_tree,
    passive=True,
)


# COLA as its paper has it: the scheduler assigns, one operation a decision, a reviewer after each.


def _cola(workspace: Path) -> Roles:
    def programmer(call: Call) -> Reply:
        return finished(python(logging(workspace, "added"), ADD))

    def file_manager(call: Call) -> Reply:
        wanted = noting(workspace, "noted")
        if not wanted and not has(workspace, "total.txt", "42"):
            wanted = [{"function": "write_file", "file_path": "total.txt", "text": "42\n"}]
        if wanted and "total.txt" not in str(wanted):
            return {"operations": wanted, "branch": "Continue"}
        return finished(*wanted)

    goals = ("Add up the amounts of table.csv", "Write the total into total.txt")
    return {
        "Planner": always({"subtasks": [{"goal": goal} for goal in goals]}),
        "TaskScheduler": always(
            {"assignments": [{"subtask": "1", "role": "Programmer"}, {"subtask": "2", "role": "FileManager"}]}
        ),
        "Programmer": programmer,
        "FileManager": file_manager,
        "Reviewer": always({"analyze": "It did.", "verdict": "continue", "judgement": "It did."}),
    }


COLA = Kind(
    name="cola",
    task="Add up the amounts of table.csv and write the total into total.txt.",
    roles=_cola,
    lines=("added", "noted"),
    files={"total.txt": "42\n"},
    fill=_table,
    crew="cola",
)


# Lanes: a table is added up, files are moved, a greeting is written and mended, all at once; then the total is written.


def _lanes(workspace: Path) -> Roles:
    def programmer(call: Call) -> Reply:
        if not has(workspace, LOG, "failed"):
            return finished(python(logging(workspace, "failed"), "raise SystemExit(3)"))
        return finished(python(logging(workspace, "added"), ADD))

    def file_manager(call: Call) -> Reply:
        text = call.text()
        if "Your part: File" in text:
            move = {"function": "move_file", "source": "inbox.txt", "destination": "filed/inbox.txt"}
            return finished(*noting(workspace, "filed"), *([move] if (workspace / "inbox.txt").exists() else []))
        if "Your part: Greet" in text:
            write = {"function": "write_file", "file_path": "hello.txt", "text": "Hello"}
            if not has(workspace, LOG, "greeted"):
                return {"operations": noting(workspace, "greeted"), "branch": "Continue"}
            return finished(*([] if has(workspace, "hello.txt", "Hello") else [write]))
        write = {"function": "write_file", "file_path": "total.txt", "text": "42\n"}
        return finished(*noting(workspace, "noted"), *([] if has(workspace, "total.txt", "42") else [write]))

    parts: tuple[tuple[str, str, list[str]], ...] = (
        ("Add up the amounts of table.csv", "Programmer", []),
        ("File inbox.txt", "FileManager", []),
        ("Greet in hello.txt", "FileManager", []),
        ("Write the total into total.txt", "FileManager", ["1", "2", "3"]),
    )
    subtasks = [{"goal": goal, "role": role, "needs": needs} for goal, role, needs in parts]
    return {
        "Planner": always({"subtasks": subtasks}),
        "Programmer": programmer,
        "FileManager": file_manager,
    }


def _table_and_inbox(workspace: Path) -> None:
    _table(workspace)
    (workspace / "inbox.txt").write_text("one\ntwo\n")


LANES = Kind(
    name="lanes",
    task="Add up the amounts of table.csv, file inbox.txt, greet in hello.txt, and write the total into total.txt.",
    roles=_lanes,
    lines=("failed", "added", "filed", "greeted", "noted"),
    files={"total.txt": "42\n", "hello.txt": "Hello", "filed/inbox.txt": "one\ntwo\n"},
    fill=_table_and_inbox,
    ends="unverified",
    lanes=3,
)


# Resumed, and killed again.

TWICE = replace(CHORE, name="twice", before="killed")


# What the chore teaches is kept in long-term memory.

REMEMBERED = replace(CHORE, name="remembered", remembered=True)


# A virtual desktop: the text editor is opened, a word typed once, saved.


def _editor(workspace: Path) -> Roles:
    word = "harvest"

    def solo(call: Call) -> Reply:
        if has(workspace, "note.txt", word):
            return finished()
        volatile = call.text("volatile")
        if "note.txt - Mousepad" not in volatile:
            opening = {"function": "open_application", "app_name": "Text Editor (Mousepad)", "file": "note.txt"}
            return {"operations": [opening], "branch": "Continue"}
        if f'value "{word}"' not in volatile:
            typing = {"function": "keyboard_input", "keys": word, "control": ""}
            return {"operations": [typing], "branch": "Continue"}
        return finished({"function": "hotkey", "keys": ["ctrl", "s"]})

    return {"Worker": solo}


EDITOR = Kind(
    name="editor",
    task='Write "harvest" into note.txt with the text editor.',
    roles=_editor,
    files={"note.txt": "harvest"},
    fill=lambda workspace: (workspace / "note.txt").touch(),
    crew="solo",
    desktop=True,
)

_ALL = CHORE, REPAIRS, QUESTION, REWOUND, LARGE, COLA, LANES, TWICE, REMEMBERED, EDITOR
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ALL}
