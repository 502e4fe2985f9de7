import re
from pathlib import Path

IMAGE = re.compile(rb'''^(\s*(?:-\s+)?image:\s*["']?ghcr\.io/acme/api:)(?:2\.[^\s"'#]*|latest)(?=["'\s]|$)''', re.M)

changed = []
for path in sorted(Path('deploy').rglob('*')):
    if path.is_file() and path.suffix in ('.yml', '.yaml'):
        old = path.read_bytes()
        new = IMAGE.sub(rb'\g<1>2.4.1', old)
        if new != old:
            path.write_bytes(new)
            changed.append(path.as_posix())
print('Changed: ' + ', '.join(changed))
