import email
import email.policy
import mailbox


def split_mailbox(source: str, folder: str) -> str:
    """Save each mail of a mailbox as a file of its own.

    source: the mailbox, mbox
    folder: the folder for the mails, eml, which get a number and their subject as a name
    """
    mails = [mail.as_bytes(unixfrom=False) for mail in mailbox.mbox(source, create=False)]
    if not mails:
        raise ValueError(f"{source} has no mail in it")
    pairs = []
    for number, data in enumerate(mails, 1):
        subject = str(email.message_from_bytes(data, policy=email.policy.default)["subject"] or "")
        name = _as_name(" ".join(subject.split()))[:60].strip()
        pairs.append((_free(Path(folder) / f"{number:0{max(3, len(str(len(mails))))}} {name or 'mail'}.eml"), data))
    for place, data in pairs:
        place.write_bytes(data)
    return f"{_counted(len(pairs), 'mail')} saved in {folder}"
