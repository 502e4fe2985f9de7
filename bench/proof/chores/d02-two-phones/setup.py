NEW = '''BEGIN:VCARD
VERSION:3.0
N:Weiss;Hanna;;;
FN:Hanna Weiss
TEL;TYPE=CELL:+49 170 555-01 23
TEL;TYPE=HOME:+49 30 5550199
EMAIL;TYPE=INTERNET:hanna.weiss@example.org
END:VCARD
BEGIN:VCARD
VERSION:3.0
N:de Boer;Jan;;;
FN:jan de Boer
EMAIL;TYPE=INTERNET:Jan.deBoer@Example.com
END:VCARD
BEGIN:VCARD
VERSION:3.0
N:Plumber;;;;
FN:Plumber
TEL;TYPE=WORK:(030) 555 77 88
END:VCARD
BEGIN:VCARD
VERSION:3.0
N:Moreau;Zoë;;;
FN:Zoë Moreau
TEL;TYPE=CELL:+33 6 55 50 01 11
EMAIL;TYPE=INTERNET:zoe@moreau.exa
 mple.net
NOTE:met at the fair\\, likes
  cycling
END:VCARD
BEGIN:VCARD
VERSION:3.0
N:Adeyemi;Tunde;;;Dr.
FN:Dr. Tunde Adeyemi
TEL;TYPE=CELL:+44 7700 900123
EMAIL;TYPE=WORK:tunde@clinic.example
END:VCARD
BEGIN:VCARD
VERSION:3.0
N:Smith;Anna;;;
FN:Anna Smith
TEL;TYPE=CELL:+44 7700 900456
END:VCARD
'''

OLD = '''BEGIN:VCARD
VERSION:2.1
N:Weiss;Hanna
FN:Hanna Weiss-Berg
TEL;CELL:+49 151 5550000
EMAIL:HANNA.WEISS@EXAMPLE.ORG
END:VCARD
BEGIN:VCARD
VERSION:2.1
N:de Boer;Jan
FN:Jan de Boer
TEL;HOME:+31 20 555 0142
TEL;CELL:+31 6 5550143
EMAIL:jan.deboer@example.com
END:VCARD
BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:K=C3=BChn;J=C3=BCrgen
FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrgen K=C3=BChn
TEL;CELL:0171/555 04 44
EMAIL:Juergen.Kuehn@example.de
END:VCARD
BEGIN:VCARD
VERSION:2.1
N:Smith;Anna
FN:Anna Smith
TEL;CELL:+44 7700 900999
EMAIL:anna.smith@example.co.uk
END:VCARD
BEGIN:VCARD
VERSION:2.1
N:Adeyemi;Tunde
FN:Tunde
TEL;CELL:+44 7700 900777
EMAIL:tunde@clinic.example
END:VCARD
BEGIN:VCARD
VERSION:2.1
N:Taxi
FN:Taxi
TEL;WORK:+49 30 555 22 22
END:VCARD
BEGIN:VCARD
VERSION:2.1
N:Moreau;Zoe
FN:Zoe M.
EMAIL:zoe@moreau.example.com
END:VCARD
BEGIN:VCARD
VERSION:2.1
N:Plumber
FN:Plumber
TEL;WORK:(030) 555 77 88
END:VCARD
'''


def setup(folder):
    (folder / 'phone.vcf').write_bytes(NEW.replace('\n', '\r\n').encode('utf-8'))
    (folder / 'old_phone.vcf').write_bytes(OLD.replace('\n', '\r\n').encode('utf-8'))
