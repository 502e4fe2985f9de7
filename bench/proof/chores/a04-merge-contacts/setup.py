NEWS = '''name,email,city
Jürgen Groß,Juergen.Gross@example.de,Köln
Anna Lind,anna.lind@example.se,
"Smith, Robert",bob@smith.example,Leeds
Marta Nowak,marta@nowak.example,
anna lind,ANNA.LIND@example.se ,Malmö
Piet Visser,,Utrecht
"Zoë ""Zo"" Blanc",zoe@blanc.example,"Paris, 11e"
Bob Smith,bob.smith@example.com,York
'''
FAIR = '''Firma;Name;Ort;E-Mail
Groß & Co;J. Groß;Düsseldorf;juergen.gross@example.de
Nowak sp. z o.o.;M. Nowak;Lódz;Marta@Nowak.example
Käserei Bürgi;Urs Bürgi;Zürich;urs@buergi.example
;Gast;Bonn;
"Öl; Fett & mehr";Ines Öztürk;Münster; ines@oeztuerk.example
Smith Ltd;R. Smith;London;BOB@smith.example
Käserei Bürgi;Bürgi, Urs;Bern;Urs@Buergi.example
'''

def setup(folder):
    (folder / 'newsletter.csv').write_bytes(NEWS.encode('utf-8'))
    (folder / 'fair.csv').write_bytes(FAIR.replace('\n', '\r\n').encode('cp1252'))
