import re
from pathlib import Path

changed = 0
for file in sorted(Path('sites').rglob('*.ini')):
    lines = file.read_bytes().decode('utf-8').splitlines(keepends=True)
    section, found = '', {}
    for n, line in enumerate(lines):
        head = re.match(r'\s*\[(.+?)\]', line)
        item = re.match(r'\s*([^;#=\s][^=]*?)\s*=\s*(.*?)\s*$', line)
        if head:
            section = head[1]
        elif item and section == 'server':
            found[item[1].lower()] = (n, item[2])
    if found.get('env', (0, ''))[1] != 'production':
        continue
    before = list(lines)
    at, value = found['debug']
    if value != 'off':
        lines[at] = re.sub(r'(=\s*)\S+', r'\g<1>off', lines[at])
    at, value = found['port']
    if value == '8080':
        lines[at] = re.sub(r'(=\s*)\S+', r'\g<1>8443', lines[at])
    if lines != before:
        file.write_bytes(''.join(lines).encode('utf-8'))
        changed += 1
print(changed)
