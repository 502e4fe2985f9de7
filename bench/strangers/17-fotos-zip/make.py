import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("17-fotos-zip/" + str(seed).strip())


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
    take = [f"DSC{r.randrange(1000, 5000):05d}.JPG", f"DSC{r.randrange(5000, 9999):05d}.jpg", f"Ostsee {r.randrange(1, 9)}.jpg", "Oma und Fips.png", "Müritz.jpeg"]
    leave = [f"Bildschirmfoto vom 2024-03-{r.randrange(10, 28)} 10-12-44.png", f"Bildschirmfoto vom 2024-04-{r.randrange(10, 28)} 18-01-09.png", "liste.txt"]
    return {"take": take, "leave": leave}


def build(seed, d):
    p, r = plan(seed), rng(str(seed) + "pix")
    for n in p["take"] + p["leave"][:2]:
        put(d, "Fotos/" + n, pic(r, fmt="PNG" if n.endswith("png") else "JPEG"))
    put(d, "Fotos/liste.txt", "Abzüge bestellt: Ostsee, Fips\n")
    return {}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
