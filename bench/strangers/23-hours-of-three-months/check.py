import atexit, os, re, shutil, sys, tempfile, traceback, unicodedata
from pathlib import Path
sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import make

SEED = os.environ.get("DESKCREW_SEED", "0").strip()
ANSWER = os.environ.get("DESKCREW_ANSWER", "").strip()
ORIG = Path(tempfile.mkdtemp(prefix="orig"))
atexit.register(shutil.rmtree, ORIG, True)
VALUES = make.build(SEED, ORIG)
WS = Path(".")


def fail(why):
    print(why)
    sys.exit(1)


def _hook(kind, err, tb):
    print("check could not make sense of the result: %s: %s" % (kind.__name__, err))
    traceback.print_tb(tb)
    sys.exit(1)


sys.excepthook = _hook


def files(root):
    """Every ordinary file below root (no hidden or lock files), relative."""
    out = set()
    for p in Path(root).rglob("*"):
        rel = p.relative_to(root)
        if p.is_file() and not any(x.startswith(".") for x in rel.parts):
            out.add(rel.as_posix())
    return out


def content(p):
    p = Path(p)
    s = p.suffix.lower()
    if s == ".xlsx":
        import openpyxl
        wb = openpyxl.load_workbook(p)
        return {ws.title: {c.coordinate: c.value for row in ws.iter_rows() for c in row if c.value is not None}
                for ws in wb}
    if s == ".docx":
        import docx
        d = docx.Document(str(p))
        return ([q.text for q in d.paragraphs], [[[c.text for c in row.cells] for row in t.rows] for t in d.tables])
    if s == ".pptx":
        import pptx
        return [sorted(sh.text_frame.text for sh in sl.shapes if sh.has_text_frame) for sl in pptx.Presentation(str(p)).slides]
    return p.read_bytes()


def kept(*changed):
    """All starting files, but those named, are still there and say the same."""
    for rel in sorted(files(ORIG) - set(changed)):
        if not (WS / rel).is_file():
            fail("%s is gone" % rel)
        if (WS / rel).read_bytes() != (ORIG / rel).read_bytes() and content(WS / rel) != content(ORIG / rel):
            fail("%s was changed" % rel)


def text(rel):
    p = WS / rel
    if not p.is_file():
        fail("there is no %s" % rel)
    raw = p.read_bytes()
    for enc in ("utf-8-sig", "cp1252"):
        try:
            return unicodedata.normalize("NFC", raw.decode(enc)).replace("\r\n", "\n")
        except UnicodeDecodeError:
            pass
    fail("%s is not text" % rel)


def lines(rel):
    """Its lines without trailing spaces and without blank lines at the end."""
    ls = [x.rstrip() for x in text(rel).split("\n")]
    while ls and not ls[-1]:
        ls.pop()
    return ls


def num(s):
    """A number however it is written: 1,234.50 / 1.234,50 / 1 234.5 / with a currency sign."""
    if isinstance(s, (int, float)):
        return float(s)
    t = re.sub(r"[^0-9.,\-]", "", str(s)).strip(".,")
    if not t:
        return None
    if "." in t and "," in t:
        dec = max(t.rfind("."), t.rfind(","))
        t = re.sub(r"[.,]", "", t[:dec]) + "." + t[dec + 1:]
    elif "," in t:
        t = t.replace(",", "") if re.fullmatch(r"-?\d{1,3}(,\d{3})+", t) else t.replace(",", ".")
    try:
        return float(t)
    except ValueError:
        return None


def same(a, b, tol=0.005):
    a = num(a) if a is not None else None
    return a is not None and abs(a - float(b)) < tol


def bare(s):
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", str(s))).strip()

import openpyxl
from openpyxl.utils import range_boundaries
p = make.plan(SEED)
kept()
if not (WS / "hours.xlsx").is_file():
    fail("there is no hours.xlsx")
wf = openpyxl.load_workbook("hours.xlsx").worksheets[0]
wv = openpyxl.load_workbook("hours.xlsx", data_only=True).worksheets[0]


def val(ref, depth=0):
    ref = ref.replace("$", "")
    f, v = wf[ref].value, wv[ref].value
    if isinstance(f, str) and f.startswith("=") and v is None and depth < 6:
        e = f[1:].replace("$", "").replace(" ", "").upper()
        m = re.fullmatch(r"SUM\(([A-Z]+\d+:[A-Z]+\d+)\)", e)
        if m:
            a, b, c, d = range_boundaries(m.group(1))
            return sum(val(wf.cell(y, x).coordinate, depth + 1) or 0 for y in range(b, d + 1) for x in range(a, c + 1))
        if re.fullmatch(r"[A-Z]+\d+(\+[A-Z]+\d+)*", e):
            return sum(val(x, depth + 1) or 0 for x in e.split("+"))
        fail("cannot work out %s in %s" % (f, ref))
    return v


rows = [[val(c.coordinate) for c in r[:5]] for r in wf.iter_rows() if any(c.value is not None for c in r)]
if [str(x).strip().lower() for x in rows[0]] != ["name", "jan", "feb", "mar", "total"]:
    fail("header is %r" % rows[0])
s = p["sums"]
want = [[w] + s[w] + [sum(s[w])] for w in p["people"]]
want.append(["Total"] + [sum(s[w][m] for w in s) for m in range(3)] + [p["grand"]])
if len(rows) != len(want) + 1:
    fail("%d rows below the header, should be %d" % (len(rows) - 1, len(want)))
for g, w in zip(rows[1:], want):
    if str(g[0]).strip().lower() != w[0].lower():
        fail("row of %r where %r should be" % (g[0], w[0]))
    for a, b in zip(g[1:], w[1:]):
        if isinstance(a, str) and a.strip() not in ("", "-", "\u2013"):
            fail("%s: %r is text, not a number" % (w[0], a))
        if not same(0 if a is None or isinstance(a, str) else a, b):
            fail("%s: %r, should be %r" % (w[0], g[1:], w[1:]))
t = text("grandtotal.txt").strip()
if not same(t, p["grand"]) or not re.fullmatch(r"[\d.,]+", t):
    fail("grandtotal.txt says %r, should be %s" % (t, p["grand"]))
