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


import re


def check(start, end, answer):
    wrong = rest(start, end)
    if wrong:
        return wrong
    # .50: two in auth.log.1 and three in auth.log = 5; .5: three; .77: two; .20: one
    if set(re.findall(r'\d+\.\d+\.\d+\.\d+', answer)) != {'203.0.113.50'}:
        return f'the answer is {answer!r}, not 203.0.113.50'
    return ''
