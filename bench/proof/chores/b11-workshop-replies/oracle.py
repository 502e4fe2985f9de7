import csv
import re
from email import message_from_bytes, policy
from pathlib import Path

last = {}
for path in sorted(Path('replies').glob('*.eml')):
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    sender = message['From'].addresses[0]
    body = message.get_body(('plain',)).get_content()
    coming = re.search(r'^coming:\s*(\w+)', body, re.I | re.M).group(1).lower()
    meal = re.search(r'^meal:\s*(\S.*?)\s*$', body, re.I | re.M).group(1).lower()
    address, sent = sender.addr_spec.lower(), message['Date'].datetime
    if address not in last or sent > last[address][0]:
        last[address] = (sent, coming, sender.display_name, meal)
guests = [(name, address, meal) for address, (sent, coming, name, meal) in sorted(last.items()) if coming == 'yes']
with open('guests.csv', 'w', encoding='utf-8', newline='') as f:
    out = csv.writer(f)
    out.writerow(['name', 'email', 'meal'])
    out.writerows(guests)
print(sum(meal == 'vegetarian' for name, address, meal in guests))
