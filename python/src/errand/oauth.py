"""How users connect: the authorization code flow with PKCE (RFC 7636)."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

from .errors import OAuthError


@dataclass(frozen=True)
class AuthorizationRequest:
    """Where to send the user, and what to keep (in the user's session) until they come back."""

    url: str
    state: str
    code_verifier: str = field(repr=False)
    """A secret until the user is back: errors and their requests are logged."""
    redirect_uri: str


def make_authorization(
    base_url: str, application_id: str, redirect_uri: str, state: str | None, login_hint: str | None
) -> AuthorizationRequest:
    state = state or secrets.token_urlsafe(32)
    code_verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(code_verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code",
        "client_id": application_id,
        "redirect_uri": redirect_uri,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        **({} if login_hint is None else {"login_hint": login_hint}),
    }
    return AuthorizationRequest(f"{base_url}/v1/oauth/authorize?{urlencode(query)}", state, code_verifier, redirect_uri)


def read_callback(callback_url: str, state: str) -> str:
    """The code. Raises if the user refused, or if this is not the answer to the request with this state."""
    query = parse_qs(urlsplit(callback_url).query)

    def find(name: str) -> str | None:
        return query[name][0] if name in query else None

    if not secrets.compare_digest((find("state") or "").encode(), state.encode()):
        raise OAuthError("invalid_request", "The state is not that of the request. Start again with a new link.")
    error, code = find("error"), find("code")
    if error is not None:
        raise OAuthError(error, find("error_description") or error)
    if code is None:
        raise OAuthError("invalid_request", "The callback has no code.")
    return code
