"""Deskcrew's side of an episode: a process in an environment of its own, spoken to over two pipes.

Nothing is imported but the standard library: this runs in BrowserGym's environment, where Deskcrew is not installed. What
goes over the pipes is told in ``bench/src/deskcrew_bench/browsergym/episode.py``.
"""

from __future__ import annotations

import json
import subprocess
import weakref
from pathlib import Path
from typing import IO, Any, cast

PYTHON = Path(__file__).parents[2] / ".venv" / "bin" / "python"
"""That of the checkout's own environment (``make setup-dev``)."""
LEAVING_SECONDS = 30.0
"""Seconds that a run may take to write down that its episode is over."""
FINISHED = "Done."
"""What the user is told where nothing was asked."""


class CrewFailed(Exception):
    """There is no crew, or none any more. The text says what to do."""


class Crew:
    """A crew at work on a page. It stands still from :meth:`next` to :meth:`go_on`."""

    def __init__(self, beginning: dict[str, Any], python: str = "") -> None:
        """``python``: of an environment in which deskcrew-bench is installed; '': the checkout's. Raises CrewFailed."""
        program = python or str(PYTHON)
        command = [program, "-m", "deskcrew_bench.browsergym"]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise CrewFailed(f"Deskcrew is not to be had at {program}: make setup-dev, or name its Python.") from error
        self._over = weakref.finalize(self, _leave, self._process)
        self._tell(beginning)

    def next(self) -> dict[str, Any]:
        """What comes next: an operation that was done (``type`` is ``done``), or how the run ended (``ended``). Raises
        CrewFailed."""
        line = cast("IO[str]", self._process.stdout).readline()
        if not line:
            raise CrewFailed(f"Deskcrew ended with exit code {self._process.wait()}; its standard error says why.")
        said: dict[str, Any] = json.loads(line)
        if said["type"] == "refused":
            raise CrewFailed(f"{said['error']} {said['hint']}".strip())
        return said

    def go_on(self) -> None:
        """Say that BrowserGym has taken its step."""
        self._tell({})

    def close(self) -> None:
        """Say that the episode is over, and wait until the run has noted that. Safe to call twice."""
        self._over()

    def _tell(self, said: dict[str, Any]) -> None:
        pipe = cast("IO[str]", self._process.stdin)
        try:
            pipe.write(json.dumps(said) + "\n")
            pipe.flush()
        except BrokenPipeError:
            return  # it has ended; what it said last is still to be read


def _leave(process: subprocess.Popen[str]) -> None:
    with process:
        try:
            process.communicate(timeout=LEAVING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def action_of(ended: dict[str, Any]) -> str | None:
    """BrowserGym's action for a run that has ended so. None: it has given up and says nothing; the episode ends as it is."""
    if ended["outcome"] in ("done", "unverified"):
        return f"send_msg_to_user({ended['answer'] or FINISHED!r})"
    if ended["reason"] == "infeasible":
        return f"report_infeasible({ended['why']!r})"
    return None


def costs(spent: dict[str, Any], before: dict[str, Any]) -> dict[str, int]:
    """What a step has cost, of what the run had cost before it and has now; without what the model does not tell."""
    return {name: now - (before.get(name) or 0) for name, now in spent.items() if now is not None}
