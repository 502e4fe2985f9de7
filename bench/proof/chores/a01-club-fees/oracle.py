import csv
from collections import defaultdict
from decimal import Decimal

paid = defaultdict(Decimal)
with open('payments.csv', encoding='utf-8', newline='') as f:
    for row in csv.DictReader(f):
        if row['year'] == '2025':
            paid[row['number']] += Decimal(row['amount'])

owing = []
with open('members.csv', encoding='utf-8', newline='') as f:
    for row in csv.DictReader(f):
        if row['status'].strip().lower() == 'active':
            still = Decimal(row['fee']) - paid[row['number']]
            if still > 0:
                owing.append((still, row))

owing.sort(key=lambda pair: pair[0], reverse=True)

with open('reminders.csv', 'w', encoding='utf-8', newline='') as f:
    out = csv.writer(f)
    out.writerow(['number', 'name', 'email', 'open'])
    for still, row in owing:
        out.writerow([row['number'], row['name'], row['email'], f'{still:.2f}'])
