"""Make the twenty questions of this folder anew, with their files and answers: ``python bench/gaia/make.py [DIR]``.

Each question is a function of a random generator that is seeded with its name: data come from it, and the answer is
worked out from the same data by a program, never by hand. Files come out the same every time; mp3 needs ffmpeg, and
another version of it may write other bytes.
"""

from __future__ import annotations

import calendar
import contextlib
import datetime
import io
import itertools
import json
import math
import random
import sys
import uuid
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from files import dialled, letter, morse, mp3, pages, picture, table_of, tone, workbook, zipped
from PIL import Image, ImageDraw, ImageFont


@dataclass(frozen=True)
class Asked:
    """A question. ``kind``: how its file's name ends, '' where it has none; ``steps``: how a person finds the answer."""

    text: str
    level: int
    answer: str
    steps: tuple[str, ...]
    tools: tuple[str, ...] = ()
    kind: str = ""
    file: bytes = b""


# -- level 1


def fair(chance: random.Random) -> Asked:
    hot, cold = ("Coffee", "Tea", "Cocoa", "Mulled wine"), ("Lemonade", "Apple juice", "Iced tea", "Cola")
    prices = {name: chance.randrange(150, 420, 10) for name in (*hot, *cold)}
    rows = [
        (stall, name, chance.randrange(8, 95), prices[name] / 100)
        for stall in ("Church", "Fire brigade", "School", "Football club")
        for name in chance.sample(sorted(prices), 6)
    ]
    cents = sum(count * prices[name] for _, name, count, _ in rows if name in hot)
    return Asked(
        "The attached workbook is what the stalls of our village fair noted: each drink, how many of it were sold, "
        "and for how much in euros each. How much money did all stalls together take for drinks that are served hot? "
        "Give the amount in euros with two decimals.",
        1,
        f"{cents / 100:.2f}",
        ("Open the workbook.", "Tell hot drinks from cold ones.", "Add up number times price of the hot ones."),
        ("a spreadsheet program",),
        "xlsx",
        workbook(Drinks=[("Stall", "Drink", "Sold", "Price each"), *rows]),
    )


def ferry(chance: random.Random) -> Asked:
    starts, goals = sorted(chance.sample(range(6 * 60, 20 * 60, 5), 12)), [*("Norr", "Vik", "Norr", "Sund") * 3]
    chance.shuffle(goals)
    crossings = [(start, goal, chance.randrange(35, 75, 5)) for start, goal in zip(starts, goals, strict=True)]
    there = [(start, start + takes) for start, goal, takes in crossings if goal == "Norr"]
    from_ = there[2][0] - 20  # too late for that one
    arrival = min(ended for start, ended in there if start >= from_ + 30)
    lines = [f"{clock(start):8}{goal:12}{takes} min" for start, goal, takes in crossings]
    return Asked(
        f"I will be at the harbour at {clock(from_)} and need half an hour there before I can board. By the attached "
        "timetable, at what time can I be on Norr at the earliest? Answer as HH:MM.",
        1,
        clock(arrival),
        ("Open the timetable.", "Look for departures to Norr that are late enough.", "Add the time of the crossing."),
        ("a PDF viewer",),
        "pdf",
        pages(["ISLAND FERRIES", "Summer, every day", "", f"{'leaves':8}{'to':12}crossing", "", *lines]),
    )


def clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def circles(chance: random.Random) -> Asked:
    image = Image.new("RGB", (900, 600), "white")
    draw, colours = ImageDraw.Draw(image), {"red": "#d02020", "blue": "#2050c0", "green": "#208040", "yellow": "#e8c020"}
    count = Counter[str]()
    for row, column in itertools.product(range(4), range(6)):
        colour, shape = chance.choice(sorted(colours)), chance.choice(("circle", "square", "triangle"))
        count[shape] += 1
        x, y, r = 75 + 150 * column + chance.randrange(-20, 20), 75 + 150 * row + chance.randrange(-20, 20), 35
        if shape == "circle":
            draw.ellipse((x - r, y - r, x + r, y + r), fill=colours[colour])
        elif shape == "square":
            draw.rectangle((x - r, y - r, x + r, y + r), fill=colours[colour])
        else:
            draw.polygon(((x, y - r), (x - r, y + r), (x + r, y + r)), fill=colours[colour])
    more, fewer = sorted(("circle", "square"), key=lambda shape: -count[shape])
    return Asked(
        f"How many more {more}s than {fewer}s are there in the attached picture, whatever their colours?",
        1,
        str(count[more] - count[fewer]),
        ("Look at the picture.", "Count circles and squares.", "Subtract."),
        ("an image viewer",),
        "png",
        picture(image),
    )


def beeps(chance: random.Random) -> Asked:
    high = [chance.random() < 0.5 for _ in range(chance.randrange(14, 22))]
    sound = tone(0.5)
    for each in high:
        sound += tone(0.25, 1320 if each else 440) + tone(chance.choice((0.2, 0.35, 0.6)))
    return Asked(
        "My washing machine beeped when it broke down, and I recorded it. How many of the beeps are high ones?",
        1,
        str(sum(high)),
        ("Listen to the recording, or look at its spectrum.", "Count the beeps that are high."),
        ("an audio player",),
        "mp3",
        mp3(sound),
    )


def boiler(chance: random.Random) -> Asked:
    houses = chance.sample(("Elm Road 3", "Elm Road 8", "Mill Lane 1", "Mill Lane 12", "Park 5", "Park 9", "Quay 2"), 6)
    things = ("boiler", "roof", "front door", "lift", "cellar light", "letter boxes")
    entries, houses_with = list[tuple[str, bytes]](), 0
    for house in houses:
        year_of_boiler = [year for year in (2023, 2024, 2025) if chance.random() < 0.4]
        houses_with += bool(year_of_boiler)
        for year in (2023, 2024, 2025):
            seen = chance.sample(things[1:], 2) + (["boiler"] if year in year_of_boiler else [])
            chance.shuffle(seen)
            text = "".join(f"- {thing}: {'replaced' if thing == 'boiler' else 'looked at'}\n" for thing in seen)
            entries.append((f"{year}/{house}.txt", f"Visit to {house}, {year}\n{text}".encode()))
    return Asked(
        "The archive has the caretaker's notes about our houses, a folder for each year. In how many of the houses "
        "was the boiler replaced at least once?",
        1,
        str(houses_with),
        ("Unpack the archive.", "Search the notes for a boiler that was replaced.", "Count the houses, each once."),
        ("an archive manager", "a text search"),
        "zip",
        zipped(sorted(entries)),
    )


def prints(chance: random.Random) -> Asked:
    seed, step, wrap = chance.randrange(11, 99), chance.randrange(7, 40), chance.randrange(101, 997)
    code = f"""\
def turn(number):
    digits = str(number)
    return int(digits[1:] + digits[0])


seen = []
value = {seed}
while value not in seen:
    seen.append(value)
    value = turn(value * {step} % {wrap} + 10)
print(len(seen), "different numbers")
print("the largest is", max(seen))
"""
    printed = output_of(code)
    return Asked(
        "What is the last number that the attached Python program prints?",
        1,
        printed.split()[-1],
        ("Run the program, or follow it by hand.", "Read the last number of what it prints."),
        ("Python",),
        "py",
        code.encode(),
    )


def output_of(code: str) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "made here", "exec"), {})
    return said.getvalue()


def minutes_of(chance: random.Random) -> Asked:
    people = ("Amara", "Björn", "Chiara", "Dinesh")
    counts = dict(zip(chance.sample(people, 4), (4, 3, 2, 2), strict=True))
    whose = [name for name, count in counts.items() for _ in range(count)]
    chance.shuffle(whose)
    done = [(name, "done") for name in people for _ in range(chance.randrange(1, 5))]
    todo = [*((name, "open") for name in whose), *done]
    chance.shuffle(todo)
    rows = [(str(number), f"Item {number}", name, state) for number, (name, state) in enumerate(todo, 1)]
    return Asked(
        "These are the minutes of our last meeting. Whom do I have to remind of the most tasks that are not done "
        "yet? Give the first name.",
        1,
        max(counts, key=lambda name: counts[name]),
        ("Open the minutes.", "Count the open tasks of each person."),
        ("a word processor",),
        "docx",
        letter("Minutes", ["All four were there."], [("No.", "Task", "Who", "State"), *rows], ["Next meeting: in a month."]),
    )


def sevens(chance: random.Random) -> Asked:
    divisor, digit, last = chance.choice((7, 11, 13)), chance.choice("3456"), chance.randrange(4000, 9000, 500)
    count = sum(digit not in str(number) for number in range(divisor, last + 1, divisor))
    return Asked(
        f"How many whole numbers from 1 to {last} can be divided by {divisor} and are written without the digit {digit}?",
        1,
        str(count),
        (f"Go through the multiples of {divisor}.", f"Count those in which there is no {digit}."),
        ("Python",),
    )


# -- level 2


def choir(chance: random.Random) -> Asked:
    fee = 60
    names = ["Adler", "Brandt", "Castillo", "Dahl", "Egger", "Fischer", "Greco", "Horvat", "Ito", "Jensen", "Koch", "Lund"]
    paid = {name: chance.choice(((60,), (30, 30), (20, 20, 20), (30,), (20, 20), ())) for name in names}
    numbers = dict(zip(names, chance.sample(range(100, 200), len(names)), strict=True))
    payments = [(numbers[name], amount) for name in names for amount in paid[name]]
    chance.shuffle(payments)
    days = [datetime.date(2026, 1, 5) + datetime.timedelta(days=9 * at) for at in range(len(payments))]
    rows = [(str(day), number, amount) for day, (number, amount) in zip(days, payments, strict=True)]
    owing = sorted(name for name in names if sum(paid[name]) < fee)
    return Asked(
        f"Every member of our choir owes {fee} euros for this year; the attached workbook has the members, and what "
        "came in. Which members have not paid all of it yet? Give their family names in alphabetical order as a "
        "comma separated list.",
        2,
        ", ".join(owing),
        ("Open the workbook.", "Add up the payments by number.", "Look up who is below the fee, or paid nothing."),
        ("a spreadsheet program",),
        "xlsx",
        workbook(
            Members=[("Number", "Name"), *sorted((numbers[name], name) for name in names)],
            Payments=[("Day", "Number", "Euros"), *rows],
        ),
    )


def museum(chance: random.Random) -> Asked:
    adult, family = chance.randrange(11, 16), chance.randrange(25, 32)
    ages = sorted(chance.sample(range(3, 17), 4))
    price = {age: 0 if age < 6 else adult / 2 if age < 15 else adult for age in ages}
    singly = 2 * adult + sum(price.values())
    inside = sorted((age for age in ages if age < 16), key=lambda age: -price[age])[:3]
    together = family + sum(price[age] for age in ages if age not in inside)
    tour = 3
    total = min(singly, together) + tour * (2 + sum(age >= 6 for age in ages))
    listed = ", ".join(map(str, ages[:-1]))
    return Asked(
        f"We are two adults and four children of {listed} and {ages[-1]} years, and want to see the museum with a "
        "guided tour on a Wednesday. What is the least we have to pay, in euros? The museum's leaflet is attached.",
        2,
        f"{total:g}",
        (
            "Read both pages of the leaflet.",
            "Work out single tickets and the family ticket.",
            "Add the tour, for all from six.",
        ),
        ("a PDF viewer",),
        "pdf",
        pages(
            ["TOWN MUSEUM", "", "Open Tuesday to Sunday, 10 to 17.", "Guided tours on Wednesdays and Saturdays at 14."],
            [
                "TICKETS",
                "",
                f"Adults                            {adult} euros",
                "Children under 15                 half of that",
                "Children under 6                  free",
                f"Family ticket                     {family} euros",
                "  (two adults and up to three children under 16)",
                "",
                f"Guided tour, besides the ticket   {tour} euros each",
                "  (free for children under 6)",
            ],
        ),
    )


def receipt(chance: random.Random) -> Asked:
    goods = chance.sample(("Bread", "Butter", "Eggs", "Rice", "Soap", "Candles", "Apples", "Batteries", "Cheese"), 7)
    prices = dict(zip(goods, chance.sample(range(99, 899, 10), 7), strict=True))
    back = chance.sample(goods, 2)
    image = Image.new("RGB", (420, 480), "#f8f6f0")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(22)
    rows = [*((name, price) for name, price in prices.items()), ("TOTAL", sum(prices.values()))]
    draw.text((120, 20), "CORNER SHOP", fill="#303030", font=font)
    for at, (name, price) in enumerate(rows):
        y = 75 + 42 * at + (20 if name == "TOTAL" else 0)
        draw.text((40, y), name, fill="#303030", font=font)
        draw.text((380, y), f"{price / 100:.2f}", fill="#303030", font=font, anchor="ra")
    paper = image.rotate(1.5, resample=Image.Resampling.BICUBIC, expand=True, fillcolor="#806040")
    left = sum(price for name, price in prices.items() if name not in back)
    return Asked(
        f"Here is my receipt. The {back[0].lower()} and the {back[1].lower()} go back to the shop, which gives me a "
        "voucher for them of nine tenths of what they cost. How much have I spent in the end if the voucher counts "
        "as money? Round to whole cents and give the amount without a currency.",
        2,
        f"{(left + sum(prices[name] for name in back) / 10) / 100:.2f}",
        ("Read the receipt.", "Take nine tenths of the two prices from the total."),
        ("an image viewer", "a calculator"),
        "png",
        picture(paper),
    )


def leap(chance: random.Random) -> Asked:
    first, last = chance.randrange(1580, 1700), chance.randrange(2100, 2405)
    code = f"""\
def is_leap(year):
    if year % 4 == 0 and year % 100 != 0:
        return True
    return False


count = 0
for year in range({first}, {last}):
    if is_leap(year):
        count += 1
print(count)
"""
    right = sum(map(calendar.isleap, range(first, last + 1)))
    if output_of(code).strip() == str(right):
        raise SystemExit("the program is right by chance: choose other years")
    return Asked(
        f"The attached program is meant to count the leap years of the Gregorian calendar from {first} to {last}, "
        "both included, but there is more than one mistake in it. What would it print without them?",
        2,
        str(right),
        (
            "Read the program.",
            "Years that 400 divides are leap years, and the last year is left out.",
            "Mend it and run it.",
        ),
        ("Python",),
        "py",
        code.encode(),
    )


def bicycles(chance: random.Random) -> Asked:
    first = datetime.datetime(2026, 3, 2)
    usual = dict(enumerate(chance.sample(range(30, 90, 8), 7)))
    counted = defaultdict[int, list[int]](list)
    rows: list[tuple[str, object]] = []
    for day in range(42):
        total = 0
        for hour in range(6, 22):
            at = first + datetime.timedelta(days=day, hours=hour)
            here = max(0, round(chance.gauss(usual[day % 7], 15)))
            if chance.random() < 0.02:
                rows.append((f"{at:%Y-%m-%d %H:%M}", "no data"))
            else:
                total += here
                rows.append((f"{at:%Y-%m-%d %H:%M}", here))
        counted[day % 7].append(total)
    totals = {weekday: sum(days) for weekday, days in counted.items()}
    best = max(totals, key=lambda weekday: totals[weekday])
    return Asked(
        "The file is what the bicycle counter at the bridge told in six whole weeks, hour by hour. On which day of "
        "the week do most bicycles cross, over all six weeks? Hours without data count as none.",
        2,
        calendar.day_name[best],
        ("Read the file.", "Leave out hours without data.", "Add up by day of the week."),
        ("a spreadsheet program or Python",),
        "csv",
        table_of([("hour", "bicycles"), *rows]),
    )


def recipe(chance: random.Random) -> Asked:
    serves, guests = 6, chance.choice((20, 26, 32))
    grams = {
        "Flour": chance.randrange(300, 500, 25),
        "Butter": chance.randrange(150, 260, 10),
        "Sugar": 180,
        "Cherries": 600,
    }
    needed = grams["Butter"] * guests / serves + 125
    packets = math.ceil(needed / 250)
    return Asked(
        f"I bake the attached recipe for {guests} people, and scale it exactly. How many packets of butter of 250 "
        "grams do I have to buy if none is at home?",
        2,
        str(packets),
        ("Read the recipe and the notes under it.", "Scale the butter, add what the tins need.", "Round up to packets."),
        ("a word processor", "a calculator"),
        "docx",
        letter(
            "Cherry cake",
            [f"For {serves} people."],
            [("Ingredient", "Grams"), *((name, str(weight)) for name, weight in grams.items())],
            ["Besides, take half a packet of butter (125 g) for the tins, however many there are."],
        ),
    )


def queue(chance: random.Random) -> Asked:
    people = ["Ana", "Ben", "Cleo", "Dov", "Eli", "Fay"]
    order = chance.sample(people, len(people))
    place = {name: order.index(name) for name in people}
    hints = list[tuple[str, Callable[[dict[str, int]], bool]]]()
    for one, other in itertools.permutations(people, 2):
        if place[one] + 1 < place[other]:
            hints.append(
                (f"{one} is somewhere before {other}, but not right before.", lambda p, a=one, b=other: p[a] + 1 < p[b])
            )
        if abs(place[one] - place[other]) == 2 and one < other:
            text = f"Exactly one person is between {one} and {other}."
            hints.append((text, lambda p, a=one, b=other: abs(p[a] - p[b]) == 2))
        if one < other and abs(place[one] - place[other]) != 1:
            text = f"{one} and {other} are not next to each other."
            hints.append((text, lambda p, a=one, b=other: abs(p[a] - p[b]) != 1))
    chance.shuffle(hints)
    left = [{name: at for at, name in enumerate(way)} for way in itertools.permutations(people)]
    told = list[str]()
    for text, holds in hints:
        still = [way for way in left if holds(way)]
        if len(still) < len(left):
            left, told = still, [*told, text]
    if len(left) != 1:
        raise SystemExit("the hints leave several orders")
    return Asked(
        f"Six people are in a queue: {', '.join(people[:-1])} and {people[-1]}. {' '.join(told)} Give their names "
        "from first to last as a comma separated list.",
        2,
        ", ".join(order),
        ("Try all orders against the hints.",),
        ("Python, or pencil and paper",),
    )


def late_clock(chance: random.Random) -> Asked:
    loses, hours, half = chance.choice((4, 6)), chance.randrange(27, 45), chance.choice((0, 30))
    real = 8 * 60 + hours * 60 + half
    shown = 8 * 60 + (hours * 60 + half) * (60 - loses) // 60
    day = calendar.day_name[real // (24 * 60)]
    return Asked(
        f"In each real hour my old clock falls behind by {loses} minutes, evenly. It was set right on Monday at "
        f"08:00. What does it show when it is really {clock(real)} on {day}? Answer as HH:MM, of 24 hours.",
        2,
        clock(shown),
        ("Work out how many real minutes have passed.", f"Take {60 - loses} sixtieths of them.", "Add them to 08:00."),
        ("a calculator",),
    )


# -- level 3


def telegraph(chance: random.Random) -> Asked:
    word = chance.choice(("LANTERN", "HARBOUR", "COMPASS", "MEADOW", "THUNDER"))
    return Asked(
        "This recording was made on short wave. Which English word is sent?",
        3,
        word.capitalize(),
        ("Find out where the tone is on and off, and for how long.", "Read dots, dashes and gaps.", "Look the letters up."),
        ("an audio editor", "a table of Morse code"),
        "mp3",
        mp3(morse(word)),
    )


def reports(chance: random.Random) -> Asked:
    entries, total = list[tuple[str, bytes]](), 0
    for branch in ("north", "south", "east", "west"):
        days = chance.sample(range(1, 28), 3)
        versions = [(day, [chance.randrange(120, 990) for _ in range(4)]) for day in days]
        total += sum(max(versions)[1])
        for name, (day, amounts) in zip(("draft", "final", "final-2"), versions, strict=True):
            kinds = ("rent", "wages", "energy", "repairs")
            if chance.random() < 0.5:
                lines = [f"Written on {day} February 2026", *map(" ".join, zip(kinds, map(str, amounts), strict=True))]
                entries.append((f"{branch}/{name}.txt", "\n".join(lines).encode()))
            else:
                rows = [("written", f"2026-02-{day:02}"), *zip(kinds, amounts, strict=True)]
                entries.append((f"{branch}/{name}.csv", table_of(rows)))
    return Asked(
        "Each of our four branches sent its costs of January several times, and the names of the files say nothing "
        "about which one is the latest: only the day that stands in it does. What did all four branches spend "
        "together by their latest reports?",
        3,
        str(total),
        (
            "Unpack the archive.",
            "Find the latest report of each branch by its day, in both formats.",
            "Add up their amounts.",
        ),
        ("an archive manager", "Python or a spreadsheet program"),
        "zip",
        zipped(sorted(entries)),
    )


def call(chance: random.Random) -> Asked:
    names = ("Okafor", "Lindqvist", "Moreau", "Tanaka", "Silva", "Novak", "Haddad", "Byrne")
    numbers = {name: "0" + "".join(chance.choice("0123456789") for _ in range(7)) for name in names}
    called, other = chance.sample(names, 2)
    alike = str((int(numbers[called][-2]) + 3) % 10)
    numbers[other] = f"{numbers[called][:-2]}{alike}{numbers[called][-1]}"  # one key is not enough to tell them apart
    rooms = dict(zip(names, chance.sample(range(101, 140), len(names)), strict=True))
    contacts = [("name", "phone"), *((name, f"{number[:3]} {number[3:]}") for name, number in sorted(numbers.items()))]
    doors = [("room", "name"), *sorted((room, name) for name, room in rooms.items())]
    entries = [
        ("call.mp3", mp3(dialled(numbers[called]))),
        ("contacts.csv", table_of(contacts)),
        ("rooms.csv", table_of(doors)),
    ]
    return Asked(
        "In the archive is a recording of somebody who dials a number on a push-button telephone, with our list of "
        "contacts and of rooms. What is the number of the room of the person who is called?",
        3,
        str(rooms[called]),
        ("Unpack the archive.", "Find the two tones of each key.", "Look the number up, then the room."),
        ("an archive manager", "an audio editor or Python"),
        "zip",
        zipped(entries),
    )


def knight(chance: random.Random) -> Asked:
    squares = [f"{file}{rank}" for file, rank in itertools.product("abcdefgh", range(1, 9))]
    start, goal = "a1", "h8"
    while True:
        barred = set(chance.sample([each for each in squares if each not in (start, goal)], 22))
        least, ways = shortest(start, goal, barred)
        if least > 6 and ways > 1:
            break
    return Asked(
        f"A knight is on {start} of a chess board and is to get to {goal} in as few moves as possible. It must not "
        f"land on any of these squares: {', '.join(sorted(barred))}. How many moves does it need, and in how many "
        "different ways can it go in that many? Answer with both numbers as a comma separated list.",
        3,
        f"{least}, {ways}",
        ("Go on from the first square move by move, squares that are barred left out.", "Count the ways to each square."),
        ("Python",),
    )


def shortest(start: str, goal: str, barred: set[str]) -> tuple[int, int]:
    """The fewest moves of a knight, and the ways of that many; (0, 0) where there is none."""
    steps = [(x, y) for x, y in itertools.product((-2, -1, 1, 2), repeat=2) if abs(x) != abs(y)]
    far, ways, waiting = {start: 0}, Counter({start: 1}), deque([start])
    while waiting:
        here = waiting.popleft()
        for x, y in steps:
            there = f"{chr(ord(here[0]) + x)}{int(here[1]) + y}"
            if not ("a" <= there[0] <= "h" and there[1:] in "12345678" and len(there) == 2) or there in barred:
                continue
            if there not in far:
                far[there] = far[here] + 1
                waiting.append(there)
            if far[there] == far[here] + 1:
                ways[there] += ways[here]
    return far.get(goal, 0), ways[goal]


QUESTIONS = (
    fair, ferry, circles, beeps, boiler, prints, minutes_of, sevens,
    choir, museum, receipt, leap, bicycles, recipe, queue, late_clock,
    telegraph, reports, call, knight,
)  # fmt: skip


def make(folder: Path) -> None:
    """Write all questions and their files into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = list[str]()
    for question in QUESTIONS:
        name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"deskcrew/gaia/{question.__name__}"))
        asked = question(random.Random(question.__name__))
        file_name = f"{name}.{asked.kind}" if asked.kind else ""
        if file_name:
            (folder / file_name).write_bytes(asked.file)
        told = {
            "Steps": "\n".join(f"{number}. {step}" for number, step in enumerate(asked.steps, 1)),
            "Number of steps": str(len(asked.steps)),
            "Tools": "\n".join(f"{number}. {tool}" for number, tool in enumerate(asked.tools, 1)),
            "Number of tools": str(len(asked.tools)),
        }
        line = {"task_id": name, "Question": asked.text, "Level": asked.level, "Final answer": asked.answer}
        lines.append(json.dumps(line | {"file_name": file_name, "Annotator Metadata": told}, ensure_ascii=False))
    (folder / "metadata.jsonl").write_text("\n".join((*lines, "")), encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
