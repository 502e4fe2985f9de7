import gzip
import re
from collections import Counter, defaultdict
from pathlib import Path

LINE = re.compile(r'^2025-03-\d\d.*?(?:message repeated (\d+) times: \[ )?'
                  r'Failed password for (?:invalid user )?(\S+) from (\S+) port')

hits, users = Counter(), defaultdict(set)
for path in sorted(Path('logs').rglob('*')):
    if not path.is_file():
        continue
    with (gzip.open if path.suffix == '.gz' else open)(path, 'rt', encoding='utf-8') as file:
        for text in file:
            found = LINE.match(text)
            if found:
                times, user, address = found.groups()
                hits[address] += int(times or 1)
                users[address].add(user)
address, count = hits.most_common(1)[0]
print(f'Most failed logins in March 2025 came from {address}: {count} of them, with {len(users[address])} different user names.')
