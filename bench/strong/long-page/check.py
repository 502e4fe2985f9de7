"""The answer names the delivery with the amounts ordered and delivered, and no other delivery."""

import os
import re
import sys
import tempfile
from pathlib import Path

from make import build, facts

ORDERED = r"order(?:ed)?\b|bestell|pedid|pidi|solicit|encarg|订购|订货|订了|订单|预订"
DELIVERED = r"deliver(?:ed)\b|geliefert|liefermenge|entregad|entregó|entregaron|suministr|recib|送|交付|交货|实际|实收|到货"


def scan(folder):
    """The files below the folder by their path, without those whose path has a part that starts with a dot."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in name.parts):
            found[name.as_posix()] = path.read_bytes()
    return found


def untouched(changed=(), added=(), gone=()):
    """Ends with a reason if anything but these files was changed, added or taken away."""
    with tempfile.TemporaryDirectory() as folder:
        build(os.environ["DESKCREW_SEED"], folder)
        before = scan(folder)
    after = scan(".")
    for name, content in before.items():
        if name not in after and name not in gone:
            sys.exit(f"{name} is gone")
        if name in after and after[name] != content and name not in changed:
            sys.exit(f"{name} was changed")
    for name in after:
        if name not in before and name not in added:
            sys.exit(f"nobody asked for the file {name}")


def meanings(token):
    """What a number may mean: 1,234.50 and 1.234,50 are one; 1.234 is either 1234 or 1.234."""
    token = re.sub(r"[ \u00a0\u202f'’]", "", token)
    marks = [letter for letter in token if letter in ".,"]
    if not marks:
        return {float(token)}
    plain = re.sub(r"[.,]", "", token)
    head, tail = re.split(r"[.,](?=[^.,]*$)", token)
    fraction = float(re.sub(r"[.,]", "", head) + "." + tail)
    if len(set(marks)) == 2:
        return {fraction}
    if len(marks) > 1:
        return {float(plain)}
    return {fraction, float(plain)} if len(tail) == 3 and len(head) <= 3 else {fraction}


def numbers(text):
    """The place of each number in the text with what it may mean."""
    joined = r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?(?!\d)"
    found = [(match.start(), meanings(match[0])) for match in re.finditer(r"\d+(?:[.,]\d+)*", text)]
    return found + [(match.start(), meanings(match[0])) for match in re.finditer(joined, text)]


def places(text, value):
    """Where the text has that number."""
    return [place for place, means in numbers(text) if any(abs(mean - value) < 0.005 for mean in means)]


def meant(text, ordered, delivered):
    """Whether the text takes these for the amounts ordered and delivered, so far as its words tell."""
    words = {name: [match.start() for match in re.finditer(form, text)] for name, form in
             (("ordered", ORDERED), ("delivered", DELIVERED))}  # fmt: skip
    if not words["ordered"] or not words["delivered"]:
        return True
    for form, at in ((ORDERED, ordered), (DELIVERED, delivered)):
        if any(re.search(rf"(?:{form})\w{{0,3}}[\s:：=*|(]*$", text[:place]) for place in at):
            return True
    for first in ordered:
        for second in delivered:
            near = {place: min((abs(place - at), name) for name in words for at in words[name])[1] for place in (first, second)}
            if near == {first: "ordered", second: "delivered"}:
                return True
            if (first < second) == (words["ordered"][-1] < words["delivered"][-1]):
                return True
    return False


def main():
    made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
    untouched()
    told = set(re.findall(r"(?<!\d)\d{4}(?!\d)", re.sub(r"20\d\d[-.年]\d+|\d+[./]\d+[./]20\d\d", "", answer)))
    ids = {row[0][2:] for row in made["rows"]}
    if told & ids != {made["delivery"][2:]}:
        sys.exit(f"the answer is {answer!r}; it is the delivery {made['delivery']}")
    text = re.sub(rf"D\s*[-‑–—]?\s*{made['delivery'][2:]}|{made['delivery'][2:]}", "", answer).casefold()
    ordered, delivered = places(text, made["ordered"]), places(text, made["delivered"])
    if not ordered or not delivered:
        sys.exit(f"the answer is {answer!r}; {made['ordered']} were ordered and {made['delivered']} delivered")
    if not meant(text, ordered, delivered):
        sys.exit(f"the answer {answer!r} takes what was ordered for what was delivered")


main()
