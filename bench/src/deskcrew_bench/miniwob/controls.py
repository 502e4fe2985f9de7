"""A control of MiniWoB++: clicks at random."""

from __future__ import annotations

import itertools
import random
import re

from deskcrew.environments.describe import CONTROLS
from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply, ScriptedModel

RANDOM = "random"


class Clicker(ScriptedModel):
    """Clicks one of the controls in its prompt, whichever, until it is stopped."""

    def __init__(self, seed: str) -> None:
        super().__init__(itertools.repeat(self._reply), name=RANDOM)
        self._chance = random.Random(seed)

    def _reply(self, call: Call) -> Reply:
        if call.role == "FinalAnswer":
            return {"answer": "", "sources": [], "branch": "Unanswerable", "problem": "Nothing was found out."}
        listed = call.text("volatile").rpartition(CONTROLS)[2].partition("\n\n")[0]
        labels = re.findall(r"^(\d+) (?!document|section|cell|row header|column header)", listed, flags=re.MULTILINE)
        clicks = [{"function": "click_input", "control": self._chance.choice(labels)}] if labels else []
        return {"operations": clicks, "branch": "Continue"}
