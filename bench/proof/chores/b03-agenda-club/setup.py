EVENTS = [
    ('DTSTART:20250517T140000', ['SUMMARY:Tournoi de pétanque\\; finale', 'LOCATION:Boulodrome\\, allée des Tilleuls']),
    ('DTSTART:20250503T193000', ['SUMMARY:Assemblée générale extraordinaire avec présentation des compt', ' es et élection du bureau', 'LOCATION:Salle des fêtes']),
    ('DTSTART:20240510T100000', ['SUMMARY:Sortie vélo', 'LOCATION:Place de la Mairie']),
    ('DTSTART;VALUE=DATE:20250529', ['SUMMARY:Journée portes ouvertes', 'LOCATION:Club-house']),
    ('DTSTART:20250522T180000', ['SUMMARY:Réunion du bureau', 'LOCATION:Club-house', 'STATUS:CANCELLED']),
    ('DTSTART:20250508T090000', ['SUMMARY:Randonnée à Étretat', 'STATUS:CONFIRMED']),
    ('DTSTART:20250601T110000', ['SUMMARY:Barbecue de juin', 'LOCATION:Jardin']),
    ('DTSTART:20250430T200000', ['SUMMARY:Soirée jeux (avril)', 'LOCATION:Salle 2']),
    ('DTSTART:20250531T203000', ['SUMMARY:Concert « Les Cigales »', 'LOCATION:Église Saint-Loup', 'DESCRIPTION:Annulé en 2024\\, maintenu cette année']),
    ('DTSTART:20250512T071500', ['SUMMARY:Réunion du bureau', 'LOCATION:Café de l\'Ouest']),
]


def setup(folder):
    lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//club//agenda//FR']
    for i, (begin, more) in enumerate(EVENTS):
        lines += ['BEGIN:VEVENT', f'UID:{i}@club.example', 'DTSTAMP:20250501T080000Z', begin, *more, 'END:VEVENT']
    lines += ['END:VCALENDAR', '']
    (folder / 'club.ics').write_bytes('\r\n'.join(lines).encode('utf-8'))
    (folder / 'avril.csv').write_bytes('date;heure;titre;lieu\r\n30/04/2025;20:00;Soirée jeux (avril);Salle 2\r\n'.encode('utf-8'))
