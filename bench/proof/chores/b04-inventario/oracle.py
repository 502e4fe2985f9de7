import csv
from datetime import datetime

rows = []
with open('tienda.csv', encoding='utf-8', newline='') as f:
    rows += csv.DictReader(f)
with open('almacen.tsv', encoding='utf-8', newline='') as f:
    for row in csv.DictReader(f, delimiter='\t'):
        row['actualizado'] = datetime.strptime(row['actualizado'], '%d/%m/%Y').strftime('%Y-%m-%d')
        rows.append(row)
latest = {}
for row in rows:
    row['codigo'] = row['codigo'].strip().upper()
    if row['codigo'] not in latest or row['actualizado'] > latest[row['codigo']]['actualizado']:
        latest[row['codigo']] = row
with open('inventario.csv', 'w', encoding='utf-8', newline='') as f:
    out = csv.DictWriter(f, ['codigo', 'articulo', 'cantidad', 'precio', 'actualizado'])
    out.writeheader()
    out.writerows(latest[code] for code in sorted(latest))
