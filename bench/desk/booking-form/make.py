"""The details of a course, and a page that gives a booking number for them. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

COURSES = ("First aid", "Spreadsheets", "Fire safety", "Public speaking", "Data protection")
ROOMS = ("Ash", "Birch", "Cedar", "Elm")
TRAINERS = ("Ida Lund", "Marc Petit", "Ravi Nair", "Sara Conti")
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Book a room</title>
<h1>Book a room</h1>
<p><label for="course">Course</label> <input id="course"></p>
<p><label for="room">Room</label> <select id="room"><option></option>{rooms}</select></p>
<p><label for="people">People</label> <input id="people" type="number"></p>
<p><button id="book">{button}</button></p>
<p id="number" role="status"></p>
<script>
const field = (id) => document.getElementById(id).value.trim();
document.getElementById("book").onclick = () => {{
  const told = [field("course").toLowerCase(), field("room"), field("people")];
  const missing = told.some((text) => !text);
  const sum = [...told.join("|")].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 90000, {start});
  document.getElementById("number").textContent = missing ? "Please fill in everything." : "Booking number " + (10000 + sum);
}};
</script>
</html>
"""


def facts(seed):
    chance = random.Random(f"booking-form {seed}")
    course, room, people = chance.choice(COURSES), chance.choice(ROOMS), chance.randint(6, 40)
    start, number = chance.randint(100, 9000), 0
    number = start
    for letter in f"{course.lower()}|{room}|{people}":
        number = (number * 31 + ord(letter)) % 90000
    return {"data": chance.choice(("course.json", "training.json", "next-course.json")), "course": course, "room": room,
            "page": chance.choice(("rooms.html", "booking.html")), "people": people, "start": start,
            "button": chance.choice(("Book", "Reserve", "Book now")), "trainer": chance.choice(TRAINERS),
            "hours": chance.randint(2, 8), "number": str(10000 + number)}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    details = {"course": made["course"], "trainer": made["trainer"], "hours": made["hours"], "room": made["room"]}
    details["people"] = made["people"]
    (Path(folder) / made["data"]).write_text(json.dumps(details, indent=2), encoding="utf-8")
    rooms = "".join(f"<option>{room}</option>" for room in ROOMS)
    page = PAGE.format(rooms=rooms, button=made["button"], start=made["start"])
    (Path(folder) / made["page"]).write_text(page, encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
