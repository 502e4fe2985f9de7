import email
import email.policy
import mailbox


def save_attachments(files: str, folder: str) -> str:
    """Save the attachments of mails as files.

    files: the mails: names or patterns, separated by commas; eml or mbox
    folder: the folder for the attachments; of those with the same name all but the first get a number
    """
    found = []
    for each in _files(files):
        some = (
            [mail.as_bytes() for mail in mailbox.mbox(each, create=False)]
            if each.suffix.lower() == ".mbox"
            else [each.read_bytes()]
        )
        for data in some:
            for part in email.message_from_bytes(data, policy=email.policy.default).iter_attachments():
                if (name := part.get_filename()) and (content := part.get_payload(decode=True)) is not None:
                    found.append((_as_name(name) or "attachment", content))
    if not found:
        raise ValueError("These mails have no attachments")
    place, taken = _folder(folder), set()
    for name, content in found:
        goal, number = place / name, 2
        while goal.exists() or goal.name.casefold() in taken:
            goal, number = place / f"{Path(name).stem} ({number}){Path(name).suffix}", number + 1
        taken.add(goal.name.casefold())
        goal.write_bytes(content)
    return f"{_counted(len(found), 'attachment')} saved in {folder}"
