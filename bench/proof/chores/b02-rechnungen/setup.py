FILES = {
    'Eingang/scan001.txt': 'Rechnung\nFirma: Müller & Söhne GmbH\nLieferdatum: 28.01.2025\nRechnungsdatum: 03.02.2025\nBetrag: 119,00 EUR\n',
    'Eingang/scan002.txt': 'Lieferschein\nFirma: Müller & Söhne GmbH\nLieferdatum: 28.01.2025\nZur Rechnung vom 03.02.2025\n',
    'Eingang/scan003.txt': 'RECHNUNG\nRechnungsdatum: 17.12.2024\nFirma: Bäckerei Groß\nBetrag: 48,20 EUR\n',
    'Eingang/scan004.txt': 'Mahnung\nFirma: Stadtwerke Höchst\nRechnungsdatum: 05.11.2024\nBetrag: 230,10 EUR\n',
    'Eingang/scan005.txt': 'rechnung\nFirma: Müller & Söhne GmbH\nRechnungsdatum: 01.03.2025\nLieferdatum: 27.02.2025\nBetrag: 77,35 EUR\n',
    'Eingang/Dokument (2).txt': 'Rechnung\nKunde: Kanzlei Ruhl\nFirma: Papier-Peters\nRechnungsdatum: 09.01.2025\nBetrag: 15,90 EUR\n',
    'Eingang/Dokument.txt': 'Rechnungskorrektur\nFirma: Papier-Peters\nRechnungsdatum: 10.01.2025\nBetrag: -3,00 EUR\n',
    'Eingang/neu.txt': 'MAHNUNG\nFirma: Telefon Übersee AG\nRechnungsdatum: 12.12.2024\n',
    'Eingang/notiz.txt': 'Bitte anrufen: Herr Öztürk\nRechnung\nFirma: keine\nRechnungsdatum: 11.02.2025\n',
    'Eingang/erledigt/scan000.txt': 'Rechnung\nFirma: Elektro Kühn\nRechnungsdatum: 02.01.2025\nBetrag: 310,00 EUR\n',
    'Mahnungen/alt.txt': 'Mahnung\nFirma: Elektro Kühn\nRechnungsdatum: 01.08.2024\n',
}


def setup(folder):
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode('utf-8'))
