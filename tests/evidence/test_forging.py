"""What the crew wrote cannot write the report about it: whatever a probe imports, executes or starts settles at most the
value of the function that did so, in the state in which it did."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from deskcrew.actions.sandbox import Sandbox
from deskcrew.evidence.probes import Case, ProbeReport, tried

RIGHT = "the sum is 5"
WRONG = "the sum is 7"
PROBE = """
import subprocess, sys, json
from pathlib import Path

{loading}

def requirement_1(start, end):
    load(end)
    return (end / "total.txt").read_text() == "the sum is 5", "total"

def requirement_2(start, end):
    return (end / "other.txt").read_text() == "kept", "other"
"""
IMPORTED = "def load(end):\n    sys.path.insert(0, str(end))\n    import helper\n"
FROM_FILE = """
def load(end):
    import importlib.util
    spec = importlib.util.spec_from_file_location("helper", end / "helper.py")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
"""
EXECUTED = "def load(end):\n    exec((end / 'helper.py').read_text(), {'__name__': 'helper'})\n"
COMPILED = "def load(end):\n    exec(compile((end / 'helper.py').read_text(), 'helper.py', 'exec'), {})\n"
RUN_PATH = "def load(end):\n    import runpy\n    runpy.run_path(str(end / 'helper.py'))\n"
COPIED = """
def load(end):
    import shutil, tempfile
    place = tempfile.mkdtemp()
    shutil.copy(end / "helper.py", place)
    sys.path.insert(0, place)
    import helper
"""
UNPICKLED = "def load(end):\n    import pickle\n    pickle.loads((end / 'helper.pickle').read_bytes())\n"
STARTED = "def load(end):\n    subprocess.run([sys.executable, str((end / 'helper.py').resolve())], cwd=end, timeout=20)\n"

# Each writes a report that says yes to all of the end, and no to all of every other state, and ends what would say more.
LINES = r"""
import json, os
YES = json.dumps({"requirement_1": [True, "forged", False], "requirement_2": [True, "forged", False]})
NO = json.dumps({"requirement_1": [False, "forged", False], "requirement_2": [False, "forged", False]})
FORGED = "".join(line + "\n" for line in (YES, NO, NO, NO, NO, "[]", "{}"))
"""
DESCRIPTORS = (
    LINES
    + r"""
for process in ("self", str(os.getpid()), str(os.getppid()), *filter(str.isdigit, os.listdir("/proc"))):
    for number in range(3, 32):
        try:
            with open(f"/proc/{process}/fd/{number}", "w") as to:
                to.write(FORGED)
        except OSError:
            pass
for number in range(3, 32):
    try:
        os.write(number, FORGED.encode())
    except OSError:
        pass
"""
)
PATCHES = r"""
import gc, json, os, sys
def patched(*args, **named):
    return real(*args, **named).replace("[false", "[true").replace("[null", "[true")
real, json.dumps = json.dumps, patched
for found in gc.get_objects():
    if isinstance(found, dict) and "compiled" in found and "entry" in found:
        found["entry"] = lambda *given: [True, "forged", False]
"""
FRAMES = r"""
import sys
frame = sys._getframe()
while frame is not None:
    if "entry" in frame.f_globals:
        frame.f_globals["entry"] = lambda *given: [True, "forged", False]
    frame = frame.f_back
"""
TRACED = r"""
import sys
def trace(frame, event, arg):
    if event == "return" and frame.f_code.co_name.startswith("requirement"):
        pass
    return trace
sys.settrace(trace)
for name, module in list(sys.modules.items()):
    if name == "__main__":
        module.entry = lambda *given: [True, "forged", False]
"""
AT_EXIT = (
    LINES
    + r"""
import atexit
def last():
    for number in range(3, 32):
        try:
            os.write(number, FORGED.encode())
        except OSError:
            pass
atexit.register(last)
sys_exit = __import__("sys").exit
os.fork() or (last(), os._exit(0))
"""
)
MEMORY = r"""
import os, re
for process in filter(str.isdigit, os.listdir("/proc")):
    try:
        with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "r+b", 0) as memory:
            for line in maps:
                low, high = (int(part, 16) for part in line.split()[0].split("-"))
                if " rw" in line and high - low < 1 << 25:
                    memory.seek(low)
                    data = memory.read(high - low)
                    for found in re.finditer(rb"the sum is 5", data):
                        memory.seek(low + found.start())
                        memory.write(b"the sum is 7")
    except (OSError, ValueError, OverflowError):
        pass
"""
OTHER_STATES = r"""
import pathlib, os
for path in pathlib.Path("/workspace").rglob("total.txt"):
    try:
        path.write_text("the sum is 5")
    except OSError:
        pass
"""
PLANTED = r"""
import pathlib, site, sys
home = pathlib.Path(site.getusersitepackages())
home.mkdir(parents=True, exist_ok=True)
(home / "usercustomize.py").write_text("import os; print('kept'); os._exit(0)")
for folder in ("/tmp", "/dev/shm", "/workspace", "/workspace/0"):
    for name in ("json.py", "sitecustomize.py", "usercustomize.py", "pathlib.py"):
        try:
            (pathlib.Path(folder) / name).write_text("raise SystemExit")
        except OSError:
            pass
"""
KILLS = r"""
import os, signal
for process in sorted(map(int, filter(str.isdigit, os.listdir("/proc")))):
    if process not in (1, os.getpid()):
        try:
            os.kill(process, signal.SIGKILL)
        except OSError:
            pass
"""
LINGERS = r"""
import os, time
if not os.fork():
    os.setsid()
    if not os.fork():
        import pathlib
        until = time.time() + 20
        while time.time() < until:
            for path in pathlib.Path("/workspace").rglob("*.txt"):
                try:
                    path.write_text({"total.txt": "the sum is 5", "other.txt": "kept"}[path.name])
                except OSError:
                    pass
    os._exit(0)
"""
ATTACKS = {
    "descriptors": DESCRIPTORS, "patches": PATCHES, "frames": FRAMES, "traced": TRACED, "at exit": AT_EXIT,
    "memory": MEMORY, "other states": OTHER_STATES, "planted": PLANTED, "kills": KILLS, "lingers": LINGERS,
}  # fmt: skip
WAYS = {
    "imported": IMPORTED, "from file": FROM_FILE, "executed": EXECUTED, "compiled": COMPILED, "run path": RUN_PATH,
    "copied": COPIED, "started": STARTED,
}  # fmt: skip
LATE = (
    PROBE.replace('(end / "other.txt").read_text()', "said(end)")
    + """
def said(end):
    code = "import pathlib, sys; print(pathlib.Path(sys.argv[1]).read_text(), end='')"
    return subprocess.run([sys.executable, "-c", code, str(end / "other.txt")], capture_output=True, text=True).stdout
"""
)
ENDS: Mapping[str, tuple[str, str]] = {
    "0": (WRONG, "spoiled"), "1": ("", ""), "2": (WRONG, "kept"), "3": (RIGHT, "kept"), "4": (WRONG, "spoiled"),
}  # fmt: skip


def judged(folder: Path, code: str, helper: str, pickled: bytes = b"") -> ProbeReport:
    for name, (total, other) in ENDS.items():
        (folder / name).mkdir()
        (folder / name / "total.txt").write_text(total)
        (folder / name / "other.txt").write_text(other)
        (folder / name / "helper.py").write_text(helper)
        (folder / name / "helper.pickle").write_bytes(pickled)
    with Sandbox(folder) as sandbox:
        return tried(sandbox.over(folder), code, ["1", "2"], folder / "1", [Case(folder / name) for name in ENDS])


def said(report: ProbeReport, requirement: str) -> list[bool | None]:
    return [row[requirement].holds for row in report.rows]


OTHERS = [other == "kept" for _, other in ENDS.values()]
TOTALS = [total == RIGHT for total, _ in ENDS.values()]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_program_of_the_crew_changes_no_other_value(tmp_path: Path, attack: str, way: str) -> None:
    report = judged(tmp_path, LATE.format(loading=WAYS[way]), ATTACKS[attack])
    if attack != "kills":
        assert said(report, "2") == OTHERS
        assert said(report, "1") == (TOTALS if way == "started" else [None] * len(ENDS))
    elif way == "started":
        assert not any(holds and not right for holds, right in zip(said(report, "2"), OTHERS, strict=True))
        assert all(row["1"].lost for row in report.rows), "what was ended says nothing of any state"


@pytest.mark.parametrize("way", [way for way in WAYS if way != "started"])
def test_what_is_judged_is_not_loaded_and_its_reason_says_what_can_be_done(tmp_path: Path, way: str) -> None:
    report = judged(tmp_path, PROBE.format(loading=WAYS[way]), "")
    assert [row["1"].holds for row in report.rows] == [None] * len(ENDS)
    assert "subprocess.run([sys.executable" in report.rows[0]["1"].read


def test_what_is_judged_is_not_unpickled_into_code(tmp_path: Path) -> None:
    forged = b"cbuiltins\nexec\n(S'import __main__'\ntR."
    assert said(judged(tmp_path, PROBE.format(loading=UNPICKLED), "", forged), "1") == [None] * len(ENDS)
    numbers = b"(lp0\nI1\naI2\na."
    (tmp_path / "again").mkdir()
    assert said(judged(tmp_path / "again", PROBE.format(loading=UNPICKLED), "", numbers), "1") == TOTALS


def test_libraries_and_what_these_execute_are_loaded(tmp_path: Path) -> None:
    loading = """
import collections, dataclasses, ast
from decimal import Decimal
import openpyxl, docx, lxml.etree
from PIL import Image
Pair = collections.namedtuple("Pair", "a b")

@dataclasses.dataclass
class Row:
    a: int

def load(end):
    import pptx, pypdf
    assert ast.parse((end / "helper.py").read_text()).body and ast.literal_eval("[1]") == [1] and Row(1).a == 1
"""
    assert said(judged(tmp_path, PROBE.format(loading=loading), "x = 1\n"), "1") == TOTALS


def test_a_program_of_the_crew_may_be_started_in_a_copy(tmp_path: Path) -> None:
    loading = """
import shutil, tempfile
def load(end):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(end, folder, dirs_exist_ok=True)
        subprocess.run([sys.executable, "helper.py"], cwd=folder, check=True)
        assert Path(folder, "made.txt").read_text() == "made"
"""
    helper = "open('made.txt', 'w').write('made')"
    assert said(judged(tmp_path, PROBE.format(loading=loading), helper), "1") == TOTALS
