import re
from pathlib import Path

SIGN = {'.py': '# ', '.js': '// '}
header = Path('HEADER.txt').read_text(encoding='utf-8').splitlines()
year = re.search(r'\d{4}', header[0]).group()

for path in sorted(Path('src').rglob('*')):
    if not path.is_file() or path.suffix not in SIGN or 'vendor' in path.parent.parts:
        continue
    text = path.read_bytes().decode('utf-8')
    if not text.strip():
        continue
    lines = text.splitlines(keepends=True)
    at = 1 if lines[0].startswith('#!') else 0
    wanted = [SIGN[path.suffix] + line for line in header]
    first = re.escape(wanted[0]).replace(year, r'(\d{4})', 1)
    there = [line.rstrip() for line in lines[at:at + 2]]
    found = re.fullmatch(first, there[0]) if len(there) == 2 and there[1] == wanted[1] else None
    if found:
        if found.group(1) >= year:
            continue
        lines[at] = lines[at].replace(found.group(1), year, 1)
    else:
        lines[at:at] = [line + '\n' for line in wanted] + ['\n']
    path.write_bytes(''.join(lines).encode('utf-8'))
