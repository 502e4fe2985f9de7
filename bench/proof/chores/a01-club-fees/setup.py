MEMBERS = '''number,name,status,fee,email
007,"Müller, Jörg",active,120.00,joerg.mueller@example.org
0071,Anna Petersen,active,120.00,anna@petersen.example
012,"O'Neil, Sean",Active,120.00,sean.oneil@example.com
015,Grete Sørensen,active,80.00,
018,Tom Baker,inactive,120.00,tom@baker.example
021,Thomas Baker,active,80.00,thomas@baker.example
023,"Ng, Li",active,240.00,li.ng@example.net
030,Élodie Roux,ACTIVE,120.00,elodie@roux.example
033,Karl Weiß,active,80.00,k.weiss@example.de
034,Honor Blythe,honorary,0.00,honor@example.org
040,Peter Zahn,active,120.00,zahn@example.de
041,Ruth Klein,resigned,120.00,ruth@klein.example
'''
PAYMENTS = '''date,number,year,amount,remark
2024-02-11,012,2024,120.00,
2024-12-20,007,2025,60.00,first half
2024-12-28,0071,2025,120.00,
2025-01-05,023,2024,140.00,"late, sorry!"
2025-01-09,021,2025,40.00,
2025-01-17,023,2025,100.00,
2025-01-17,015,2025,35.50,rest follows
2025-01-30,030,2025,130.00,incl. donation
2025-02-02,007,2025,30.00,"second, smaller part"
2025-02-04,040,2025,50.00,
2025-02-14,021,2025,40.00,
2025-02-20,033,2024,80.00,
2025-03-01,040,2025,69.90,
'''
def setup(folder):
    (folder / 'members.csv').write_text(MEMBERS, encoding='utf-8')
    (folder / 'payments.csv').write_text(PAYMENTS, encoding='utf-8')
    (folder / 'reminder-letter.txt').write_text('Dear {name},\n\nyour subscription is still open: {open} EUR.\n', encoding='utf-8')
