import re

# file -> {number of the line: what it must say, blanks aside}
NEW = {
    'sites/shop.ini': {3: 'port=8443', 4: 'debug=off'},
    'sites/wiki.ini': {3: 'debug=off'},
    'sites/intern/hr.ini': {4: 'port=8443'},
    'sites/intern/alt/crm.ini': {1: 'debug=off'},
}

def files(p):
    return {f.relative_to(p).as_posix(): f.read_bytes() for f in p.rglob('*') if f.is_file()}

def check(start, end, answer):
    a, b = files(start), files(end)
    if set(a) != set(b):
        return f'other files than before: {sorted(set(a) ^ set(b))}'
    for name in a:
        if name not in NEW:
            if a[name] != b[name]:
                return f'{name} was changed'
            continue
        try:
            old, new = a[name].decode('utf-8').split('\n'), b[name].decode('utf-8').split('\n')
        except UnicodeDecodeError:
            return f'{name} is not UTF-8 any more'
        if len(old) != len(new):
            return f'{name} has more or fewer lines'
        for n, (x, y) in enumerate(zip(old, new)):
            if n in NEW[name]:
                if re.sub(r'\s', '', y).lower() != NEW[name][n]:
                    return f'{name}, line {n + 1}: {y!r}'
            elif x != y:
                return f'{name}, line {n + 1} should have stayed: {y!r}'
    said = re.sub(r'\bfour\b', '4', (answer or '').lower())
    said = re.sub(r'\b(8080|8443)\b', '', said)
    numbers = re.findall(r'\d+', said)  # 8 files in all, 5 of production
    return '' if numbers and numbers[0] == '4' and set(numbers) <= {'4', '5', '8'} else f'the answer should be 4, not {answer!r}'
