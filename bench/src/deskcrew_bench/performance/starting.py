"""How long Python in the sandbox and a virtual desktop take to start, beside the same without a fence."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from deskcrew.actions.code import runner_command
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.virtual import start_virtual
from deskcrew.errors import EnvironmentFailure
from deskcrew_bench.figure import Figure, summarise

CODE = "print(6 * 7)"


def python(workspace: Path, *, samples: int = 30) -> Figure:
    """Milliseconds of one run of code that prints, as an action has it: sandbox, layer, report of what was read; beside the
    same interpreter started bare. Raises EnvironmentFailure where there is no sandbox."""
    sandbox = Sandbox(workspace)
    request = json.dumps({"code": CODE, "main_function": "", "libraries": sandbox.libraries})

    def fenced() -> None:
        with sandbox.layer() as layer:
            done = sandbox.run(runner_command(sandbox), stdin=request, report=True, layer=layer)
        if done.stdout != "42\n":
            raise EnvironmentFailure(f"The code did not run: {done.stderr.strip()[-200:]}")

    def bare() -> None:
        subprocess.run([str(sandbox.python), "-I", "-S", "-B", "-c", CODE], check=True, capture_output=True)

    return summarise(
        _timed(fenced, samples), "ms", alternative="the same interpreter, started bare", against=_timed(bare, samples)
    )


def desktop(workspace: Path, *, samples: int = 7) -> Figure:
    """Milliseconds until a virtual desktop can be looked at, and until it is gone again; beside a bare X server's start and
    end. Raises EnvironmentFailure where none can be started."""

    def whole() -> None:
        start_virtual(workspace).close()

    def server() -> None:
        command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.terminate()

    against = _timed(server, samples)
    return summarise(_timed(whole, samples), "ms", alternative="a bare X server", against=against)


def _timed(work: Callable[[], None], samples: int) -> list[float]:
    """Milliseconds of each, but for the first: that one finds out what this machine can do."""
    work()
    found: list[float] = []
    for _ in range(samples):
        began = time.perf_counter()
        work()
        found.append((time.perf_counter() - began) * 1000)
    return found
