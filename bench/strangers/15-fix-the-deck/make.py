import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("15-fix-the-deck/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


SL = {"Where we stand": ["Sales are up", "Two new hires"], "Office move": ["Boxes arrive Monday", "Label everything"], "Parking": ["Eleven spaces only", "Please share"],
      "Summer party": ["Boat or barn?", "Vote by Friday"], "Questions we got": ["Lunch", "Holidays"]}


def plan(seed):
    r = rng(seed)
    t = sorted(SL)
    r.shuffle(t)
    a, b = r.sample(range(3, 29), 2)
    m = r.choice(["March", "June", "October"])
    return {"titles": t, "topic": t[r.randrange(1, 4)], "old": f"{a} {m} 2024", "new": f"{b} {m} 2024"}


def build(seed, d):
    import pptx
    p = plan(seed)
    pr = pptx.Presentation()
    s = pr.slides.add_slide(pr.slide_layouts[0])
    s.shapes.title.text = "Town hall"
    s.placeholders[1].text = "All staff, " + p["old"]
    for t in p["titles"]:
        s = pr.slides.add_slide(pr.slide_layouts[1])
        s.shapes.title.text = t
        s.placeholders[1].text = "\n".join(SL[t])
    pr.save(Path(d) / "townhall.pptx")
    return {"new": p["new"], "topic": p["topic"]}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
