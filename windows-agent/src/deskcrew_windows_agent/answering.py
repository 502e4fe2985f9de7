"""One reply for each request."""

from __future__ import annotations

import platform
from collections.abc import Callable
from hmac import compare_digest

from pydantic import ValidationError

from deskcrew_windows_agent import protocol as p
from deskcrew_windows_agent.files import Folder
from deskcrew_windows_agent.machine import FailedError, Machine, RefusedError
from deskcrew_windows_agent.overseeing import Watch


class Agent:
    """A machine and a folder behind the protocol. ``start``: starts the machine, once somebody has said hello; ``token``:
    what they have to know, '' where only those who may are let in; ``watch``: of the person at the machine."""

    def __init__(self, start: Callable[[], Machine], folder: Folder, token: str = "", watch: Watch | None = None) -> None:
        self._start = start
        self._folder = folder
        self._token = token
        self._watch = watch or Watch()
        self._machine: Machine | None = None

    def answer(self, line: str | bytes) -> str:
        """The reply to a request. After a ``failed`` one, and once :attr:`open` is False, nobody is served any more."""
        return self.reply(line).model_dump_json()

    def reply(self, line: str | bytes) -> p.Message:
        """The same, before it is written."""
        try:
            request = p.REQUESTS.validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            if self._machine is None:
                return self._failed("That is not a request of Deskcrew.", "Use the same version of Deskcrew on both sides.")
            return p.Refused(why=f"The request is invalid: {'.'.join(map(str, first['loc']))}: {first['msg']}.")
        try:
            if isinstance(request, p.Hello):
                return self._welcome(request)
            if self._machine is None:
                return self._failed("A run says hello first.", "Use the same version of Deskcrew on both sides.")
            return self._do(request, self._machine)
        except RefusedError as error:
            return p.Refused(why=str(error))
        except FailedError as error:
            return self._failed(str(error), error.hint)

    @property
    def open(self) -> bool:
        """Whether somebody is served."""
        return self._machine is not None

    def close(self) -> None:
        """Let go of the machine. Safe to call twice."""
        machine, self._machine = self._machine, None
        if machine is not None:
            machine.close()

    def _failed(self, why: str, hint: str) -> p.Failed:
        self.close()
        return p.Failed(why=why, hint=hint)

    def _welcome(self, hello: p.Hello) -> p.Message:
        if hello.version != p.VERSION:
            hint = "Install the same version of Deskcrew and of deskcrew-windows-agent."
            return self._failed(f"The agent speaks version {p.VERSION}, and the run version {hello.version}.", hint)
        if not compare_digest(hello.token.encode(), self._token.encode()):
            hint = "Set DESKCREW_AGENT_TOKEN to what the agent showed when it was started."
            return self._failed("The token is wrong.", hint)
        self.close()
        self._machine = self._start()
        folder = str(self._folder.root) if self._folder.root is not None else ""
        return p.Welcome(system=f"{platform.system()} {platform.release()}", folder=folder, lacks=self._machine.lacks)

    def _do(self, request: p.Acting | p.Asking, machine: Machine) -> p.Message:
        self._watch.may_go_on(acting=isinstance(request, p.Acting))
        if isinstance(request, p.Acting):
            self._act(request, machine)
            return p.Done()
        match request:
            case p.Observe():
                return p.Seen(snapshot=machine.look())
            case p.TakePicture():
                return p.Content(content=machine.picture())
            case p.ReadClipboard():
                return p.Text(text=machine.clipboard())
            case p.ListPrograms():
                return p.Programs(names=machine.programs())
            case p.ListFiles():
                files, cut = self._folder.list()
                return p.Files(files=files, cut=cut)
            case p.ReadFile(path=path):
                return p.Content(content=self._folder.read(path))
            case p.WriteFile(path=path, content=content):
                self._folder.write(path, content)
            case p.RemoveFile(path=path):
                self._folder.remove(path)
            case p.Close():
                self.close()
        return p.Done()

    @staticmethod
    def _act(request: p.Acting, machine: Machine) -> None:
        match request:
            case p.Order(key=key, verb=verb, argument=argument):
                machine.order(key, verb, argument)
            case p.Click(x=x, y=y, button=button, count=count):
                machine.click(x, y, button, count)
            case p.Wheel(x=x, y=y, notches=notches):
                machine.wheel(x, y, notches)
            case p.Press(codes=codes):
                machine.press(codes)
            case p.Type(text=text):
                machine.type(text)
            case p.BringForward(window=window):
                machine.bring_forward(window)
            case p.CloseWindow(window=window):
                machine.close_window(window)
            case p.SetClipboard(text=text):
                machine.set_clipboard(text)
            case p.Start(program=program):
                machine.start(program)
