"""https with an owner's certificate: refused where its key is everybody's, read again when it was renewed."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from hub import app, supervisor
from hub.config import Config, HubPart, WebPart
from hub.errors import ConfigError
from phone_ui.limits import Limits
from phone_ui.tls import HSTS_SECONDS, Certificate, check_tls
from tests.patience import PATIENCE
from tests.phone_ui.rig import until

pytestmark = [
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
    pytest.mark.real_chance,
    pytest.mark.real_time,
]


def write(folder: Path, name: str, *, cert: str = "cert.pem", key: str = "key.pem") -> None:
    """Write a certificate for `name`, signed by itself, and its key."""
    options = [
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
        "-subj",
        f"/CN={name}",
    ]
    subprocess.run(
        ["openssl", "req", "-x509", *options, "-keyout", key, "-out", cert], cwd=folder, check=True, capture_output=True
    )
    (folder / key).chmod(0o600)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "first.example")
    return tmp_path


def test_a_key_that_everybody_on_the_machine_reads_is_refused(folder: Path) -> None:
    check_tls(f"{folder / 'cert.pem'}", f"{folder / 'key.pem'}")
    (folder / "key.pem").chmod(0o640)  # a group of the hub's own
    check_tls(f"{folder / 'cert.pem'}", f"{folder / 'key.pem'}")
    (folder / "key.pem").chmod(0o644)
    with pytest.raises(ConfigError, match=r"everybody on this machine can read this key; fix: chmod o-r"):
        check_tls(f"{folder / 'cert.pem'}", f"{folder / 'key.pem'}")


class SecureHub:
    """A whole hub with https, as it runs."""

    def __init__(self, folder: Path, *, secure: bool, limits: Limits | None = None) -> None:
        web = WebPart(host="127.0.0.1", port=0)
        if secure:
            web = replace(web, tls_cert=f"{folder / 'cert.pem'}", tls_key=f"{folder / 'key.pem'}")
        self.secure = secure
        self.hub = app.Hub(Config(hub=HubPart(state=f"{folder / 'state'}"), web=web), limits=limits)
        self.hub.start()
        self.waiting = threading.Thread(target=self.hub.wait)
        self.waiting.start()

    def close(self) -> None:
        self.hub.stop()
        self.waiting.join(10)
        self.hub.close()

    def ask(self, path: str = "/up") -> tuple[bytes, bytes]:
        """Return the certificate that a new connection is shown, and the answer to a request."""
        assert self.hub.web
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        plain = socket.create_connection(("127.0.0.1", self.hub.web.port), timeout=10)
        with context.wrap_socket(plain) if self.secure else plain as line:
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while piece := line.recv(65536):
                answer += piece
            shown = line.getpeercert(binary_form=True) if isinstance(line, ssl.SSLSocket) else b""
            return shown or b"", answer


@pytest.fixture
def secure(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SecureHub]:
    monkeypatch.setattr(supervisor, "CHECK_SECONDS", 0.05)
    made = SecureHub(folder, secure=True)
    yield made
    made.close()


@pytest.mark.broker
def test_a_renewed_certificate_is_used_without_a_restart(secure: SecureHub, folder: Path) -> None:
    first, answer = secure.ask()
    assert b"first.example" in first
    assert answer.startswith(b"HTTP/1.1 204")
    write(folder, "second.example", cert="new.pem", key="new.key")
    (folder / "new.key").replace(folder / "key.pem")
    (folder / "new.pem").replace(folder / "cert.pem")

    def is_renewed() -> bool:
        with suppress(OSError):  # a handshake in that very moment may be cut; a browser tries again
            return b"second.example" in secure.ask()[0]
        return False

    until(is_renewed, "the new certificate")


@pytest.mark.broker
def test_a_certificate_that_cannot_be_used_leaves_the_last_one_and_a_sentence(
    secure: SecureHub, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key = (folder / "key.pem").read_bytes()
    (folder / "key.pem").write_bytes(b"half")
    until(lambda: "The new certificate is not used" in caplog.text, "the sentence")
    assert b"first.example" in secure.ask()[0]
    assert b"HTTP/1.1 204" in secure.ask()[1]
    assert caplog.text.count("The new certificate is not used") == 1, "once, not with each look"
    (folder / "key.pem").write_bytes(key)
    assert Certificate(f"{folder / 'cert.pem'}", f"{folder / 'key.pem'}").renew() is False


@pytest.mark.broker
def test_browsers_that_came_over_https_are_told_to_stay_there(secure: SecureHub) -> None:
    assert f"strict-transport-security: max-age={HSTS_SECONDS}".encode() in secure.ask("/")[1].lower()


@pytest.mark.broker
def test_plain_http_promises_nothing(tmp_path: Path) -> None:
    hub = SecureHub(tmp_path, secure=False)
    try:
        assert b"strict-transport-security" not in hub.ask("/")[1].lower()
    finally:
        hub.close()


STRANGER, OTHER = "127.0.0.66", "127.0.0.67"


def half_open(port: int, address: str) -> socket.socket:
    """A connection that never ends its TLS handshake: the first bytes of a ClientHello, and no more."""
    opened = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE, source_address=(address, 0))
    opened.sendall(b"\x16\x03\x01\x02\x00\x01")
    return opened


def ends(opened: socket.socket) -> bool:
    """Whether the hub has ended the connection by the time that a test waits."""
    try:
        return opened.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_handshake_that_does_not_end_has_a_place_and_only_so_long(folder: Path) -> None:
    limits = Limits(connections_each_address=3, head_seconds=1.5)
    served = SecureHub(folder, secure=True, limits=limits)
    try:
        web = served.hub.web
        assert web is not None
        with contextlib.ExitStack() as many:
            held = [many.enter_context(half_open(web.port, STRANGER)) for _ in range(3)]
            until(lambda: web.connections == 3, "three places")
            one_more = many.enter_context(half_open(web.port, STRANGER))
            many.enter_context(half_open(web.port, OTHER))
            until(lambda: web.connections == 4, "a place of another network, and none for one more of this")
            assert ends(one_more)
            assert all(ends(one) for one in held)
            until(lambda: web.connections == 0, "the end of all of them")
    finally:
        served.close()


def test_what_comes_with_the_end_of_the_handshake_is_answered(folder: Path) -> None:
    served = SecureHub(folder, secure=True)
    try:
        assert served.hub.web is not None
        context = ssl.create_default_context(cafile=str(folder / "cert.pem"))
        context.check_hostname = False
        for _ in range(20):
            ours, theirs = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = context.wrap_bio(theirs, ours)
            with socket.create_connection(
                ("127.0.0.1", served.hub.web.port), timeout=PATIENCE, source_address=(OTHER, 0)
            ) as raw:
                while True:
                    try:
                        tls.do_handshake()
                        break
                    except ssl.SSLWantReadError:
                        raw.sendall(ours.read())
                        theirs.write(raw.recv(65536))
                tls.write(b"GET /up HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                raw.sendall(ours.read())  # the end of the handshake and the request in one
                answer = b""
                while b"\r\n" not in answer:
                    try:
                        answer += tls.read(100)
                    except ssl.SSLWantReadError:
                        theirs.write(raw.recv(65536))
                assert answer.startswith(b"HTTP/1.1 204")
    finally:
        served.close()


def hand_shake(port: int, address: str, cert: Path, patience: float) -> bool:
    """Whether a handshake from that address comes to its end so soon; then a page is answered, too."""
    context = ssl.create_default_context(cafile=str(cert))
    context.check_hostname = False
    with socket.create_connection(("127.0.0.1", port), timeout=patience, source_address=(address, 0)) as raw:
        try:
            with context.wrap_socket(raw) as tls:
                tls.sendall(b"GET /up HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                assert tls.recv(100).startswith(b"HTTP/1.1 204"), "it is not counted a second time"
        except (TimeoutError, OSError):
            return False
    return True


def test_handshakes_of_strangers_come_at_a_pace(folder: Path) -> None:
    limits = Limits(arrivals_each_second=0.001, arrivals_burst=3.0, head_seconds=1.0)
    served = SecureHub(folder, secure=True, limits=limits)
    try:
        assert served.hub.web is not None
        port, cert = served.hub.web.port, folder / "cert.pem"
        assert [hand_shake(port, STRANGER, cert, PATIENCE) for _ in range(3)] == [True] * 3
        begun = time.monotonic()
        assert not hand_shake(port, STRANGER, cert, PATIENCE), "one too many"
        assert time.monotonic() - begun < PATIENCE / 2, "and ended, not held"
        assert hand_shake(port, OTHER, cert, PATIENCE), "another network does not wait for it"
    finally:
        served.close()
