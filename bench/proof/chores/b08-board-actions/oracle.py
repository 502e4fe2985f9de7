import re
from pathlib import Path
from docx import Document

people = {}
for path in sorted(Path('minutes').glob('*.docx')):
    date = re.search(r'\d{4}-\d\d-\d\d', path.name).group()
    for paragraph in Document(path).paragraphs:
        found = re.match(r'action (\w+): *(.*)$', paragraph.text.strip(), re.I)
        if not found:
            continue
        name, what = found.groups()
        done = what.endswith('(done)')
        what = what.removesuffix('(done)').strip()
        people.setdefault(name, []).append(f'- [{"x" if done else " "}] {what} ({date})')
blocks = ['\n'.join([f'## {name}', ''] + people[name]) for name in sorted(people)]
Path('actions.md').write_text('\n\n'.join(blocks) + '\n', encoding='utf-8')
