import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("14-poster-pdf/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


def plan(seed):
    r = rng(seed)
    return {"name": r.choice(["poster", "flyer", "concert poster"]),
            "paras": [r.choice(["Spring concert", "Village choir evening", "Music in the barn"]), f"Saturday {r.randrange(4, 28)} May, {r.choice(['18:30', '19:00', '19:30'])}",
                      f"Admission {r.randrange(6, 15)} euros, children free", "Bring a cushion, the benches are hard.", "Office: first floor, fifth door"]}


def build(seed, d):
    import docx
    p = plan(seed)
    doc = docx.Document()
    doc.add_heading(p["paras"][0], 0)
    for t in p["paras"][1:]:
        doc.add_paragraph(t)
    doc.save(Path(d) / (p["name"] + ".docx"))
    put(d, "print shop.txt", "A3, 40 copies, matt. They want PDF!\n")
    return {"file": p["name"] + ".docx"}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
