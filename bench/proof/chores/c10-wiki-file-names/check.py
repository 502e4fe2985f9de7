import re
from urllib.parse import unquote

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


NAMES = {
    'wiki/Home.md': 'wiki/home.md',
    'wiki/First Steps.md': 'wiki/first-steps.md',
    'wiki/Project Plan.md': 'wiki/project-plan.md',
    'wiki/Team/Who Is Who.md': 'wiki/Team/who-is-who.md',
    'wiki/Team/Notes/Anna Notes.md': 'wiki/Team/Notes/anna-notes.md',
    'wiki/Team/log.md': 'wiki/Team/log.md',
}
# note -> old link as written -> where it leads now
LINKS = {
    'wiki/Home.md': {'First%20Steps.md': 'first-steps.md', '<Project Plan.md>': 'project-plan.md',
                     'Team/Who%20Is%20Who.md#contact-list': 'Team/who-is-who.md#contact-list'},
    'wiki/First Steps.md': {'Home.md': 'home.md', '<Project Plan.md#milestones>': 'project-plan.md#milestones'},
    'wiki/Project Plan.md': {'Team/Who%20Is%20Who.md': 'Team/who-is-who.md', 'Team/log.md': 'Team/log.md'},
    'wiki/Team/Who Is Who.md': {'../Home.md': '../home.md', '../Project%20Plan.md': '../project-plan.md',
                                '<../Project Plan.md>': '../project-plan.md',
                                'Notes/Anna%20Notes.md': 'Notes/anna-notes.md'},
    'wiki/Team/log.md': {'../First%20Steps.md': '../first-steps.md', '<Who Is Who.md>': 'who-is-who.md',
                         './Who%20Is%20Who.md#contact-list': './who-is-who.md#contact-list'},
    'wiki/Team/Notes/Anna Notes.md': {'../../Home.md': '../../home.md'},
}


def plain(text):
    """The text with link targets written one way: no <>, no %20, no ./ at the front."""
    def one(match):
        target = match.group(2)
        target = unquote(target[1:-1] if target.startswith('<') else target)
        return match.group(1) + (target[2:] if target.startswith('./') else target) + ')'
    return re.sub(r'(\]\()(<[^>]*>|[^)\n]*)\)', one, text)


def check(start, end, answer):
    removed = [old for old, new in NAMES.items() if old != new]
    added = [new for old, new in NAMES.items() if old != new]
    reason = elsewhere(start, end, changed=['wiki/Team/log.md'], added=added, removed=removed)
    if reason:
        return reason
    for old, new in NAMES.items():
        text = (start / old).read_text(encoding='utf-8')
        blocks = re.split(r'(```.*?```)', text, flags=re.S)
        for number in range(0, len(blocks), 2):
            for link, target in LINKS[old].items():
                blocks[number] = blocks[number].replace(f']({link})', f']({target})')
        have = (end / new).read_text(encoding='utf-8')
        code = re.findall(r'```.*?```', text, flags=re.S)
        if code != re.findall(r'```.*?```', have, flags=re.S):
            return f'{new}: the code block changed'
        if plain(''.join(blocks)).splitlines() != plain(have).splitlines():
            return f'{new}: the text is not as it should be'
        for kept in ['https://example.org/First%20Steps.md', 'Pics/My Desk.png']:
            if text.count(f']({kept})') != have.count(f']({kept})'):
                return f'{new}: {kept} was changed'
    return ''
