import email
import email.header


def check_save_attachments(start, end, files, folder):
    wanted = []
    for path in _meant(start, files):
        data = (start / path).read_bytes()
        for piece in _mails(data) if path.lower().endswith(".mbox") else [data]:
            for part in email.message_from_bytes(piece).walk():
                name = part.get_filename()
                if name and part.get_content_maintype() != "multipart":
                    name = str(email.header.make_header(email.header.decode_header(name)))
                    wanted.append(
                        (
                            "".join("_" if mark in '\\/:*?"<>|\r\n' else mark for mark in name).strip(". "),
                            part.get_payload(decode=True),
                        )
                    )
    before = _in(start, folder)
    left = {path: data for path, data in _in(end, folder).items() if path not in before}
    for name, content in wanted:
        stem, ending = os.path.splitext(name)
        fit = sorted((each for each in left if _is_copy(each, stem, ending)), key=lambda each: (len(each), each))
        assert fit and left.pop(fit[0]) == content, f"{name} was not saved as it is"
    assert not left, f"{sorted(left)[0]} is no attachment"
    assert all(name in _in(end, folder) for name, _ in wanted), "a number was given without need"
    return True, f"{_counted(len(wanted), 'attachment')} compared"
