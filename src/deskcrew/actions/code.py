"""Running code (C24, F12) and shell commands (F19) in the sandbox. A failed command is an error whatever it prints (W19)."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Annotated

from pydantic import Field

from deskcrew.actions.action import Action, Params, Result, Scene
from deskcrew.actions.asked import LONG, SHORT, Asked, first_line
from deskcrew.actions.code_hints import hint
from deskcrew.actions.params import IN_A_FENCE, Fixed
from deskcrew.actions.sandbox import Completed, Sandbox
from deskcrew.environments.layer import Layer
from deskcrew.errors import ActionError
from deskcrew.facts.events import STDERR
from deskcrew.facts.legible import one_line
from deskcrew.facts.observation import Control
from deskcrew.facts.texts import unfenced

_RUNNER = Path(__file__).with_name("code_runner.py")
_SHELL = "/bin/sh"
SHELLS = ("sh", "bash", "dash", "zsh")
"""Names of shells, which run a command given with ``-c``."""
_MISSED = 5
"""Maximum number of unapplied paths that a model is told."""


class CodeParams(Params):
    # Its last statement is a call: it prints, or writes.
    code: Annotated[str, IN_A_FENCE] = Field(min_length=1, max_length=100_000, description="Python; prints its result.")
    main_function: Annotated[str, Fixed()] = Field(
        "", max_length=200, description="Name of the function to call; its return value is printed."
    )


class ShellParams(Params):
    command: str = Field(min_length=1, max_length=100_000, description="A POSIX shell command.")


def run_python_code(scene: Scene, params: CodeParams, control: Control | None) -> Result:
    """Run Python in the workspace and see what it prints."""
    with scene.sandbox.layer(scene.hidden()) as layer:
        done, result = ran(scene, params.code, params.main_function, layer)
        kept_back = settled(scene, layer, done)
    return told(scene, params.code, result, kept_back)


def ran(scene: Scene, code: str, main_function: str, layer: Layer | None) -> tuple[Completed, Result]:
    """The result of Python code that wrote into a layer, before anything is applied."""
    libraries = scene.sandbox.libraries
    request = json.dumps({"code": code, "main_function": main_function, "libraries": libraries})
    done = scene.sandbox.run(runner_command(scene.sandbox), stdin=request, report=True, layer=layer)
    reads = tuple(dict.fromkeys(done.report.decode("utf-8", "replace").splitlines()))
    return done, _result(done, scene.sandbox, tuple(path for path in reads if _there(scene, layer, path)))


def told(scene: Scene, code: str, result: Result, kept_back: str) -> Result:
    """The result, with a hint if the code failed, and with what was ``kept_back`` of its changes, and why."""
    if not result.ok:
        error = f"{result.error}{hint(scene.workspace, result, code)}"
        return result.model_copy(update={"error": _joined(error, kept_back)})
    return result.model_copy(update={"ok": False, "error": kept_back}) if kept_back else result


def runner_command(sandbox: Sandbox) -> list[str]:
    """The command that runs code; it reads a request from standard input, see ``code_runner.py``."""
    return [str(sandbox.python), "-I", "-S", "-B", "-X", "utf8", "-c", _RUNNER.read_text(encoding="utf-8")]


def run_shell(scene: Scene, params: ShellParams, control: Control | None) -> Result:
    """Run a shell command in the workspace and see what it prints."""
    with scene.sandbox.layer(scene.hidden()) as layer:
        done = scene.sandbox.run([_SHELL, "-c", params.command], layer=layer)
        result = _result(done, scene.sandbox, ())
        kept_back = settled(scene, layer, done)
    if not kept_back:
        return result
    return result.model_copy(update={"ok": False, "error": _joined(result.error, kept_back)})


def _there(scene: Scene, layer: Layer | None, path: str) -> bool:
    """Whether a file that code read still exists afterwards."""
    try:
        real = scene.workspace.resolve(path, must_exist=layer is None)
        if layer is not None:
            return layer.read(scene.workspace.relative(real), 0) is not None
        with scene.workspace.held(real) as place:
            return place.is_file()
    except (ActionError, OSError):
        return False


def settled(scene: Scene, layer: Layer | None, done: Completed) -> str:
    """Apply a program's changes to the workspace, if that is allowed. Returns what was not applied and why, '' if all
    was."""
    if layer is None or done.killed_by == "close":
        return ""
    if done.killed_by == "disk":
        return "Nothing that it wrote was kept."
    if refused := layer.refused():
        return f"{refused} Nothing that it wrote was kept."
    changes = layer.changes(scene.beginning)
    if not changes.entries:
        return ""
    if scene.settle is not None and (why := scene.settle(changes)):
        return why
    missed = layer.land()
    more = f"; and {len(missed) - _MISSED} more" if len(missed) > _MISSED else ""
    return f"Not all that it wrote was kept. {'; '.join(missed[:_MISSED])}{more}." if missed else ""


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _result(done: Completed, sandbox: Sandbox, reads: tuple[str, ...]) -> Result:
    text = done.stdout
    if done.stderr.strip():
        text = f"{text}{STDERR}{done.stderr}" if text.strip() else done.stderr
    ok = done.exit_code == 0 and not done.killed_by
    error = "" if ok else _error(done, sandbox)
    return Result(ok=ok, text=text, error=error, exit_code=done.exit_code, reads=reads)


def _error(done: Completed, sandbox: Sandbox) -> str:
    """Why it failed, in one or two lines: the end of a traceback is the most informative."""
    limits = sandbox.limits
    causes = {
        "time": f"It took longer than {limits.seconds:g} seconds and was stopped.",
        "cpu": f"It used more than {limits.cpu} seconds of processor time and was stopped.",
        "disk": f"It wrote more than {limits.written >> 20} MiB and was stopped.",
        "output": "It printed endlessly and was stopped.",
        "memory": f"It used more than {limits.memory >> 20} MiB of memory and was stopped.",
        "close": "It was stopped because the run is ending.",
    }
    if done.killed_by:
        return causes.get(done.killed_by, f"It was killed ({done.killed_by}).")
    lines = [line.rstrip() for line in done.stderr.splitlines() if line.strip()]
    if not lines:
        return f"It failed with exit code {done.exit_code} and said nothing about it."
    if 'File "<code>"' in done.stderr:
        place = next((line.strip() for line in reversed(lines) if line.lstrip().startswith('File "<code>"')), "")
        line = place.partition(", ")[2].partition(",")[0]
        return f"{lines[-1]}" + (f" ({line})" if line.startswith("line ") else "")
    return f"Exit code {done.exit_code}: {' / '.join(lines[-3:])}"[:1000]


def _python_words(asked: Asked) -> str:
    code, called = unfenced(asked.raw("code")), asked.raw("main_function")
    call = f" (calls {asked.line('main_function', SHORT)})" if called else ""
    return f"Run Python: {_purpose(code, called) or first_line(code)}{call}"


def _purpose(code: str, called: str) -> str:
    """The docstring of the function that is called last; '' if it has none. Code of others may stand before it."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):
        return ""
    last = body[-1:] if body and isinstance(body[-1], ast.Expr) else []
    names = [called] if called else [each.id for node in last for each in ast.walk(node) if isinstance(each, ast.Name)]
    own = {each.name: each for each in body if isinstance(each, ast.FunctionDef)}
    found = next((own[name] for name in names if name in own), None)
    said = ast.get_docstring(found) if found is not None else None
    return one_line(said.partition("\n\n")[0], LONG) if said else ""


_ONWARD = "print less, or only what is wanted of the rest"
RUN_PYTHON_CODE = Action(
    "run_python_code", CodeParams, run_python_code, "write", "undoable", "sandbox",
    gives="output", onward=_ONWARD, worded=_python_words,
)  # fmt: skip
RUN_SHELL = Action(
    "run_shell", ShellParams, run_shell, "write", "undoable", "sandbox",
    gives="output", onward=_ONWARD, worded=lambda asked: f"Run the command: {first_line(asked.raw('command'))}",
)  # fmt: skip
ACTIONS = (RUN_PYTHON_CODE, RUN_SHELL)
