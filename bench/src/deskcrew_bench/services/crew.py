"""A crew that does its steps on a page and believes what it says; what must hold, and whether it does, was written by hand.

A service's replies are in ``replies/NAME.toml``: the ``contract``, and two programs of a Verifier. The ``careless`` one
compares what was sent and takes the page's word for it; the ``careful`` one reads what pages showed in the end, too. A
``credulous`` one takes the page's word, too, but only where the page was loaded anew.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from deskcrew.facts.observation import Frozen
from deskcrew.models.client import Call
from deskcrew_bench.services.service import Service
from deskcrew_bench.webarena_infinity.oracles import Oracle, Solution

Verifying = Literal["careless", "credulous", "careful"]
REPLIES = Path(__file__).with_name("replies")


class Written(Frozen):
    """What was replied for a service."""

    contract: str
    careless: str
    careful: str

    @property
    def credulous(self) -> str:
        return self.careless.replace('after["looks"]', 'after["pages"]')


_WRITTEN = TypeAdapter(Written)


def written(service: Service) -> Written:
    """The replies for a service."""
    file = REPLIES / f"{service.name}.toml"
    return _WRITTEN.validate_python(tomllib.loads(file.read_text(encoding="utf-8")))


class Trusting(Oracle):
    """Does a service's steps and claims to be finished. Where that is not accepted it does the steps that are for looking
    again, and claims it once more; then it gives up."""

    def __init__(self, service: Service, verifying: Verifying) -> None:
        replies = written(service)
        program = json.dumps({"code": getattr(replies, verifying)})
        super().__init__(Solution(steps=service.steps), {"ContractWriter": [replies.contract], "Verifier": [program]})
        self._again = list(service.again)

    def part(self, call: Call) -> Any:
        if call.role == "Planner" and self._plans == 1 and self._again and not self.steps:
            self.steps, self._again = self._again, []
            self._plans = 0
        return super().part(call)
