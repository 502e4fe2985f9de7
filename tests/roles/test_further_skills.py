"""What an agent can do besides, where a run has what that takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import load_crew, within_reach
from deskcrew.engine.roles.role import BUILTIN, load_role, load_roles
from deskcrew.engine.roles.view import capabilities
from deskcrew.errors import ConfigError

CREW = load_crew("planned", (CREWS,), load_roles((BUILTIN,)))
DESKTOP = {"click_input", "open_application", "set_value", "keyboard_input"}


def test_a_skill_is_told_where_its_action_is_there_and_not_else() -> None:
    more, plain = within_reach(CREW, {*DESKTOP, "web_search"}), within_reach(CREW, DESKTOP)
    assert "Searches the web even without a browser." in capabilities(more)
    assert set(capabilities(plain).splitlines()) < set(capabilities(CREW).splitlines())
    assert more.pool == plain.pool


def test_a_search_alone_makes_a_searcher_of_use() -> None:
    assert "Searcher" not in within_reach(CREW, {"read_file"}).pool
    assert "Searcher" in within_reach(CREW, {"read_file", "web_search"}).pool


def test_a_skill_for_an_action_that_the_role_has_not_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    head = "name: Mine\nkind: decision\nskills: s\ndomain: [read_file]\nfurther: {web_search: Searches.}"
    path.write_text(f"---\n{head}\n---\n<!-- stable -->\nYou.\n")
    with pytest.raises(ConfigError, match="line 6, field 'further': there is no action 'web_search'"):
        load_role(path)
