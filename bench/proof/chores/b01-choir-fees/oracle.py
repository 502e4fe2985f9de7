import csv
import re
from collections import defaultdict
from openpyxl import load_workbook

paid = defaultdict(float)
with open('bank.csv', encoding='utf-8', newline='') as f:
    for row in csv.DictReader(f):
        found = re.search(r'\bM\d{3}\b', row['Reference'], re.I)
        if found:
            paid[found.group().upper()] += float(row['Amount'])
wb = load_workbook('members.xlsx')
ws = wb['2025']
for row in ws.iter_rows(min_row=2):
    number, fee = row[0].value, row[2].value
    if not re.fullmatch(r'M\d{3}', str(number)):
        continue
    total = round(paid[number], 2)
    row[3].value = total
    row[4].value = 'paid' if total >= fee else 'part' if total else 'open'
wb.save('members.xlsx')
