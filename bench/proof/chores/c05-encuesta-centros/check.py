import csv
import io

def tree(root):
    """Every file below root but the .trash: relative name -> bytes."""
    found = {}
    for path in sorted(root.rglob('*')):
        rel = path.relative_to(root)
        if '.trash' not in rel.parts and path.is_file():
            found[rel.as_posix()] = path.read_bytes()
    return found


def folders(root):
    return {p.relative_to(root).as_posix() for p in root.rglob('*')
            if p.is_dir() and '.trash' not in p.relative_to(root).parts}


def elsewhere(start, end, changed=(), added=(), removed=()):
    """A reason when anything but the named files differs, or one of them is not there."""
    was, now = tree(start), tree(end)
    for name in list(added) + list(changed):
        if name not in now:
            return f'{name} is missing'
    for name in removed:
        if name in now:
            return f'{name} should not be there any more'
    for name, data in was.items():
        if name in removed:
            continue
        if name not in now:
            return f'{name} is gone'
        if name not in changed and now[name] != data:
            return f'{name} was changed'
    for name in now:
        if name not in was and name not in added:
            return f'{name} was added'
    for name in folders(end) - folders(start):
        if not any(n.startswith(name + '/') for n in now):
            return f'an empty folder {name} was added'
    return ''


WANT = '''id,centro,edad,q1,q2,q3,q4,q5,media
P001,norte,27,2,,3,2,,2.33
P002,sur,52,3,3,4,5,1,3.20
P003,San Blas,70,4,4,4,4,5,4.20
P004,San Blas,35,3,5,3,,5,4.00
P007,sur,19,5,4,,,4,4.33
P011,sur,38,,,,2,,2.00
P012,norte,45,1,2,2,,3,2.00
'''


def check(start, end, answer):
    reason = elsewhere(start, end, added=['encuesta.csv'])
    if reason:
        return reason
    try:
        text = (end / 'encuesta.csv').read_bytes().decode('utf-8-sig')
    except UnicodeDecodeError:
        return 'encuesta.csv is not UTF-8'
    have = [row for row in csv.reader(io.StringIO(text, newline='')) if row]
    want = list(csv.reader(io.StringIO(WANT)))
    if len(have) != len(want):
        return f'{len(have)} rows instead of {len(want)}'
    for w, h in zip(want, have):
        if [c.strip() for c in h] != w:
            return f'{h} instead of {w}'
    return ''
