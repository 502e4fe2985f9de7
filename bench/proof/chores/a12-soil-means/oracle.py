import csv
import json

summary = {}
for plot in 'ABCD':
    values = []
    with open(f'data/plot_{plot}.tsv', encoding='utf-8', newline='') as f:
        for row in csv.DictReader(f, delimiter='\t'):
            fahrenheit = 'temp_F' in row
            raw = row['temp_F' if fahrenheit else 'temp_C'].strip()
            if raw in ('', 'NA', '-999') or float(row['depth_cm']) > 30:
                continue
            values.append((float(raw) - 32) * 5 / 9 if fahrenheit else float(raw))
    summary[plot] = {'n': len(values), 'mean_c': round(sum(values) / len(values), 2)}

with open('summary.json', 'w', encoding='utf-8') as f:
    json.dump(summary, f, indent=2)
warmest = max(summary, key=lambda plot: summary[plot]['mean_c'])
print(warmest)
