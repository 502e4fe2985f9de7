"""What a right run leaves. `right.py WORKSPACE [LANGUAGE]`, with DESKCREW_SEED set"""

import os
import re
import sys
from pathlib import Path

from make import facts, number


def main(folder, language="en"):
    made = facts(os.environ.get("DESKCREW_SEED", "1"))
    os.chdir(folder)
    fees = re.findall(r"<td>([^<]+)</td><td>\d+ EUR</td><td>(\d+) EUR", Path("fees.html").read_text(encoding="utf-8"))
    fits = []
    for page, name in re.findall(r'<li><a href="([^"]+)">([^<]+)', Path("courses.html").read_text(encoding="utf-8")):
        text = Path(page).read_text(encoding="utf-8")
        if f"Every {made['weekday']}," in text and int(re.search(r"left: (\d+)", text)[1]) >= made["people"]:
            fits.append((int(dict(fees)[name]), name))
    start = int(re.search(r"% 90000, (\d+)\)", Path(made["form"]).read_text(encoding="utf-8"))[1])
    course = min(fits)[1]
    told = number(start, course, made["name"].lower(), made["email"].lower(), str(made["people"]), made["payment"])
    print({"en": f"I booked {course}; the confirmation number is {told}.", "de": f"Gebucht: {course}, Bestätigungsnummer {told}.",
           "es": f"El número de confirmación es {told}.", "zh": f"已预订 {course}，确认号是{told}。"}[language])  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
