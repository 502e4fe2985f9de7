import os
import re
from pathlib import Path
from urllib.parse import quote, unquote

wiki = Path('wiki')
notes = {}
for path in sorted(wiki.rglob('*.md')):
    notes[os.path.normpath(path)] = path.with_name(path.name.lower().replace(' ', '-'))


def fix(text, folder):
    def link(match):
        target = match.group(2)
        bare = target[1:-1] if target.startswith('<') else target
        if re.match(r'[a-z]+:', bare, re.I):
            return match.group()
        name, mark, anchor = bare.partition('#')
        aim = os.path.normpath(os.path.join(folder, unquote(name)))
        if not name or aim not in notes:
            return match.group()
        head, slash, _ = name.rpartition('/')
        return match.group(1) + head + slash + quote(notes[aim].name) + mark + anchor + ')'

    out, fenced = [], False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith('```'):
            fenced = not fenced
        elif not fenced:
            line = re.sub(r'(\[[^\]]*\]\()(<[^>]*>|[^)\s]*)\)', link, line)
        out.append(line)
    return ''.join(out)


for old, new in notes.items():
    path = Path(old)
    text = path.read_bytes().decode('utf-8')
    fixed = fix(text, path.parent)
    path.rename(new)
    if fixed != text:
        new.write_bytes(fixed.encode('utf-8'))
