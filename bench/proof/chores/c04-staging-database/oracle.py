import re
from pathlib import Path

NEW = {'host': 'db-stg-02.internal', 'port': '5433'}


def entries(lines):
    """For every line: section, key, value (None where there is none)."""
    section = None
    for line in lines:
        text = line.strip()
        head = re.fullmatch(r'\[(.+)\]', text)
        if head:
            section = head.group(1)
        if head or not text or text[0] in ';#' or '=' not in text:
            yield section, None, None
        else:
            key, value = text.split('=', 1)
            yield section, key.strip(), value.strip()


for path in sorted(Path('services').rglob('*.ini')):
    lines = path.read_bytes().decode().splitlines(keepends=True)
    found = list(entries(lines))
    if ('app', 'env', 'staging') not in found:
        continue
    has_port = any(s == 'database' and k == 'port' for s, k, v in found)
    out = []
    for line, (section, key, value) in zip(lines, found):
        if section == 'database' and key in NEW:
            line = re.sub(r'(=[ \t]*)[^\r\n]*', lambda m: m.group(1) + NEW[key], line, count=1)
        out.append(line)
        if section == 'database' and key == 'host' and not has_port:
            out.append(line.replace('host', 'port', 1).replace(NEW['host'], NEW['port']))
    path.write_bytes(''.join(out).encode())
