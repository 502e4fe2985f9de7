"""One request to a web service, sent from the sandbox, so that it reaches only hosts that programs of this run may reach."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import ValidationError

from deskcrew.actions.action import Scene
from deskcrew.actions.sandbox import SandboxLimits
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Frozen

_RUNNER = Path(__file__).with_name("request_runner.py")
_SECONDS = 30
LIMITS = SandboxLimits(seconds=_SECONDS + 5, cpu=20)
MOST = 200_000
"""Maximum number of bytes read of a response."""


class Answered(Frozen):
    """The response. ``error``: why there is none, '' if there is one; ``cut``: whether the response was longer."""

    status: int = 0
    type: str = ""
    text: str = ""
    cut: bool = False
    error: str = ""


def send(scene: Scene, method: str, address: str, headers: Mapping[str, str], body: str) -> Answered:
    """Send a request, and return the response. Blocking. Raises ActionError if the host cannot be reached."""
    host = urlsplit(address).netloc
    if not (scene.sandbox.network or scene.sandbox.proxy or scene.sandbox.unsafe_host):
        raise ActionError(f"{host} cannot be reached: this run has no network. The user allows it with --allow-host {host}.")
    asked = {"method": method, "address": address, "headers": dict(headers), "body": body, "seconds": _SECONDS, "most": MOST}
    # By standard input: what is in a command line can be read by whoever lists processes.
    argv = [str(scene.sandbox.python), "-I", "-S", "-B", "-X", "utf8", "-c", _RUNNER.read_text(encoding="utf-8")]
    done = scene.sandbox.run(argv, stdin=json.dumps(asked), limits=LIMITS)
    try:
        answered = Answered.model_validate_json(done.stdout)
    except ValidationError as error:
        raise ActionError(f"{host} did not answer in time.") from error
    if answered.error:
        raise ActionError(f"{host} cannot be reached: {answered.error}.")
    return answered
