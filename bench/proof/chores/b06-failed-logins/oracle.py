import re
from collections import Counter
from pathlib import Path

count = Counter()
for path in sorted(Path('logs').iterdir()):
    for line in path.read_text().splitlines():
        found = re.match(r'2025-03-03 .* failed login .*from=(\S+)', line, re.I)
        if found:
            count[found.group(1)] += 1
print(count.most_common(1)[0][0])
