import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("18-theatre-seats/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p

PAGE = r"""<!doctype html>
<html><head><meta charset="utf-8"><title>Lindenhof Theatre - reserve</title>
<style>body{font-family:sans-serif;margin:3em;max-width:34em}label{display:block;margin:.8em 0}#step2{display:none;margin-top:1em}#ref{font-size:1.3em;margin-top:1em}</style></head>
<body><h1>Lindenhof Theatre</h1>
<label>Performance <select id="perf"><option value="">please choose</option>@OPTS@</select></label>
<label>Seats <input id="n" type="number" min="1" max="8" value="1"></label>
<label>Surname <input id="name" type="text"></label>
<button id="check">Check</button>
<div id="step2"><p id="msg"></p><button id="confirm">Confirm reservation</button></div>
<div id="ref"></div>
<script>
const $ = id => document.getElementById(id);
$("check").onclick = function () {
  $("ref").textContent = "";
  if (!$("perf").value || !$("name").value.trim()) { $("msg").textContent = "Please fill in everything."; $("step2").style.display = "block"; $("confirm").style.display = "none"; return; }
  $("msg").textContent = $("n").value + " seat(s) are free for " + $("perf").selectedOptions[0].text + ".";
  $("confirm").style.display = "inline"; $("step2").style.display = "block";
};
$("confirm").onclick = function () {
  let h = @SALT@;
  for (const c of $("perf").value + "|" + $("n").value + "|" + $("name").value.trim().toUpperCase()) h = (h * 31 + c.charCodeAt(0)) % 1000003;
  $("ref").textContent = "Reserved! Your reference is " + $("perf").value.slice(0, 2).toUpperCase() + "-" + String(h).padStart(6, "0");
};
</script></body></html>
"""

def plan(seed):
    r = rng(seed)
    d = r.sample(range(3, 29), 3)
    perf = {}
    for i, (k, t) in enumerate([("hm", "Hamlet"), ("ls", "The Seagull"), ("tw", "Twelfth Night")]):
        perf[f"{k}{d[i]:02d}m"] = f"{t}, {d[i]} March, matinee"
        perf[f"{k}{d[i]:02d}e"] = f"{t}, {d[i]} March, evening"
    v = r.choice(sorted(perf))
    p = {"perf": perf, "v": v, "seats": r.randrange(2, 7), "name": r.choice(["Delacroix", "Farnham", "Okonkwo", "Lindgren"]), "salt": r.randrange(1000, 900000)}
    p["ref"] = ref(p, v, p["seats"])
    return p


def ref(p, v, n):
    h = p["salt"]
    for c in f"{v}|{n}|{p['name'].upper()}":
        h = (h * 31 + ord(c)) % 1000003
    return f"{v[:2].upper()}-{h:06d}"


def build(seed, d):
    p = plan(seed)
    put(d, "reserve.html", PAGE.replace("@OPTS@", "".join(f'<option value="{k}">{t}</option>' for k, t in p["perf"].items())).replace("@SALT@", str(p["salt"])))
    t, day, kind = p["perf"][p["v"]].split(", ")
    return {"show": f"the {kind} of {t} on {day}", "seats": str(p["seats"]), "name": p["name"], "ref": p["ref"]}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
