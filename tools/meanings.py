"""Writes what the skills that ship mean to the usual embedder: src/deskcrew/skills/meanings.npz. Run it after a change of
what they are called or how people ask for them; a test says when it is due."""

from __future__ import annotations

from deskcrew.memory.factory import embedder_of
from deskcrew.memory.remembered import keep
from deskcrew.settings import Settings
from deskcrew.skills.offering import MEANINGS, compared

if __name__ == "__main__":
    embedder = embedder_of(Settings().memory)
    assert embedder is not None, "the usual embedder is not installed: pip install '.[memory]'"
    keep(embedder, compared(), MEANINGS)
    print(f"{MEANINGS}: {len(compared())} texts, {MEANINGS.stat().st_size >> 10} KiB")
