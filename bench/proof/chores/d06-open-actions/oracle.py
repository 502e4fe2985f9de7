from collections import Counter
from datetime import datetime
from pathlib import Path

from docx import Document
from openpyxl import Workbook

items = []
for path in sorted(Path('minutes').glob('2025-*.docx')):
    if 'DRAFT' in path.name:
        continue
    for table in Document(str(path)).tables:
        rows = [[cell.text.strip() for cell in row.cells] for row in table.rows]
        if rows[0] != ['Who', 'What', 'Due', 'Status']:
            continue
        for who, what, due, status in rows[1:]:
            if status.lower() != 'done':
                items.append((path.name[:10], who, what, datetime.strptime(due, '%d %b %Y')))
items.sort(key=lambda item: (item[3], item[1]))

book = Workbook()
sheet = book.active
sheet.title = 'Open actions'
sheet.append(['Meeting', 'Who', 'What', 'Due'])
for meeting, who, what, due in items:
    sheet.append([meeting, who, what, due])
    sheet.cell(sheet.max_row, 4).number_format = 'yyyy-mm-dd'
for letter, width in zip('ABCD', (12, 12, 40, 12)):
    sheet.column_dimensions[letter].width = width
book.save('open_actions.xlsx')
who, count = Counter(item[1] for item in items).most_common(1)[0]
print(f'{who} has the most open items: {count}.')
