import csv
import io
import re

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


def numbers(text):
    """The numbers in a text, each read in every way it can be meant (1,234.5 or 1.234,5)."""
    found = set()
    tokens = re.findall(r"\d+(?:[.,'’\u00a0\u202f]\d+)*", text)
    tokens += re.findall(r'\d{1,3}(?: \d{3})+(?:[.,]\d+)?', text)
    for token in tokens:
        parts = re.split(r'[^\d]', token)
        found.add(float(''.join(parts)))
        if len(parts) > 1:
            found.add(float(''.join(parts[:-1]) + '.' + parts[-1]))
    return found


def has_number(text, value, *words):
    """Whether the text gives this number, in figures or in one of the words."""
    if any(abs(n - value) < 0.005 for n in numbers(text)):
        return True
    for word in words:
        pattern = re.escape(word)
        if word.isascii():
            pattern = rf'\b{pattern}\b'
        if re.search(pattern, text, re.I):
            return True
    return False


WANT = '''Name,Phone,Email
Anna Smith,+447700900456,
Anna Smith,+447700900999,anna.smith@example.co.uk
Dr. Tunde Adeyemi,+447700900123,tunde@clinic.example
Hanna Weiss,+491705550123,hanna.weiss@example.org
jan de Boer,+31205550142,jan.deboer@example.com
Jürgen Kühn,01715550444,juergen.kuehn@example.de
Plumber,0305557788,
Plumber,0305557788,
Taxi,+49305552222,
Zoe M.,,zoe@moreau.example.com
Zoë Moreau,+33655500111,zoe@moreau.example.net
'''


def check(start, end, answer):
    reason = elsewhere(start, end, added=['contacts.csv'])
    if reason:
        return reason
    try:
        text = (end / 'contacts.csv').read_bytes().decode('utf-8-sig')
    except UnicodeDecodeError:
        return 'contacts.csv is not UTF-8'
    have = [[c.strip() for c in row] for row in csv.reader(io.StringIO(text, newline='')) if row]
    want = list(csv.reader(io.StringIO(WANT)))
    if len(have) != len(want):
        return f'{len(have)} rows instead of {len(want)}'
    if have[0] != want[0]:
        return f'the headings are {have[0]}'
    # two of the same name, and the last two (Zoe, Zoë), may come in either order
    if sorted(have[1:]) != sorted(want[1:]):
        return f'rows are wrong: {[row for row in have if row not in want]}'
    if [row[0] for row in have[1:10]] != [row[0] for row in want[1:10]]:
        return 'the order is wrong'
    if not has_number(answer, 11, 'eleven', 'elf', 'once', '十一'):
        return 'the answer does not say 11 people'
    if not has_number(answer, 3, 'three', 'drei', 'tres', '三'):
        return 'the answer does not say that 3 were in both'
    return ''
