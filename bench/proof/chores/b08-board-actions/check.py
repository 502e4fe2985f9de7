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


WANT = '''## Amir
- [ ] book the hall for 5 April (2024-12-03)
## Ben
- [x] ask the council about the lease: terms & length (2025-01-14)
- [ ] fix the notice board (2025-02-11)
- [x] return the keys (2025-02-11)
## Priya
- [ ] check the fire (and smoke) alarms (2024-12-03)
- [ ] order the folding tables (2025-01-14)
- [x] send the tables invoice to Zoë (2025-02-11)
## Zoë
- [ ] find a caterer, max. £400 (2025-01-14)'''.split('\n')


def check(start, end, answer):
    wrong = rest(start, end, new=('actions.md',))
    if wrong:
        return wrong
    try:
        text = (end / 'actions.md').read_bytes().decode('utf-8-sig')
    except UnicodeDecodeError:
        return 'actions.md is not UTF-8'
    have = [line.strip().replace('- [X]', '- [x]') for line in text.splitlines() if line.strip()]
    for a, b in zip(have, WANT):
        if a != b:
            return f'actions.md has {a!r}, not {b!r}'
    return '' if len(have) == len(WANT) else f'actions.md has {len(have)} lines, not {len(WANT)}'
