import re
from pathlib import Path

touched = []
for path in sorted(Path('services').glob('*/settings.ini')):
    lines = path.read_bytes().splitlines(keepends=True)
    section = b''
    for i, line in enumerate(lines):
        if line.strip().startswith(b'['):
            section = line.strip()
        found = re.match(rb'(\s*timeout\s*=\s*)(\d+)', line)
        if found and section == b'[database]' and int(found.group(2)) < 45:
            lines[i] = found.group(1) + b'45' + line[found.end():]
            touched.append(path.parent.name)
    path.write_bytes(b''.join(lines))
Path('changed.txt').write_text('\n'.join(sorted(touched)) + '\n')
