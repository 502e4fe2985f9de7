import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("29-contract-that-is-not-there/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


def plan(seed):
    r = rng(seed)
    k = r.choice(["tenancy agreement", "lease flat 3", "contract garage"])
    y = r.choice([2024, 2025])
    return {"file": f"{k} {y}.docx", "there": [f"{k} {y - 2}.docx", "house rules.docx"]}


def build(seed, d):
    import docx
    p = plan(seed)
    for n in p["there"]:
        doc = docx.Document()
        doc.add_heading(n[:-5].capitalize(), 1)
        doc.add_paragraph("Both parties have agreed on the following.")
        doc.save(Path(d) / n)
    put(d, "tenants.txt", "flat 1 Ahrens\nflat 2 Bose\nflat 3 empty\n")
    return {"file": p["file"]}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
