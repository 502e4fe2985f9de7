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


EDITS = {
    'billing': (b'host = db1\ntimeout = 30\n', b'host = db1\ntimeout = 45\n'),
    'auth': (b'\ntimeout=25\n', b'\ntimeout=45\n'),
    'mail': (b'timeout   =   9\r\n', b'timeout   =   45\r\n'),
    'zip-worker': (b'timeout = 44  ; seconds, was 44', b'timeout = 45  ; seconds, was 44'),
}


def check(start, end, answer):
    names = {f'services/{n}/settings.ini': e for n, e in EDITS.items()}
    wrong = rest(start, end, changed=tuple(names), new=('changed.txt',))
    if wrong:
        return wrong
    for name, (old, new) in names.items():
        before = (start / name).read_bytes()
        assert before.count(old) == 1
        if (end / name).read_bytes() != before.replace(old, new):
            return f'{name} is not as wanted'
    have = (end / 'changed.txt').read_bytes().decode('utf-8-sig', 'replace').split('\n')
    have = [x.strip() for x in have if x.strip()]
    return '' if have == ['auth', 'billing', 'mail', 'zip-worker'] else f'changed.txt lists {have}'
