import re
from pathlib import Path

failed, inside = set(), set()
for log in sorted(Path('var/log').glob('auth.log*')):
    for line in log.read_text(encoding='utf-8').splitlines():
        if not re.match(r'Mar +3 ', line) or ' sshd[' not in line:
            continue
        wrong = re.search(r'Failed password for .* from (\S+) port', line)
        right = re.search(r'Accepted \S+ for \S+ from (\S+) port', line)
        if wrong:
            failed.add(wrong[1])
        if right:
            inside.add(right[1])
print(len(failed - inside))
