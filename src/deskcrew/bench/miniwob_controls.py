"""Controls of MiniWoB++: clicks at random, and what rules do before any model is asked."""

from __future__ import annotations

import itertools
import random
import re

from deskcrew.environments.describe import CONTROLS
from deskcrew.errors import ModelFailure
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import Reply, ScriptedModel

RANDOM, RULES = "random", "rules"


class Silent(ScriptedModel):
    """A small model that never answers: the run ends where rules alone do not know how to go on."""

    def __init__(self) -> None:
        failure = ModelFailure("Rules alone go no further.")
        super().__init__(itertools.repeat(failure), name=RULES, profile=Profile(name=RULES, free_text="none"))


class Clicker(ScriptedModel):
    """Clicks one of the controls in its prompt, whichever, until it is stopped."""

    def __init__(self, seed: str) -> None:
        super().__init__(itertools.repeat(self._reply), name=RANDOM)
        self._chance = random.Random(seed)

    def _reply(self, call: Call) -> Reply:
        if call.role == "FinalAnswer":
            return {"answer": "", "sources": [], "branch": "Unanswerable", "problem": "Nothing was found out."}
        if call.role == "SupportJudge":
            return {"why": "Nothing was found out.", "supported": False}
        listed = call.text("volatile").rpartition(CONTROLS)[2].partition("\n\n")[0]
        labels = re.findall(r"^(\d+) (?!document|section|cell|row header|column header)", listed, flags=re.MULTILINE)
        clicks = [{"function": "click_input", "control": self._chance.choice(labels)}] if labels else []
        return {"operations": clicks, "branch": "Continue"}
