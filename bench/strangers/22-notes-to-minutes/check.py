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

import docx
from docx.table import Table
from docx.text.paragraph import Paragraph
p = make.plan(SEED)
kept()
if not (WS / "minutes.docx").is_file():
    fail("there is no minutes.docx")
doc = docx.Document("minutes.docx")
body = []
for el in doc.element.body.iterchildren():
    if el.tag.endswith("}p"):
        q = Paragraph(el, doc)
        if q.text.strip():
            body.append(((q.style.name or "").lower(), bare(q.text)))
    elif el.tag.endswith("}tbl"):
        body.append(("table", Table(el, doc)))
if not body or body[0][1] != p["title"]:
    fail("it does not begin with the title")
tabs = [x for x in body if x[0] == "table"]
if len(tabs) != 1 or body[-1][0] != "table":
    fail("there should be one table, at the very end")
rows = [[bare(c.text) for c in row.cells] for row in tabs[0][1].rows]
if [x.lower() for x in rows[0]] != ["who", "what", "by when"]:
    fail("the head of the table is %r" % rows[0])
if sorted(tuple(re.sub(r"^by ", "", x.lower().rstrip(".")) for x in r) for r in rows[1:]) != sorted(tuple(x.lower() for x in a) for a in p["acts"]):
    fail("the table says %r, should say %r" % (rows[1:], p["acts"]))
want = []
for t in p["pts"]:
    want.append(("h", t))
    want += [("b", s) for s in make.POINTS[t]]
got = [("h" if s == "heading 1" else "b", t.lstrip("\u2022-* ").strip()) for s, t in body[1:-1]]
if got and re.match(r"(?i)(list of )?action", got[-1][1]):
    got.pop()          # a heading over the table is fair
if [(a, b.rstrip(".").lower()) for a, b in got] != [(a, b.rstrip(".").lower()) for a, b in want]:
    fail("headings and bullets are %r, should be %r" % (got, want))
for el in doc.paragraphs:
    t = bare(el.text)
    if t in [s for x in p["pts"] for s in make.POINTS[x]]:
        style = (el.style.name or "").lower()
        num_pr = el._p.pPr is not None and el._p.pPr.numPr is not None
        if not ("list" in style or "bullet" in style or num_pr):
            fail("%r is not a bullet" % t)
