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


import unicodedata

MOVED = {
    'Eingang/scan001.txt': 'Eingang/2025-02-03 Müller & Söhne GmbH.txt',
    'Eingang/scan003.txt': 'Eingang/2024-12-17 Bäckerei Groß.txt',
    'Eingang/scan004.txt': 'Mahnungen/scan004.txt',
    'Eingang/scan005.txt': 'Eingang/2025-03-01 Müller & Söhne GmbH.txt',
    'Eingang/Dokument (2).txt': 'Eingang/2025-01-09 Papier-Peters.txt',
    'Eingang/neu.txt': 'Mahnungen/neu.txt',
}


def check(start, end, answer):
    have = {unicodedata.normalize('NFC', n): p.read_bytes() for n, p in files(end).items()}
    want = {MOVED.get(n, n): p.read_bytes() for n, p in files(start).items()}
    for n in want:
        if n not in have:
            return f'{n} is missing'
        if have[n] != want[n]:
            return f'{n} has other contents'
    extra = sorted(set(have) - set(want))
    return f'{extra[0]} should not be there' if extra else ''
