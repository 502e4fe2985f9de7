"""A program that should count to the third of something, and whether it does."""

from __future__ import annotations

import pytest

from deskcrew.coaching.counting import uncounted

FILTERS = "print(next_one['name'] if next_one['kind'] == 'scanner' else '')"


@pytest.mark.parametrize(
    ("part", "code", "told"),
    [
        (
            "Which name has the third device in the hall?",
            FILTERS,
            "count to the third: of all that fit, in their order, take [2]",
        ),
        ("Which name has the 4th device in the hall?", FILTERS, "count to the 4th"),
        ("Which name has the third device in the hall?", "print(hall['devices'][2]['name'])", ""),
        ("Which name has the third device in the hall?", "for n, d in enumerate(devices):\n    print(d)", ""),
        ("Which name has the third device in the hall?", "if seen == 3: print(d)", ""),
        ("Which name has the third device in the hall?", "print(devices[20])", "count to the third"),
        ("What was paid in the second quarter?", FILTERS, ""),
        ("What happened on the 3rd of May?", FILTERS, ""),
        ("What happened on the 3rd May?", FILTERS, ""),
        ("Who came first, and who was the second?", FILTERS, ""),
        ("Which name has the first device?", FILTERS, ""),
        ("Which name has the 1st device?", FILTERS, ""),
    ],
)
def test_whether_a_program_counts(part: str, code: str, told: str) -> None:
    said = uncounted(part, code)
    assert (told in said) if told else not said
