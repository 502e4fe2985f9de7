import json, re

WANT = {'A': (3, 16.00), 'B': (4, 18.25), 'C': (4, 19.50), 'D': (3, 18.47)}

def files(p):
    return {f.relative_to(p).as_posix(): f.read_bytes() for f in p.rglob('*') if f.is_file()}

def check(start, end, answer):
    a, b = files(start), files(end)
    made = b.pop('summary.json', None)
    if made is None:
        return 'there is no summary.json'
    if a != b:
        return 'another file was changed, added or removed'
    try:
        got = json.loads(made.decode('utf-8-sig'))
    except ValueError:
        return 'summary.json is not JSON'
    if not isinstance(got, dict) or sorted(got) != sorted(WANT):
        return 'summary.json has other keys than A to D'
    for plot, (n, mean) in WANT.items():
        g = got[plot]
        if not isinstance(g, dict) or set(g) != {'n', 'mean_c'}:
            return f'{plot} should have n and mean_c: {g!r}'
        if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in g.values()):
            return f'{plot}: {g!r} are not numbers'
        if g['n'] != n or abs(g['mean_c'] - mean) > 1e-6:
            return f'{plot}: {g!r}, should be {n} and {mean}'
    said = re.sub(r'°\s*C\b|\bmean_c\b', '', answer or '')
    named = set(re.findall(r'(?<![A-Za-z])[A-D](?![A-Za-z])', said.upper() if len(said.strip()) < 3 else said))
    return '' if named == {'C'} else f'the answer should be C, not {answer!r}'
