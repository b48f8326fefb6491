"""Verifying webhook messages (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Iterable, Protocol, Sequence, cast

from .errors import WebhookVerificationFailed
from .types import WebhookMessage

TOLERANCE_SECONDS = 300
SECRET_PREFIX = "whsec_"


class Headers(Protocol):
    """A dictionary, or the headers of any web framework. Upper and lower case do not matter."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify(
    raw_body: bytes | str,
    headers: Headers,
    secret: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE_SECONDS,
) -> WebhookMessage:
    """Checks the signature and the age of a message, and returns it.

    Pass the body exactly as it was received: parsed and serialized again, it would not match the signature. Messages can
    arrive more than once: remember the header `webhook-id` of those that you have handled. Several secrets are for the time
    in which one replaces the other.
    """
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    named = {name.lower(): value for name, value in headers.items()}
    try:
        message_id = named["webhook-id"]
        timestamp = named["webhook-timestamp"]
        signatures = named["webhook-signature"]
    except KeyError as error:
        raise WebhookVerificationFailed(f"The header {error.args[0]} is missing.") from None
    if not timestamp.isdecimal():
        raise WebhookVerificationFailed("The header webhook-timestamp is not a time.")
    if abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookVerificationFailed("The message is too old, or the clock of this machine is wrong.")
    signed = f"{message_id}.{timestamp}.".encode() + body
    # While a secret is rotated, there are two signatures.
    sent = [entry.removeprefix("v1,").encode() for entry in signatures.split() if entry.startswith("v1,")]
    keys = [read_secret(one) for one in ([secret] if isinstance(secret, str) else secret)]
    valid = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    if not any(hmac.compare_digest(one, other) for one in sent for other in valid):
        raise WebhookVerificationFailed("The signature does not match. Check the secret, and pass the body as it arrived.")
    return cast(WebhookMessage, json.loads(body))


def read_secret(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error:
        key = b""
    # Anybody can sign with an empty key.
    if not key:
        raise ValueError(f"This is not the secret of a webhook, which looks like {SECRET_PREFIX}….")
    return key
