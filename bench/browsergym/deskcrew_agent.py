"""Deskcrew's crew as an agent of BrowserGym and AgentLab.

Each step is one operation of the crew. It has been carried out on BrowserGym's page, over the browser's debugging port, when
``get_action`` returns; so the action is ``noop()``, and BrowserGym validates after it as after any other. At the end the
crew's answer is sent with ``send_msg_to_user``, or ``report_infeasible`` says why there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bgym
from agentlab.agents.agent_args import AgentArgs
from browsergym.core import _get_global_playwright
from browsergym.core.observation import extract_screenshot
from crew_process import Crew, action_of, costs
from playwright.sync_api import Browser, Page

OWN_SITES = frozenset({"miniwob", "webarena", "visualwebarena", "workarena"})
"""Backends of benchmarks whose sites belong to who runs them, or are an instance to try things on."""


@dataclass
class DeskcrewArgs(AgentArgs):
    """A crew. ``sites``: ``own`` where all may be done on them, ``open`` for the open web, where nothing is sent, bought or
    deleted; a study sets it. ``data``: folder of the journal, '': the user's. ``python``: of Deskcrew's environment.
    ``chromium``: a browser to use in place of Playwright's."""

    agent_name: str = ""
    model: str = "local"
    crew: str = "default"
    sites: str = "open"
    seed: int | None = None
    data: str = ""
    python: str = ""
    chromium: str = ""
    use_raw_page_output: bool = True
    """AgentLab's loop reads it: the observation has the page itself, and nothing in the page is marked."""

    def __post_init__(self) -> None:
        self.agent_name = self.agent_name or f"Deskcrew-{self.crew}-{self.model}".replace("/", "_")

    def set_benchmark(self, benchmark: bgym.Benchmark, demo_mode: bool) -> None:
        backends = getattr(benchmark, "backends", ())
        self.sites = "own" if backends and OWN_SITES.issuperset(backends) else "open"

    def set_reproducibility_mode(self) -> None:
        self.seed = 0

    def make_agent(self) -> DeskcrewAgent:
        open_a_port(self.chromium)
        return DeskcrewAgent(self)


class DeskcrewAgent(bgym.Agent):
    """One episode of a crew."""

    def __init__(self, args: DeskcrewArgs) -> None:
        self.action_set = bgym.HighLevelActionSet(["chat", "infeas"], multiaction=False)
        self._args = args
        self._place: tuple[str, str] | None = None
        self._crew: Crew | None = None
        self._spent: dict[str, Any] = {}
        self._finished = False

    def obs_preprocessor(self, obs: dict[str, Any]) -> dict[str, Any]:
        """Without the page, which cannot be kept in a file, and without texts: AgentLab counts the tokens of each as if a
        model read it, with a tokenizer from the internet."""
        page = obs["page"]
        if self._place is None:
            self._place = endpoint_of(page.context.browser), target_of(page)
            page.context.on("close", self._leave)  # nobody else says that an episode is over
        kept = {name: value for name, value in obs.items() if name != "page" and not isinstance(value, str)}
        return kept | {"screenshot": extract_screenshot(page)}

    def get_action(self, obs: dict[str, Any]) -> tuple[str | None, bgym.AgentInfo]:
        """Have the crew do one operation. None in place of an action: it has nothing more to do."""
        if self._finished:
            return None, bgym.AgentInfo(think="The run has ended.")
        if self._crew is None:
            self._crew = self._begin(obs)
        else:
            self._crew.go_on()
        said = self._crew.next()
        stats = costs(said["spent"], self._spent)
        self._spent = said["spent"]
        self._finished = said["type"] == "ended"
        if self._finished:
            action, think = action_of(said), " ".join(filter(None, (said["outcome"], said["reason"], said["why"])))
        else:
            action, think = "noop(0)", f"{said['words']}: {'' if said['ok'] else 'failed: '}{said['said']}"
        shown = f"`deskcrew log {said['run']}` shows the run, `deskcrew serve` in a browser."
        return action, bgym.AgentInfo(think=think, stats=stats, markdown_page=shown, extra_info={"run": said["run"]})

    def _leave(self, _: object) -> None:
        if self._crew is not None:
            self._crew.close()

    def _begin(self, obs: dict[str, Any]) -> Crew:
        assert self._place is not None, "obs_preprocessor comes before get_action"
        endpoint, target = self._place
        args = self._args
        beginning = {
            "goal": obs["goal_object"], "endpoint": endpoint, "target": target,
            "sites": args.sites, "model": args.model, "crew": args.crew, "seed": args.seed, "data": args.data,
        }  # fmt: skip
        return Crew(beginning, args.python)


def open_a_port(chromium: str) -> None:
    """Have BrowserGym's browsers of this process opened with a debugging port, a free one of the loopback interface. There
    is no setting for it: BrowserGym gives Chromium's arguments itself. ``chromium``: a program to use for Playwright's."""
    kind = _get_global_playwright().chromium
    own = type(kind).launch

    def launch(**asked: Any) -> Browser:
        asked["args"] = [*(asked.get("args") or ()), "--remote-debugging-port=0"]
        if chromium:
            asked["executable_path"] = chromium
        return own(kind, **asked)

    kind.launch = launch


def endpoint_of(browser: Browser) -> str:
    """The debugging address of a browser that was started by Playwright with a port that the browser chose."""
    session = browser.new_browser_cdp_session()
    arguments = session.send("Browser.getBrowserCommandLine")["arguments"]
    session.detach()
    profile = next(value for name, _, value in (each.partition("=") for each in arguments) if name == "--user-data-dir")
    return f"http://127.0.0.1:{(Path(profile) / 'DevToolsActivePort').read_text().split()[0]}"


def target_of(page: Page) -> str:
    """What the browser calls a page."""
    session = page.context.new_cdp_session(page)
    target: str = session.send("Target.getTargetInfo")["targetInfo"]["targetId"]
    session.detach()
    return target
