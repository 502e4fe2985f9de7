import csv
import re
import zipfile
from pathlib import Path

with open('roster.csv', newline='', encoding='utf-8-sig') as file:
    roster = {row['number']: row for row in csv.DictReader(file)}

latest = {}
for path in Path('inbox').iterdir():
    found = re.fullmatch(r'(\d+)(?:_v(\d+))?\.zip', path.name)
    if found:
        version = int(found.group(2) or 1)
        number = found.group(1)
        if version > latest.get(number, (0, None))[0]:
            latest[number] = version, path

for number, (version, path) in latest.items():
    target = Path('unpacked') / roster[number]['name']
    with zipfile.ZipFile(path) as box:
        for info in box.infolist():
            parts = info.filename.split('/')
            if info.is_dir() or '__MACOSX' in parts or parts[-1] == '.DS_Store':
                continue
            box.extract(info, target)

missing = [row['name'] for number, row in roster.items() if row['class'] == '9b' and number not in latest]
print('Nothing from 9b handed in by: ' + ', '.join(missing))
