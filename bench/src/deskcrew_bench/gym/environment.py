"""Desk tasks as a Gymnasium environment, in which somebody else's agent stands in the model's place.

An episode is an ordinary run of crew ``solo`` on a virtual desktop of its own: its operations are guarded and checked, and
it can be inspected and replayed (``deskcrew log RUN``). An observation is what a model would be asked, an action the text
of its reply. The reward is 1 at the end of an episode whose task is done right, as the task's own program says, else 0.
"""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import anyio.to_thread
import gymnasium
from gymnasium import spaces

from deskcrew.errors import ModelFailure, UsageError
from deskcrew.models.client import Answer, Call, Model, Profile, T
from deskcrew.models.replies import read_reply
from deskcrew.settings import Limits, Settings
from deskcrew_bench.desk import suite
from deskcrew_bench.desk.task import tasks_of
from deskcrew_bench.suites.trial import Trial

NAME = "gymnasium"
LONGEST = 200_000
"""Characters of an observation's texts and of an action."""
OPTIONS = frozenset({"task", "number"})
"""What a reset may be given."""
ASKED = ("role", "prompt", "schema")
BOUND = "bound:"
"""How the reason of an outcome begins where a limit ended the run."""
WITHOUT = ("memory",)
"""The agent alone decides: nothing replies in its place or mends what it says, and no episode learns from another."""
PROFILE = Profile(name=NAME, context=128_000)


class Unicode(spaces.Text):
    """Any text up to a length; Gymnasium's own space wants the set of its characters."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length


class _Episode:
    """A run in an event loop of its own, and the model that it asks. Each side waits for the other."""

    def __init__(self, profile: Profile, play: Callable[[Model], Coroutine[Any, Any, Trial]]) -> None:
        self.name, self.profile = NAME, profile
        self._asked: queue.Queue[dict[str, str] | None] = queue.Queue()
        self._replies: queue.Queue[str | None] = queue.Queue()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._trial = asyncio.run_coroutine_threadsafe(play(self), self._loop)
        self._trial.add_done_callback(lambda _: self._asked.put(None))

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """The next action. Raises ModelFailure once the episode is over."""
        self._asked.put({"role": call.role, "prompt": call.text(), "schema": json.dumps(type.model_json_schema())})
        raw = await anyio.to_thread.run_sync(self._replies.get, abandon_on_cancel=True)
        if raw is None:
            raise ModelFailure("The episode was closed.")
        return Answer(read_reply(raw, type, max_tokens=call.max_tokens), raw, self.name, 0.0)

    async def close(self) -> None:
        """Nothing to give back."""

    def reply(self, text: str) -> None:
        self._replies.put(text)

    def told(self) -> dict[str, str] | Trial:
        """What is asked next, or what came of it all. Blocking. Raises what the run raised."""
        return self._asked.get() or self._trial.result()

    def end(self) -> None:
        """Wait until the run has ended, as failed where it was still asking."""
        self._replies.put(None)
        wait([self._trial])
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class DeskEnv(gymnasium.Env[Any, str]):
    """``Deskcrew-v0``. An observation has three texts: ``role``, who is asked (the agent ``Worker``, or whoever words the
    answer), ``prompt``, all that a model would read, and ``schema``, the JSON schema of its reply; all are empty at the end.
    An action is a reply. One that does not fit the schema does nothing, and the next prompt says what was wrong with it.

    ``reset(options={"task": NAME, "number": N})`` chooses; else task and number are drawn. An episode is truncated where a
    limit ended it. At the end ``info`` tells ``outcome``, ``reason``, ``right``, ``said`` (by the task's check) and ``run``.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  as Gymnasium has it

    def __init__(
        self,
        tasks: str | Path = Path("bench/desk"),
        *,
        limits: Mapping[str, Any] | None = None,
        profile: Profile = PROFILE,
        settings: Settings | None = None,
        render_mode: str | None = None,
    ) -> None:
        """``tasks``: a folder as ``bench desk`` takes it; ``limits``: as ``deskcrew run --limit`` has them; ``profile``:
        what the agent can, for instance ``contracts`` to be asked what must hold. Raises UsageError and ConfigError."""
        self.tasks = {task.name: task for task in tasks_of(Path(tasks))}
        self.settings = settings or Settings()
        if limits:
            self.settings = self.settings.model_copy(
                update={"limits": Limits.model_validate(self.settings.limits.model_dump() | dict(limits))}
            )
        self.profile, self.render_mode = profile, render_mode
        text = Unicode(min_length=0, max_length=LONGEST)
        self.observation_space = spaces.Dict(dict.fromkeys(ASKED, text))
        self.action_space = Unicode(min_length=0, max_length=LONGEST)
        self._episode: _Episode | None = None
        self._prompt = ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        """Begin an episode. Raises UsageError for a task or an option that there is not, and what the run raises before it
        begins."""
        super().reset(seed=seed)
        self.close()
        options = options or {}
        if unknown := sorted(options.keys() - OPTIONS):
            raise UsageError(f"There is no option {unknown[0]!r}.", hint=f"There are: {', '.join(sorted(OPTIONS))}.")
        if (asked := options.get("task")) and asked not in self.tasks:
            raise UsageError(f"There is no task {asked!r}.", hint=f"There are: {', '.join(sorted(self.tasks))}.")
        name = options.get("task") or str(self.np_random.choice(list(self.tasks)))
        number = int(options.get("number") or self.np_random.integers(1, 1_000_000))
        task = self.tasks[name]

        def play(model: Model) -> Coroutine[Any, Any, Trial]:
            return suite.attempt(task, number, self.settings, model=NAME, crew="solo", without=WITHOUT, loaded=model)

        self._episode = _Episode(self.profile, play)
        observation, _, _, _, info = self._told(self._episode)
        return observation, {"task": name, "number": number, **info}

    def step(self, action: str) -> tuple[dict[str, str], float, bool, bool, dict[str, Any]]:
        """Reply. Raises RuntimeError where no episode is going on, and what a bug of the run raised."""
        if self._episode is None:
            raise RuntimeError("No episode is going on: call reset first.")
        self._episode.reply(action)
        return self._told(self._episode)

    def render(self) -> str | None:  # type: ignore[override]
        return self._prompt if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End the episode that is going on; its run ends as failed."""
        if self._episode is not None:
            self._episode.end()
            self._episode = None

    def _told(self, episode: _Episode) -> tuple[dict[str, str], float, bool, bool, dict[str, Any]]:
        try:
            told = episode.told()
        except BaseException:
            self.close()
            raise
        if isinstance(told, dict):
            self._prompt = told["prompt"]
            return told, 0.0, False, False, {}
        self.close()
        bound = told.reason.startswith(BOUND)
        info = told.model_dump(include={"outcome", "reason", "right", "said", "run"})
        return dict.fromkeys(ASKED, ""), float(told.right), not bound, bound, info
