import re
from pathlib import Path

for file in sorted(Path('app').rglob('*.js')):
    if file.parts[1] == 'vendor':
        continue
    text = file.read_bytes().decode('utf-8')
    new = re.sub(r'\bgetUsr\b', 'fetchUser', text)
    if new != text:
        file.write_bytes(new.encode('utf-8'))
Path('app/lib/getUsr.js').rename('app/lib/fetchUser.js')

log = Path('CHANGELOG.md')
lines = log.read_text(encoding='utf-8').split('\n')
at = lines.index('## Unreleased') + 1
last = at
while at < len(lines) and not lines[at].startswith('## '):
    if lines[at].startswith('- '):
        last = at
    at += 1
lines.insert(last + 1, '- Renamed getUsr to fetchUser')
log.write_text('\n'.join(lines), encoding='utf-8')
