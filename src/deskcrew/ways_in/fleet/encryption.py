"""Encryption of the traffic between nodes: one certificate authority for a fleet, one certificate for each machine.

Ray checks both sides of each connection, so a machine without a certificate of this authority reaches no node. Both files
hold a private key and a certificate, and lie where Ray keeps the fleet's token.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import psutil
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from deskcrew.errors import UsageError
from deskcrew.facts.liveness import write_private

FOLDER = ".ray"
"""The folder of the token, in a person's home."""
AUTHORITY = "fleet-authority.pem"
LASTS, LEFT = timedelta(days=3650), timedelta(days=30)
"""How long a certificate is valid; and the minimum validity left when a node starts, below which a new one is made."""
SKEW = timedelta(days=1)
"""How much the clocks of machines may differ."""


def encrypted(*, join: bool) -> dict[str, str]:
    """Ray's environment variables for TLS, with this machine's certificate; {} if the environment sets them itself. On the
    head, a missing authority is created. Raises UsageError if it is missing on a machine that joins, or cannot be read."""
    if "RAY_USE_TLS" in os.environ:
        return {}
    folder = Path.home() / FOLDER
    file = folder / AUTHORITY
    if not file.is_file():
        if join:
            hint = f"Copy the head's {file}, and auth_token beside it, to the same place here, readable by you alone."
            raise UsageError("This machine does not have the fleet's certificate authority.", hint=hint)
        folder.mkdir(exist_ok=True, mode=0o700)
        _created(file)
    key, authority = _read(file)
    own = folder / f"{socket.gethostname()}.pem"
    if not (own.is_file() and _holds(own, authority)):
        write_private(own, _of_machine(key, authority, _names()))
    return {
        "RAY_USE_TLS": "1",
        "RAY_TLS_SERVER_CERT": str(own),
        "RAY_TLS_SERVER_KEY": str(own),
        "RAY_TLS_CA_CERT": str(file),
    }


def _created(file: Path) -> None:
    """Write a new authority, unless another process has done so meanwhile."""
    key, name = ec.generate_private_key(ec.SECP256R1()), _name("Deskcrew fleet")
    made = _certificate(name, name, key.public_key()).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    new = file.with_suffix(f".{os.getpid()}.new")
    write_private(new, _pem(key, made.sign(key, hashes.SHA256())))
    with suppress(FileExistsError):
        file.hardlink_to(new)
    new.unlink()


def _read(file: Path) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    try:
        data = file.read_bytes()
        key = serialization.load_pem_private_key(data, password=None)
        certificate = x509.load_pem_x509_certificate(data)
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} cannot be read: {error}", hint="Copy that of the fleet's head again.") from error
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise UsageError(f"{file} is not an authority of a fleet.", hint="Copy that of the fleet's head again.")
    return key, certificate


def _holds(own: Path, authority: x509.Certificate) -> bool:
    """Whether a machine's certificate was issued by this authority, is valid long enough, and has all current addresses."""
    try:
        certificate = x509.load_pem_x509_certificate(own.read_bytes())
        certificate.verify_directly_issued_by(authority)
        named = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
        return False
    return certificate.not_valid_after_utc - datetime.now(UTC) > LEFT and set(_names()) <= set(named)


def _names() -> list[x509.GeneralName]:
    """The names and addresses by which this machine can be reached."""
    found = {each.address.partition("%")[0] for all_ in psutil.net_if_addrs().values() for each in all_}
    found |= {"127.0.0.1", "127.0.0.2", "::1"}
    addresses: list[x509.GeneralName] = []
    for each in sorted(found):
        with suppress(ValueError):  # an address of hardware
            addresses.append(x509.IPAddress(ip_address(each)))
    return [x509.DNSName("localhost"), x509.DNSName(socket.gethostname()), *addresses]


def _of_machine(key: ec.EllipticCurvePrivateKey, authority: x509.Certificate, names: Iterable[x509.GeneralName]) -> str:
    own = ec.generate_private_key(ec.SECP256R1())
    purposes = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    made = _certificate(_name(socket.gethostname()[:64]), authority.subject, own.public_key())
    made = made.add_extension(x509.SubjectAlternativeName(names), critical=False).add_extension(purposes, critical=False)
    return _pem(own, made.sign(key, hashes.SHA256()))


def _certificate(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    return made.serial_number(x509.random_serial_number()).not_valid_before(now - SKEW).not_valid_after(now + LASTS)


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _pem(key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> str:
    plain = serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    return (secret + certificate.public_bytes(serialization.Encoding.PEM)).decode()
