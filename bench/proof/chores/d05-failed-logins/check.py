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


def check(start, end, answer):
    reason = elsewhere(start, end)
    if reason:
        return reason
    if not re.search(r'(?<![\d.])203\.0\.113\.57(?!\.?\d)', answer):
        return 'the answer does not name 203.0.113.57'
    rest = re.sub(r'\d+\.\d+\.\d+\.\d+', ' ', answer)
    if not has_number(rest, 35, 'thirty-five', 'fünfunddreißig', 'treinta y cinco', '三十五'):
        return 'the answer does not say 35 failed logins'
    if not has_number(rest, 6, 'six', 'sechs', 'seis', '六'):
        return 'the answer does not say 6 user names'
    return ''
