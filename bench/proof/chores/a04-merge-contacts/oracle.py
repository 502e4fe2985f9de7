import csv

entries = []
with open('newsletter.csv', encoding='utf-8', newline='') as f:
    for row in csv.DictReader(f):
        entries.append((row['name'], row['email'], row['city']))
with open('fair.csv', encoding='cp1252', newline='') as f:
    for row in csv.DictReader(f, delimiter=';'):
        entries.append((row['Name'], row['E-Mail'], row['Ort']))

people = {}
for name, email, city in entries:
    email = email.strip().lower()
    if not email:
        continue
    person = people.setdefault(email, {'name': name, 'email': email, 'city': city})
    if not person['city']:
        person['city'] = city

with open('contacts.csv', 'w', encoding='utf-8', newline='') as f:
    out = csv.DictWriter(f, ['name', 'email', 'city'])
    out.writeheader()
    out.writerows(people[email] for email in sorted(people))
