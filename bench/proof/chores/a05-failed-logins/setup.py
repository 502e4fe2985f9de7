OLD = '''Mar  1 23:58:01 hel sshd[811]: Failed password for root from 192.0.2.71 port 40022 ssh2
Mar  2 06:12:40 hel sshd[902]: Failed password for invalid user admin from 192.0.2.72 port 51144 ssh2
Mar  3 00:00:07 hel sshd[1001]: Failed password for root from 203.0.113.5 port 33010 ssh2
Mar  3 00:00:09 hel sshd[1001]: Failed password for root from 203.0.113.5 port 33010 ssh2
Mar  3 00:41:30 hel sshd[1010]: Accepted publickey for ines from 198.51.100.8 port 60222 ssh2: RSA SHA256:q1w2
Mar  3 01:17:55 hel sshd[1015]: Failed password for invalid user test from 203.0.113.50 port 4410 ssh2
Mar  3 02:20:18 hel sshd[1021]: Failed password for git from 203.0.113.51 port 4599 ssh2
'''
NEW = '''Mar  3 07:02:11 hel CRON[1190]: pam_unix(cron:session): session opened for user root by (uid=0)
Mar  3 07:30:00 hel sshd[1201]: Failed password for jonas from 198.51.100.7 port 52001 ssh2
Mar  3 07:30:08 hel sshd[1201]: Accepted password for jonas from 198.51.100.7 port 52001 ssh2
Mar  3 08:15:20 hel sshd[1222]: Failed password for ines from 198.51.100.77 port 52110 ssh2
Mar  3 08:20:31 hel sshd[1230]: Accepted password for ines from 192.0.2.10 port 52133 ssh2
Mar  3 09:00:00 hel sshd[1244]: Connection closed by 192.0.2.44 port 39000 [preauth]
Mar  3 09:45:12 hel sshd[1250]: Failed password for root from 203.0.113.5 port 33912 ssh2
Mar  3 11:11:11 hel sshd[1302]: message repeated 2 times: [ Failed password for root from 192.0.2.99 port 20022 ssh2]
Mar  3 12:30:47 hel sshd[1333]: Failed publickey for ines from 198.51.100.200 port 41000 ssh2: RSA SHA256:z9y8
Mar  3 13:37:00 hel sshd[1340]: Failed password for invalid user oracle from 2001:db8::7 port 50505 ssh2
Mar  3 15:02:59 hel sshd[1377]: Failed password for ines from 198.51.100.8 port 60300 ssh2
Mar  3 18:00:10 hel sudo: pam_unix(sudo:auth): authentication failure; logname=jonas uid=1000 rhost= user=jonas
Mar  4 00:00:02 hel sshd[1502]: Failed password for root from 192.0.2.120 port 31000 ssh2
Mar  4 08:01:00 hel sshd[1550]: Accepted password for ines from 198.51.100.77 port 52444 ssh2
Mar 13 10:10:10 hel sshd[2101]: Failed password for root from 192.0.2.33 port 31337 ssh2
Mar 30 03:03:03 hel sshd[2902]: Failed password for root from 192.0.2.34 port 30303 ssh2
'''
OTHER = '''Mar  3 10:00:00 hel kernel: [    1.0] usb 1-1: new device
Mar  3 10:00:05 hel dovecot: imap-login: Disconnected (auth failed, 1 attempts): user=<ines>, rip=192.0.2.201
'''
def setup(folder):
    d = folder / 'var' / 'log'
    d.mkdir(parents=True)
    (d / 'auth.log.1').write_text(OLD)
    (d / 'auth.log').write_text(NEW)
    (d / 'syslog').write_text(OTHER)
