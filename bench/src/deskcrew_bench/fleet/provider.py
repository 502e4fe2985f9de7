"""A provider of models on this machine, which takes its time as one does, and a crew that looks before it acts.

Every episode is to note some steps in a file. What is not noted yet is the next thing to do: so a run that was killed
anywhere and gone on with ends with every step once, unless something was lost or done twice.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import time
from pathlib import Path
from typing import Any

from deskcrew_bench.loopback import Loopback

LOG = "log.txt"
_EPISODE = re.compile(r"episode (\d+)")


def steps(number: int) -> list[str]:
    """The lines that the log of a submission's n-th episode must hold, each once."""
    return [f"{number}-{step}" for step in range(1, 4)]


def task(number: int) -> str:
    return f"Note what episode {number} does, step by step."


class Provider(Loopback):
    """Speaks OpenAI's protocol. ``seconds``: that it takes for a reply. Set ``submission`` once it has an id."""

    def __init__(self, data: Path, seconds: float) -> None:
        self._data, self._seconds, self.submission = data, seconds, ""
        super().__init__(self._handler())

    @property
    def model(self) -> str:
        """Its name, as ``--model`` takes it."""
        return f"http://{self.host}/v1#paced"

    def workspace(self, number: int) -> Path:
        return self._data / "workspaces" / f"{self.submission}-{number:05}"

    def reply(self, prompt: str) -> dict[str, Any]:
        """What the role says: the next step, or that all are done."""
        found = _EPISODE.search(prompt)
        number = int(found[1]) if found else 0
        log = self.workspace(number) / LOG
        noted = log.read_text().split() if log.exists() else []
        left = [step for step in steps(number) if step not in noted]
        if not left:
            return {"operations": [{"function": "read_file", "file_path": LOG}], "branch": "RoleTaskFinish"}
        operation = {"function": "run_shell", "command": f"echo {left[0]} >> {LOG}"}
        return {"operations": [operation], "branch": "Continue" if left[1:] else "RoleTaskFinish"}

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                asked = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                time.sleep(provider._seconds)
                said = json.dumps(provider.reply(asked))
                message = {"role": "assistant", "content": said}
                body: dict[str, Any] = {"id": "1", "object": "chat.completion", "created": 1, "model": "paced"}
                body["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
                prompt, made = len(asked) // 4, len(said) // 4
                body["usage"] = {"prompt_tokens": prompt, "completion_tokens": made, "total_tokens": prompt + made}
                content = json.dumps(body).encode()
                with contextlib.suppress(ConnectionError):
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is printed."""

        return Handler
