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


import csv
import io
import re

WANT = [['name', 'email', 'meal'],
        ['Karl Brandt', 'k.brandt@inst.example', 'vegetarian'],
        ['Sofia Ricci', 'sofia@uni.example', 'fish'],
        ['Mei Tanaka', 'tanaka@lab.example', 'vegetarian'],
        ['Tom Hill', 'tom.hill@lab.example', 'vegetarian'],
        ['Li, Wei', 'wei.li@uni.example', 'vegan'],
        ['Zoë Álvarez', 'zoe.alvarez@uni.example', 'vegetarian']]


def check(start, end, answer):
    wrong = rest(start, end, new=('guests.csv',))
    if wrong:
        return wrong
    try:
        text = (end / 'guests.csv').read_bytes().decode('utf-8-sig')
    except UnicodeDecodeError:
        return 'guests.csv is not UTF-8'
    rows = [r for r in csv.reader(io.StringIO(text, newline='')) if r]
    for a, b in zip(rows, WANT):
        if a != b:
            return f'guests.csv has {a}, not {b}'
    if len(rows) != len(WANT):
        return f'guests.csv has {len(rows)} lines, not {len(WANT)}'
    if re.findall(r'\d+', answer) != ['4'] and answer.strip().lower().rstrip('.') != 'four':
        return f'the answer is {answer!r}, not 4'
    return ''
