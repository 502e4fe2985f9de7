import re

VERSION = {'Öztürk_Ayşe': 2, 'Koch_Ben': 1, 'von Stein_Clara': 3, 'Großmann_Emil': 10, 'Langer_Hugo': 1, 'Böhm_Ida': 2, 'Meyer_Karla': 4, 'Fuchs_Leo': 11}
MISSING = ['Daniel Koch', 'Fatima Said', 'Greta Lang', 'Jonas Meyer']

def files(p):
    return {f.relative_to(p).as_posix(): f.read_bytes() for f in p.rglob('*') if f.is_file()}

def check(start, end, answer):
    a, b = files(start), files(end)
    for name in a:
        if b.pop(name, None) != a[name]:
            return f'{name} was changed or removed'
    lacking = b.pop('missing.txt', None)
    if lacking is None:
        return 'there is no missing.txt'
    want = {f'essays/{who}.txt' for who in VERSION}
    if set(b) != want:
        return f'missing: {sorted(want - set(b))}, too many: {sorted(set(b) - want)}'
    for who, v in VERSION.items():
        text = b[f'essays/{who}.txt'].decode('utf-8', 'replace').replace('\r\n', '\n').rstrip('\n')
        if text != f'My holidays, by {who.replace("_", ", ")}\nVersion number {v}: it was schön.':
            return f'essays/{who}.txt is not version {v} as it was'
    got = [l.strip() for l in lacking.decode('utf-8-sig', 'replace').splitlines() if l.strip()]
    if got != MISSING:
        return f'missing.txt says {got}'
    said = re.sub(r'\bfour\b', '4', (answer or '').lower()).replace('8b', '')
    numbers = re.findall(r'\d+', said)
    return '' if numbers and numbers[0] == '4' and set(numbers) <= {'4', '8', '12'} else f'the answer should be 4, not {answer!r}'
