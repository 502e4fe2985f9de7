import re

def files(p):
    return {f.relative_to(p).as_posix(): f.read_bytes() for f in p.rglob('*') if f.is_file()}

ADDRESS = r'\d+\.\d+\.\d+\.\d+|[0-9a-f]+(?::[0-9a-f]*){2,}'
RIGHT = {'203.0.113.5', '203.0.113.50', '203.0.113.51', '198.51.100.77', '192.0.2.99', '2001:db8::7'}

def check(start, end, answer):
    if files(start) != files(end):
        return 'files were changed, though only a question was asked'
    said = (answer or '').lower()
    if set(re.findall(ADDRESS, said)) - RIGHT:
        return f'names wrong addresses: {answer!r}'
    rest = re.sub(ADDRESS, ' ', said)
    rest = re.sub(r'\b3(rd)?( of)? march\b|\bmarch 3(rd)?\b|\bmar +3\b', ' ', rest)
    rest = re.sub(r'\bsix\b', '6', rest)
    found = re.findall(r'\d+', rest)
    return '' if found and set(found) == {'6'} else f'the answer should be 6, not {answer!r}'
