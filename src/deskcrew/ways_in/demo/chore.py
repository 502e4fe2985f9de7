"""The chore of ``deskcrew demo``: a workbook of trips, a page that works out the amount for them, a letter to put it in.

The first month is always the same, since replies to it were recorded. Later months have other names, values and file names.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import jinja2
import openpyxl

COLUMNS = ("day", "traveller", "from", "to", "km", "claimed")
PEOPLE = ("Bela Orban", "Carla Neri", "Dmitri Sokol", "Elif Aydin", "Farid Haddad", "Greta Lund", "Hugo Salas", "Inga Holm",
          "Jonas Ek", "Kemal Demir", "Lena Vogt", "Marta Kos")  # fmt: skip
PLACES = ("Bergen", "Porto", "Gdansk", "Lyon", "Turku", "Ghent", "Graz", "Leeds")
MONTHS = ("june", "july", "august", "september", "october", "november")
BOOKS, PAGES, LETTERS = ("trips", "drives", "travel"), ("mileage", "claim", "kilometres"), ("letter", "reply", "note")
LETTER = """Riverside Repairs

Dear {{ traveller }},

this is what your trips come to. You will have it by the end of the month.

Kind regards
Office
"""
PAGE = Path(__file__).with_name("mileage.html")


@dataclass(frozen=True, slots=True)
class Chore:
    """One month. ``trips``: the rows of the workbook, without the column "claimed"; ``near``, ``far``, ``limit``, ``first``:
    the numbers with which the page calculates."""

    traveller: str
    book: str
    page: str
    letter: str
    trips: tuple[tuple[str, str, str, str, float], ...]
    near: int = 30
    far: int = 24
    limit: int = 200
    first: int = 4711

    def asked(self, wording: str) -> str:
        """The task. ``wording``: a template of it, with the fields as variables."""
        return jinja2.Template(wording, undefined=jinja2.StrictUndefined).render(asdict(self))

    def put(self, folder: Path) -> None:
        """Write the month's files into a folder."""
        book = openpyxl.Workbook()
        sheet = book.active
        assert sheet is not None
        sheet.title = "Trips"
        sheet.append(COLUMNS)
        for trip in self.trips:
            sheet.append(trip)
        for letter, width in zip("ABCDEF", (12, 16, 12, 12, 8, 10), strict=True):
            sheet.column_dimensions[letter].width = width
        book.save(folder / self.book)
        numbers = {"near": self.near, "far": self.far, "limit": self.limit, "first": self.first}
        texts = {self.page: PAGE.read_text(encoding="utf-8"), self.letter: LETTER}
        for name, text in texts.items():
            filled = jinja2.Template(text, keep_trailing_newline=True).render(numbers, traveller=self.traveller)
            (folder / name).write_text(filled, encoding="utf-8")


RECORDED = Chore(
    traveller="Ada Quist",
    book="trips-may.xlsx",
    page="mileage.html",
    letter="letter-quist.txt",
    trips=(
        ("2026-05-04", "Ada Quist", "Bergen", "Lyon", 64.5),
        ("2026-05-05", "Hugo Salas", "Porto", "Ghent", 38.0),
        ("2026-05-07", "Ada Quist", "Turku", "Graz", 121.0),
        ("2026-05-11", "Lena Vogt", "Leeds", "Porto", 83.5),
        ("2026-05-12", "Ada Quist", "Lyon", "Leeds", 47.0),
        ("2026-05-18", "Hugo Salas", "Gdansk", "Bergen", 152.0),
        ("2026-05-21", "Ada Quist", "Graz", "Gdansk", 90.0),
        ("2026-05-27", "Lena Vogt", "Ghent", "Turku", 29.5),
    ),
)
"""The month for which replies were recorded."""
TASK = (
    "Ada Quist wants the trips paid that stand under this name in trips-may.xlsx. Add up their kilometres, enter the name "
    "and the kilometres on the page mileage.html in Chromium and press Work out. Then open letter-quist.txt in the text "
    "editor, add the two lines that the page shows, the amount and the claim number, at its end and save it. In the "
    "workbook, write yes in the column claimed of these trips."
)
"""The recorded month's task."""


REQUEST = (
    "Please settle {{ book }} for {{ traveller }}: let {{ page }} work it out, put the amount and the claim number it gives "
    "at the bottom of {{ letter }}, and mark those trips as claimed."
)
"""The template of a later month's task."""


def broken() -> Chore:
    """The recorded month with one file altered: a trip of the traveller is longer."""
    day, who, begin, end, km = RECORDED.trips[2]
    return replace(RECORDED, trips=(*RECORDED.trips[:2], (day, who, begin, end, km + 100), *RECORDED.trips[3:]))


def later(seed: int) -> Chore:
    """Another month: other names, values and files. Deterministic in ``seed``."""
    chance = random.Random(seed)
    who, *others = chance.sample(PEOPLE, 4)
    number = MONTHS.index(month := chance.choice(MONTHS)) + 6
    days = sorted(chance.sample(range(1, 29), 10))
    names = [who, who, who, *(chance.choice((who, *others)) for _ in range(7))]
    chance.shuffle(names)
    trips = tuple(
        (f"2026-{number:02}-{day:02}", name, chance.choice(PLACES), chance.choice(PLACES), chance.randint(40, 360) / 2)
        for day, name in zip(days, names, strict=True)
    )
    return Chore(
        traveller=who,
        book=f"{chance.choice(BOOKS)}-{month}.xlsx",
        page=f"{chance.choice(PAGES)}{chance.choice(('', '-form', '-claim'))}.html",
        letter=f"{chance.choice(LETTERS)}-{who.split()[1].lower()}.txt",
        trips=trips,
        near=chance.randrange(26, 39, 2),
        far=chance.randrange(14, 25, 2),
        limit=chance.choice((150, 200, 250)),
        first=chance.randint(1000, 8999),
    )


REPLIES = Path(__file__).with_name("replies.json")
"""A strong model's replies to the recorded month (``models/recorded.py``). When they first claim that the task is done, its
last sentence was not carried out."""
PROGRAMS = {"Chromium Web Browser": "chromium", "Text Editor (Mousepad)": "mousepad"}
"""The programs that the replies open, by the names used there, with their packages."""
