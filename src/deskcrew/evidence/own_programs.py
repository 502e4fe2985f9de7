"""The user's own programs as probes: in the same sandbox on the same states, one process each, without a model's code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from inspect import getsource
from pathlib import Path

from deskcrew.facts.contract import Requirement, name_of

SECONDS = 20
"""How long a program may take for one state."""
_IMPORTS = f"import os\nimport subprocess\nimport sys\nfrom pathlib import Path\n\nSECONDS = {SECONDS}"


def code_of(requirements: Sequence[Requirement]) -> tuple[str, list[str]]:
    """Code with a function for each requirement that a program of the user's checks, and the ids of these requirements."""
    programs = {each.id: each.program.text for each in requirements if each.program is not None}
    named = (f"def {name_of(id)}(start, end):\n    return ran({text!r}, start, end)" for id, text in programs.items())
    return "\n\n".join((_IMPORTS, getsource(ran), *named)), [*programs]


def ran(program: str, start: Path, end: Path) -> tuple[bool, str]:
    """What a program says of the folder ``end``, in which it is run and may change nothing; it finds the folder as it was
    before the work in DESKCREW_START. Its source is part of the code: it uses nothing of this package."""
    file = Path("/tmp/check")
    file.write_text(program)
    line = program.partition("\n")[0]
    by = line[2:].split() if line.startswith("#!") else ["python3"]
    python = any(os.path.basename(word).startswith("python") for word in by[:2])
    given = os.environ | {"DESKCREW_START": str(start), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    argv = [*([sys.executable] if python else by), str(file)]
    done = subprocess.run(argv, cwd=end, env=given, capture_output=True, timeout=SECONDS, check=False)
    said = (done.stdout + b"\n" + done.stderr).decode(errors="replace").strip().splitlines()
    if done.returncode < 0 or done.returncode in (126, 127):
        raise RuntimeError(f"it could not be run: {said[-1] if said else done.returncode}")
    return done.returncode == 0, said[-1] if said else f"exit code {done.returncode}"
