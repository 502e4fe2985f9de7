"""A program that does not count to the third of something."""

from __future__ import annotations

import pytest

from deskcrew.coaching.program_results import uncounted

FILTERS = "print(next_one['name'] if next_one['kind'] == 'scanner' else '')"
THIRD = "Which name has the third device in the hall?"


@pytest.mark.parametrize(
    ("part", "code", "told"),
    [
        (THIRD, FILTERS, "count to the third: of all that fit, in their order, take [2]"),
        ("Which name has the 4th device in the hall?", FILTERS, "count to the 4th"),
        (THIRD, "print(hall['devices'][2]['name'])", ""),
        (THIRD, "for n, d in enumerate(devices):\n    print(d)", ""),
        (THIRD, "if seen == 3: print(d)", ""),
        (THIRD, "print(devices[20])", "count to the third"),
        ("What was paid in the second quarter?", FILTERS, ""),
        ("What happened on the 3rd of May?", FILTERS, ""),
        ("What happened on the 3rd May?", FILTERS, ""),
        ("Who came first, and who was the second?", FILTERS, ""),
        ("Which name has the first device?", FILTERS, ""),
    ],
)
def test_whether_a_program_counts(part: str, code: str, told: str) -> None:
    said = uncounted(part, code)
    assert (told in said) if told else not said
