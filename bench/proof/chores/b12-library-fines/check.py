from pathlib import Path


def files(p):
    return {q.relative_to(p).as_posix(): q for q in Path(p).rglob('*') if q.is_file()}


def rest(start, end, changed=(), new=(), gone=()):
    """What is wrong with the files that are not to change, or ''."""
    a, b = files(start), files(end)
    for n in a:
        if n in gone:
            if n in b:
                return f'{n} is still there'
        elif n not in b:
            return f'{n} is missing'
        elif n not in changed and a[n].read_bytes() != b[n].read_bytes():
            return f'{n} was changed'
    for n in b:
        if n not in a and n not in new:
            return f'{n} should not be there'
    for n in new:
        if n not in b:
            return f'{n} was not made'
    return ''


import json
import re

# R1: 10 days 2.00 and 60 days, capped 6.00; R3: one day; R5: capped 6.00 and 17 days 3.40; R10: 30 days 6.00
WANT = {'R1': ('Hana Šimková', 2, 8.0), 'R3': ('Maya & Tim Osei', 1, 0.2), 'R5': ('Ruth Abel', 2, 9.4), 'R10': ('Sam Yates', 1, 6.0)}
TOTAL = 23.6


def check(start, end, answer):
    wrong = rest(start, end, new=('fines.json',))
    if wrong:
        return wrong
    try:
        have = json.loads((end / 'fines.json').read_bytes().decode('utf-8-sig'))
    except ValueError:
        return 'fines.json is not JSON in UTF-8'
    if not isinstance(have, dict) or set(have) != set(WANT):
        return 'fines.json does not have the right readers'
    for key, (name, books, fine) in WANT.items():
        v = have[key]
        if not isinstance(v, dict) or set(v) != {'name', 'books', 'fine'}:
            return f'{key} is {v}'
        if v['name'] != name or type(v['books']) not in (int, float) or v['books'] != books:
            return f'{key} is {v}'
        if type(v['fine']) not in (int, float) or abs(v['fine'] - fine) > 0.001:
            return f'the fine of {key} is {v["fine"]!r}, not {fine}'
    found = re.findall(r'\d+(?:[.,]\d+)?', answer)
    if len(found) != 1 or abs(float(found[0].replace(',', '.')) - TOTAL) > 0.001:
        return f'the answer is {answer!r}, not 23.60'
    return ''
