"""The answer names the delivery with the amounts ordered and delivered, and no other delivery."""

import os
import re
import sys
from pathlib import Path

from make import facts

sys.path.append(str(Path(__file__).parents[1]))
from shared import places, untouched

ORDERED = r"order(?:ed)?\b|bestell|pedid|pidi|solicit|encarg|订购|订货|订了|订单|预订"
DELIVERED = r"deliver(?:ed)\b|geliefert|liefermenge|entregad|entregó|entregaron|suministr|recib|送|交付|交货|实际|实收|到货"


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
