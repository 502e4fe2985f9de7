import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("20-recipe-for-more/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


ING = [("flour", "g", (200, 400)), ("sugar", "g", (60, 120)), ("eggs", "", (4, 8)), ("milk", "ml", (200, 480)), ("butter", "g", (60, 160)),
       ("lemons", "", (4, 8)), ("salt", "pinches", (4, 4)), ("blueberries", "g", (120, 320)), ("cream", "ml", (80, 240))]


def plan(seed):
    r = rng(seed)
    pick = [x for x in ING if x[0] in ("eggs", "flour") or r.random() < .75]
    rows = [(n, u, r.randrange(lo // 4, hi // 4 + 1) * 4) for n, u, (lo, hi) in pick]
    return {"rows": rows, "n": r.choice([6, 7, 9, 10])}


def build(seed, d):
    p = plan(seed)
    li = "".join(f"<li><b>{a}{' ' + u if u else ''}</b> {n}</li>\n" for n, u, a in p["rows"])
    put(d, "recipe.html", f"""<!doctype html><html><head><meta charset="utf-8"><title>Sunday pancakes</title></head><body>
<h1>Sunday pancakes</h1><p>Serves 4 &middot; 35 minutes</p><h2>You need</h2><ul>
{li}</ul><h2>How to</h2><ol><li>Whisk everything, rest for 20 minutes.</li><li>Fry in a 24 cm pan, 2 minutes a side.</li></ol></body></html>
""")
    return {"n": str(p["n"])}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
