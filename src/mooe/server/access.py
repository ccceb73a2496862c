"""Who may ask: an address that others can reach needs a token; pages of other sites may not."""

import hmac
import ipaddress
import os
from functools import lru_cache
from pathlib import Path

from mooe.server.problems import OtherSiteError, TokenError

Headers = dict[bytes, bytes]


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0"), is_local("::1")
    (True, True, False, True)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def token_of(file: Path | None) -> str | None:
    """Return the token of a file, or of MOOE_TOKEN; None for none; or raise ValueError."""
    if file is None:
        token = os.environ.get("MOOE_TOKEN", "").strip()
        return token or None
    token = file.read_text(encoding="utf-8").strip()
    if not token:
        raise ValueError(f"token file must hold a token, got nothing in {str(file)!r}")
    return token


def check_address(host: str, token: str | None) -> None:
    """Raise ValueError for a public address without a token."""
    if token is None and not is_local(host):
        raise ValueError(
            f"host must be 127.0.0.1 without a token, got {host!r}: others could reach it; set "
            "MOOE_TOKEN or --token-file"
        )


def check_token(headers: Headers, token: bytes) -> None:
    """Raise TokenError unless a request has the token; takes the same time always."""
    kind, _, given = headers.get(b"authorization", b"").partition(b" ")
    if not hmac.compare_digest(given.strip(), token) or kind.lower() != b"bearer":
        raise TokenError("a bearer token must be sent, and be the right one")


def check_site(method: str, headers: Headers) -> None:
    """Raise OtherSiteError where a page of another site would change something here."""
    if method != "GET" and headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site"):
        raise OtherSiteError("pages of other sites must not send anything here")


def check_host(headers: Headers) -> None:
    """Raise OtherSiteError where a request is for a name that is not this machine's own.

    A page of another site may let its own name point here (DNS rebinding); its browser then takes
    the server for a part of that site, and reads what it answers.
    """
    host = headers.get(b"host", b"")
    if host and not _names_this_machine(host):
        raise OtherSiteError(
            f"host must be this machine's own without a token, got {host.decode('latin-1')!r:.80}; "
            "ask for 127.0.0.1 or localhost; behind a proxy, or for another name of this machine, "
            "set a token (MOOE_TOKEN or --token-file)"
        )


@lru_cache(1024)
def _names_this_machine(host: bytes) -> bool:
    """Whether the Host of a request, which may have a port, is an address of this machine's own.

    >>> [_names_this_machine(h) for h in (b"localhost:80", b"[::1]:80", b"evil.org", b"localhost.")]
    [True, True, False, True]
    """
    name, colon, port = host.decode("latin-1").lower().rpartition(":")
    if not colon or not port.isdigit():
        name = host.decode("latin-1").lower()
    return is_local(name.removeprefix("[").removesuffix("]").removesuffix("."))
