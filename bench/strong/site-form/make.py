"""A web site of courses: days and places on a page each, fees on another, a form on a third. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

NAMES = ("Pottery", "Watercolours", "Italian", "Bread baking", "Bicycle repair", "Chess", "Choir singing", "Drawing", "Sewing",
         "Yoga", "Astronomy", "Calligraphy", "Juggling", "Gardening")  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
WORDS = {"Monday": ("Montag", "lunes", "星期一"), "Tuesday": ("Dienstag", "martes", "星期二"),
         "Wednesday": ("Mittwoch", "miércoles", "星期三"), "Thursday": ("Donnerstag", "jueves", "星期四"),
         "Friday": ("Freitag", "viernes", "星期五")}  # fmt: skip
TEACHERS = ("Ida Lund", "Marc Petit", "Ravi Nair", "Sara Conti", "Tom Beck")
PEOPLE = ("Nora Weiss", "Leo Brandt", "Clara Mendes", "Hugo Salas", "Mina Okada")
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; max-width: 46em; margin: 1em 2em }} td, th {{ padding: .2em 1em .2em 0; text-align: left }}
label {{ display: inline-block; width: 8em }}</style>
<p><a href="{start}">Home</a> | <a href="courses.html">Courses</a> | <a href="fees.html">Fees</a> | <a href="{form}">Booking</a></p>
<h1>{title}</h1>
{body}
</html>
"""
FORM = """<form id="form">
<p><label for="course">Course</label> <select id="course"><option></option>{courses}</select></p>
<p><label for="name">Name</label> <input id="name"></p>
<p><label for="email">E-mail</label> <input id="email"></p>
<p><label for="people">People</label> <input id="people" inputmode="numeric"></p>
<p><label for="payment">Payment</label> <select id="payment"><option></option>{payments}</select></p>
<p><button>{button}</button></p>
</form>
<p id="number" role="status"></p>
<script>
const field = (id) => document.getElementById(id).value.trim();
document.getElementById("form").onsubmit = (event) => {{
  event.preventDefault();
  const told = [field("course"), field("name").toLowerCase(), field("email").toLowerCase(), field("people"), field("payment")];
  const missing = told.some((text) => !text);
  const sum = [...told.join("|")].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 90000, {seed});
  document.getElementById("number").textContent = missing ? "Please fill in everything." : "Confirmation number " + (10000 + sum);
}};
</script>"""


def number(start, *told):
    """What the page computes for these details."""
    for letter in "|".join(told):
        start = (start * 31 + ord(letter)) % 90000
    return str(10000 + start)


def draw(chance):
    fees = chance.sample(range(40, 140), 24)
    courses = []
    for place, name in enumerate(sorted(chance.sample(NAMES, 10))):
        size = chance.randint(8, 16)
        courses.append({"name": name, "page": name.lower().replace(" ", "-") + ".html", "day": chance.choice(DAYS[:3]),
                        "size": size, "left": chance.randint(0, size - 3), "fee": fees[place] + 20,
                        "member": fees[place] + 20 - chance.randint(3, 45), "hour": chance.randint(17, 19),
                        "teacher": chance.choice(TEACHERS), "room": chance.randint(1, 12)})  # fmt: skip
    return courses


def cheapest(courses, day=None, people=0, fee="member"):
    fits = [course for course in courses if day in (None, course["day"]) and course["left"] >= people]
    return min(fits, key=lambda course: course[fee])["name"] if fits else None


def others(courses, day, people):
    """What is found by leaving out one of the conditions."""
    return {"any day": cheapest(courses, None, people), "any places": cheapest(courses, day, 0),
            "other fee": cheapest(courses, day, people, "fee")}  # fmt: skip


def facts(seed):
    chance = random.Random(f"site-form {seed}")
    day, people, name = chance.choice(DAYS[:3]), chance.randint(3, 5), chance.choice(PEOPLE)
    courses = draw(chance)
    while (
        len({course["member"] for course in courses}) < 10
        or sum(course["day"] == day and course["left"] >= people for course in courses) < 2
        or cheapest(courses, day, people) in others(courses, day, people).values()
    ):
        courses = draw(chance)
    made = {"start": "index.html", "weekday": day, "people": people, "name": name, "courses": courses,
            "form": chance.choice(("booking.html", "book.html")), "email": name.lower().replace(" ", ".") + "@example.org",
            "payment": chance.choice(("Invoice", "Card", "Cash")), "button": chance.choice(("Send", "Book now", "Submit")),
            "start_sum": chance.randint(100, 9000)}  # fmt: skip
    made["weekday_de"], made["weekday_es"], made["weekday_zh"] = WORDS[day]
    made["course"] = cheapest(courses, day, people)
    made["number"] = confirmation(made, made["course"])
    return made


def confirmation(made, course):
    return number(made["start_sum"], course, made["name"].lower(), made["email"], str(made["people"]), made["payment"])


def build(seed, folder):
    made = facts(seed)

    def page(name, title, body):
        text = PAGE.format(title=title, body=body, start=made["start"], form=made["form"])
        (Path(folder) / name).write_text(text, encoding="utf-8")

    page(made["start"], "Riverside Evening School", "<p>We teach in small groups, all year round.</p>\n"
         '<p>See <a href="courses.html">what we teach</a>, <a href="fees.html">what it costs</a>, or book a course '
         f'<a href="{made["form"]}">here</a>.</p>')  # fmt: skip
    links = "\n".join(f'<li><a href="{course["page"]}">{course["name"]}</a></li>' for course in made["courses"])
    page("courses.html", "Our courses", f"<p>When a course takes place and whether it is full is on its page.</p>\n<ul>\n{links}\n</ul>")
    for course in made["courses"]:
        body = (f"<p>Taught by {course['teacher']} in room {course['room']}.</p>\n"
                f"<p>Every {course['day']}, {course['hour']}:00 to {course['hour'] + 2}:00, eight evenings.</p>\n"
                f"<p>Group of {course['size']} at most; places left: {course['left']}.</p>\n"
                '<p>What it costs is on the page of <a href="fees.html">fees</a>.</p>')  # fmt: skip
        page(course["page"], course["name"], body)
    rows = "\n".join(f"<tr><td>{course['name']}</td><td>{course['fee']} EUR</td><td>{course['member']} EUR</td></tr>"
                     for course in made["courses"])  # fmt: skip
    page("fees.html", "Fees", f"<table>\n<tr><th>Course</th><th>Regular fee</th><th>Member fee</th></tr>\n{rows}\n</table>")
    courses = "".join(f"<option>{course['name']}</option>" for course in made["courses"])
    payments = "".join(f"<option>{payment}</option>" for payment in ("Invoice", "Card", "Cash"))
    page(made["form"], "Book a course", FORM.format(courses=courses, payments=payments, button=made["button"], seed=made["start_sum"]))
    return made


def main(seed, folder):
    made = build(seed, folder)
    del made["courses"]
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
