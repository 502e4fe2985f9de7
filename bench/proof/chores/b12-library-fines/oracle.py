import json
import xml.etree.ElementTree as ET
from datetime import date

today = date(2025, 6, 30)
readers = {r.get('id'): r for r in ET.parse('readers.xml').getroot()}
cents, books = {}, {}
for loan in ET.parse('loans.xml').getroot():
    reader = loan.get('reader')
    days = (today - date.fromisoformat(loan.findtext('due'))).days
    if loan.findtext('returned') or days <= 0 or readers[reader].get('type').lower() == 'junior':
        continue
    cents[reader] = cents.get(reader, 0) + min(20 * days, 600)
    books[reader] = books.get(reader, 0) + 1
fines = {r: {'name': readers[r].text.strip(), 'books': books[r], 'fine': cents[r] / 100} for r in cents}
with open('fines.json', 'w', encoding='utf-8') as f:
    json.dump(fines, f, ensure_ascii=False, indent=2)
print(f'{sum(cents.values()) / 100:.2f}')
