import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("08-parcel-page/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p

PAGE = r"""<!doctype html>
<html><head><meta charset="utf-8"><title>Parcel price</title>
<style>body{font-family:sans-serif;margin:3em;max-width:30em}label{display:block;margin:1em 0}#out{font-size:1.4em;margin-top:1em}</style></head>
<body><h1>What does my parcel cost?</h1>
<label>Weight in kg <input id="w" type="text" size="6"></label>
<label>Zone <select id="z"><option value="">choose</option>@OPTS@</select></label>
<label><input id="x" type="checkbox"> Express</label>
<label><input id="i" type="checkbox"> Insured</label>
<button id="go">Work it out</button>
<div id="out"></div>
<script>
const base = @BASE@, perKg = @PERKG@, express = @EXPRESS@, insured = @INSURED@;
document.getElementById("go").onclick = function () {
  const o = document.getElementById("out");
  const w = parseFloat(document.getElementById("w").value.replace(",", "."));
  const z = document.getElementById("z").value;
  if (!(w > 0) || !z) { o.textContent = "Please fill in weight and zone."; return; }
  let p = base[z] + Math.ceil(w) * perKg;
  if (document.getElementById("x").checked) p += express + (w > 5 ? 200 : 0);
  if (document.getElementById("i").checked) p += insured;
  o.textContent = "Your parcel: £" + (p / 100).toFixed(2);
};
</script></body></html>
"""

def plan(seed):
    r = rng(seed)
    base = {"A": 390 + r.randrange(0, 40, 5), "B": 520 + r.randrange(0, 60, 5), "C": 745 + r.randrange(0, 60, 5), "D": 980 + r.randrange(0, 90, 5)}
    p = {"base": base, "perkg": r.randrange(95, 145, 5), "express": r.randrange(380, 520, 10), "insured": 250,
         "kg": r.randrange(2, 8), "tenth": r.randrange(1, 5), "zone": r.choice("BCD")}
    p["pence"] = base[p["zone"]] + (p["kg"] + 1) * p["perkg"] + p["express"] + (200 if p["kg"] >= 5 else 0)
    return p


def build(seed, d):
    p = plan(seed)
    t = PAGE.replace("@OPTS@", "".join(f'<option value="{z}">Zone {z}</option>' for z in "ABCD"))
    for k in ("perkg", "express", "insured"):
        t = t.replace(f"@{k.upper()}@", str(p[k]))
    put(d, "parcel.html", t.replace("@BASE@", json.dumps(p["base"])))
    return {"weight": f"{p['kg']}.{p['tenth']}", "zone": f"Zone {p['zone']}", "price": f"\u00a3{p['pence'] / 100:.2f}"}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
