import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("03-rename-photo/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


def pic(r, w=48, h=32, fmt="JPEG"):
    import io
    from PIL import Image
    im = Image.new("RGB", (w, h), tuple(r.randrange(256) for _ in range(3)))
    for _ in range(60):
        im.putpixel((r.randrange(w), r.randrange(h)), tuple(r.randrange(256) for _ in range(3)))
    b = io.BytesIO()
    im.save(b, fmt)
    return b.getvalue()



def plan(seed):
    r = rng(seed)
    nos = sorted(r.sample(range(4400, 4499), 4))
    return {"names": [f"IMG_{n}.jpg" for n in nos], "old": f"IMG_{r.choice(nos)}.jpg",
            "new": r.choice(["aunt-rosa-birthday.jpg", "garden-before.jpg", "first-day-school.jpg", "ferry-to-mull.jpg"])}


def build(seed, d):
    p, r = plan(seed), rng(str(seed) + "pix")
    for n in p["names"]:
        put(d, n, pic(r))
    return {"old": p["old"], "new": p["new"]}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
