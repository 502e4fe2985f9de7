"""Whether a file that is gone lies in another one, a little edited: then nobody loses anything."""

from __future__ import annotations

import pytest

from deskcrew.environments.changes import renamed

LETTER = b"Dear Ada,\nthe meeting in March is moved to the larger room.\n"


@pytest.mark.parametrize(
    ("old", "new", "held"),
    [
        (LETTER, LETTER.replace(b"March", b"April"), True),
        (LETTER, b"Dear Ada, we need bread.\n", False),
        (b"Nothing yet. [Up](../../Home.md)", b"Nothing yet. [Up](../../home.md)", True),
        (b"Nothing yet. [Up](../../Home.md)", b"Nothing left. [Down](Other.md)", False),
        (b"a=1", b"a=2", False),
        (b"a=1\nb=2\nc=3\nd=4\n", b"a=1\nb=2\nc=3\nd=5\n", True),
        (b"0123456789abcdef", bytes(3000), False),
    ],
)
def test_a_file_that_was_renamed_and_edited(old: bytes, new: bytes, held: bool) -> None:
    assert renamed(old, new) is held
