import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("28-double-scans/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


def pdf(pages):
    """A small plain PDF: pages = [[line, ...], ...]; a line may start with '# ' for large type."""
    out = [b"%PDF-1.4\n"]
    offs = []
    n = len(pages)
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(n))
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>",
              f"<< /Type /Pages /Kids [{kids}] /Count {n} >>",
              "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
    streams = []
    for i, lines in enumerate(pages):
        s, y = [], 780
        for ln in lines:
            size = 11
            if ln.startswith("# "):
                ln, size = ln[2:], 18
            t = ln.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            s.append(f"BT /F1 {size} Tf 60 {y} Td ({t}) Tj ET")
            y -= size + 8
        raw = "\n".join(s).encode("cp1252")
        bodies.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
                      f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * i} 0 R >>")
        bodies.append(raw)
    pos = len(out[0])
    for k, b in enumerate(bodies, 1):
        if isinstance(b, bytes):
            b = b"<< /Length %d >>\nstream\n" % len(b) + b + b"\nendstream"
        else:
            b = b.encode("ascii")
        chunk = b"%d 0 obj\n" % k + b + b"\nendobj\n"
        offs.append(pos)
        out.append(chunk)
        pos += len(chunk)
    x = b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    x += b"".join(b"%010d 00000 n \n" % o for o in offs)
    x += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, pos)
    return b"".join(out) + x



def plan(seed):
    r = rng(seed)
    nos = r.sample(range(2, 180), 14)
    groups, k = [], 0
    for size in (2, 3, 2, 1, 1, 1, 1, 1, 1, 1):
        groups.append(sorted(nos[k:k + size]))
        k += size
    return {"groups": groups, "total": [r.randrange(1000, 9999) for _ in groups]}


def name(n):
    return f"scan_{n}.pdf"


def build(seed, d):
    p = plan(seed)
    for g, t in zip(p["groups"], p["total"]):
        for n in g:
            put(d, "Scans/" + name(n), pdf([["# Delivery note", f"Crates: {t}", "Received in good order"]]))
    t = p["total"][0]
    put(d, "Scans/cover.pdf", pdf([["# Delivery note", "Crates: ____", "Received in good order"]]))
    put(d, "Archive/" + name(7) , pdf([["# Delivery note", f"Crates: {t}", "Received in good order"]]))
    return {}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
