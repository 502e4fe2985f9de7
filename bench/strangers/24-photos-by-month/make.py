import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("24-photos-by-month/" + str(seed).strip())


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
    dated = {}
    for i in range(14):
        y, m, d = r.choice([2022, 2023]), r.choice([1, 4, 4, 8, 12]), r.randrange(1, 29)
        k = i % 4
        day = f"{y}{m:02d}{d:02d}"
        t = f"{r.randrange(8, 22):02d}{r.randrange(60):02d}{r.randrange(60):02d}"
        n = [f"IMG_{day}_{t}.jpg", f"PXL_{day}_{t}123.jpg", f"VID_{day}_{t}.mp4", f"WhatsApp Image {y}-{m:02d}-{d:02d} at {t[:2]}.{t[2:4]}.jpg"][k]
        dated[n] = f"{y}-{m:02d}"
    stay = [f"DSC_{r.randrange(1000, 9999)}.jpg", "scan of passport.jpg", "Grandma 80.jpg"]
    return {"dated": dated, "stay": stay}


def build(seed, d):
    p, r = plan(seed), rng(str(seed) + "pix")
    for n in sorted(p["dated"]) + p["stay"]:
        put(d, "Camera/" + n, pic(r) if n.endswith("jpg") else b"\x00\x00\x00\x18ftypmp42" + r.randbytes(200))
    put(d, "todo.txt", "sort photos\nprint two for Grandma\n")
    return {}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
