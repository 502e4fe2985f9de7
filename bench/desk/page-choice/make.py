"""A page that works out a price once all has been chosen. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

SIZES, PAPERS, COPIES = ("A3", "A4", "A5", "A6"), ("matt", "glossy"), (100, 250, 500, 1000)
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{shop}</title>
<h1>{shop}: flyers</h1>
<p><label for="size">Size</label> <select id="size">{sizes}</select></p>
<p><label for="copies">Copies</label> <select id="copies">{copies}</select></p>
<p>Paper: {papers}</p>
<p><label><input type="checkbox" id="folded"> Folding</label></p>
<p><button id="work">Work out</button></p>
<p id="price" role="status">Choose and press Work out.</p>
<script>
const rates = {rates}, extra = {extra}, chosen = (id) => document.getElementById(id);
chosen("work").onclick = () => {{
  const paper = document.querySelector("input[name=paper]:checked"), size = chosen("size").selectedIndex;
  let cents = rates[size] * chosen("copies").value;
  if (paper && paper.value === "glossy") cents = cents * 5 / 4;
  if (chosen("folded").checked) cents += extra;
  chosen("price").textContent = paper ? "Price: " + (cents / 100).toFixed(2) + " euros" : "Please choose a paper.";
}};
</script>
</html>
"""


def facts(seed):
    chance = random.Random(f"page-choice {seed}")
    rates, extra = sorted((chance.randint(3, 30) * 4 for _ in SIZES), reverse=True), chance.randint(900, 2900)
    size, copies, paper, folded = (chance.choice(each) for each in (SIZES[1:], COPIES[1:], PAPERS, (True, False)))
    cents = rates[SIZES.index(size)] * copies * (5 if paper == "glossy" else 4) // 4 + extra * folded
    return {"file": chance.choice(("flyers.html", "price-list.html", "print-shop.html")), "rates": rates, "extra": extra,
            "shop": chance.choice(("Quick Print", "Paper Lane", "Blue Press")), "size": size, "copies": copies,
            "paper": paper, "folded": folded, "price": f"{cents / 100:.2f}"}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    page = PAGE.format(
        shop=made["shop"], rates=made["rates"], extra=made["extra"],
        sizes="".join(f"<option>{size}</option>" for size in SIZES),
        copies="".join(f"<option>{copies}</option>" for copies in COPIES),
        papers=" ".join(f'<label><input type="radio" name="paper" value="{paper}"> {paper}</label>' for paper in PAPERS),
    )  # fmt: skip
    (Path(folder) / made["file"]).write_text(page, encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
