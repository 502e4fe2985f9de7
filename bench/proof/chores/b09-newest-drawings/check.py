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
import zipfile

WANT = {'Kitchen': 'archive/2025/Kitchen_v10.svg', 'Hall': 'archive/Hall_v3.svg', 'Loft_Stairs': 'Loft_Stairs_v4.SVG', 'Loft': 'Loft_v12.svg',
        'Küche alt': 'Küche alt_v1.svg', 'Garage': 'Garage_v3.svg', 'Bath': 'Bath_V2.svg'}


def check(start, end, answer):
    made = {}
    for n in files(end):
        if n.startswith('latest/'):
            made[n] = unicodedata.normalize('NFC', n[7:])
    wrong = rest(start, end, new=tuple(made))
    if wrong:
        return wrong
    # the one that is .SVG in the zip may be either
    by_name = {v.replace('Loft_Stairs.SVG', 'Loft_Stairs.svg'): end / k for k, v in made.items()}
    with zipfile.ZipFile(start / 'plans.zip') as z:
        for drawing, source in WANT.items():
            path = by_name.pop(drawing + '.svg', None)
            if path is None:
                return f'latest/{drawing}.svg is missing'
            if path.read_bytes() != z.read(source):
                return f'latest/{drawing}.svg is not {source}'
    if by_name or len(made) != len(WANT):
        return f'there is more in latest than there should be: {sorted(made.values())}'
    return ''
