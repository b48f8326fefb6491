"""The authorization code flow with both clients, and the signatures of webhooks."""

import base64
import hashlib
import hmac
import json
import time
import unittest
from urllib.parse import parse_qs, urlsplit

import errand
from errand import webhooks

from service import APPLICATION, Asynchronous, Blocking, Reply, ServiceTest

REDIRECT = "http://127.0.0.1:3000/callback"
TOKEN = {"access_token": "t", "token_type": "Bearer", "connection_id": "c", "user_id": "u"}


class OAuthFlow(ServiceTest):
    def test_the_link_has_a_challenge_for_the_verifier(self):
        request = self.make(redirect_uri=REDIRECT).oauth.authorization_url(login_hint="you@example.com")
        query = {name: values[0] for name, values in parse_qs(urlsplit(request.url).query).items()}
        challenge = base64.urlsafe_b64encode(hashlib.sha256(request.code_verifier.encode()).digest()).rstrip(b"=")
        self.assertEqual(
            query,
            {
                "response_type": "code",
                "client_id": APPLICATION,
                "redirect_uri": REDIRECT,
                "state": request.state,
                "code_challenge": challenge.decode(),
                "code_challenge_method": "S256",
                "login_hint": "you@example.com",
            },
        )
        self.assertGreaterEqual(len(request.code_verifier), 43)
        self.assertNotIn(request.code_verifier, repr(request))

    def test_a_public_application_exchanges_the_code_with_its_id(self):
        self.service.answer = lambda _: Reply(200, TOKEN)
        client = self.make(redirect_uri=REDIRECT, access_token=None)
        token = self.value(client.oauth.exchange("/callback?code=abc&state=s", state="s", code_verifier="v"))
        self.assertEqual(token, TOKEN)
        [request] = self.service.received
        self.assertEqual(
            request.form(),
            {
                "grant_type": "authorization_code",
                "code": "abc",
                "redirect_uri": REDIRECT,
                "client_id": APPLICATION,
                "code_verifier": "v",
            },
        )
        self.assertNotIn("authorization", request.headers)

    def test_a_confidential_application_authenticates_with_its_secret(self):
        self.service.answer = lambda _: Reply(200, TOKEN)
        client = self.make(redirect_uri=REDIRECT, client_secret="a:b c")
        self.value(client.oauth.exchange(f"{REDIRECT}?code=abc&state=s", state="s", code_verifier="v"))
        [request] = self.service.received
        expected = base64.b64encode(f"{APPLICATION}:a%3Ab+c".encode()).decode()
        self.assertEqual(request.headers["authorization"], f"Basic {expected}")
        self.assertNotIn("client_id", request.form())

    def test_a_wrong_state_or_a_refusal_sends_nothing(self):
        cases = {"?code=abc&state=other": "invalid_request", "?code=abc": "invalid_request"}
        cases |= {"?error=access_denied&state=s": "access_denied", "?state=s": "invalid_request"}
        for query, code in cases.items():
            with self.assertRaises(errand.OAuthError) as raised:
                exchange = self.make(redirect_uri=REDIRECT).oauth.exchange
                self.value(exchange(f"{REDIRECT}{query}", state="s", code_verifier="v"))
            self.assertEqual(raised.exception.code, code)
        self.assertEqual(self.service.received, [])

    def test_a_used_code_is_an_error_and_is_not_sent_again(self):
        body = {"error": "invalid_grant", "error_description": "The code was used."}
        for reply in (Reply(400, body), Reply(0)):
            self.service.received.clear()
            self.service.answer = lambda _, reply=reply: reply
            with self.assertRaises(errand.ErrandError):
                exchange = self.make(redirect_uri=REDIRECT).oauth.exchange
                self.value(exchange("?code=abc&state=s", state="s", code_verifier="v"))
            self.assertEqual(len(self.service.received), 1)

    def test_revoking_sends_the_token(self):
        self.service.answer = lambda _: Reply(200, {})
        self.value(self.make().oauth.revoke("old"))
        self.assertEqual(self.service.received[0].form(), {"token": "old", "client_id": APPLICATION})


class OAuthBlocking(Blocking, OAuthFlow):
    pass


class OAuthAsynchronous(Asynchronous, OAuthFlow):
    pass


KEY = b"a key of some length"
SECRET = f"whsec_{base64.b64encode(KEY).decode()}"
BODY = json.dumps({"type": "ping", "timestamp": "2026-03-11T10:00:00.000Z", "data": {"application_id": "a"}}).encode()


def sign(body=BODY, key=KEY, at=None):
    timestamp = str(int(time.time() if at is None else at))
    signed = b"msg_1." + timestamp.encode() + b"." + body
    signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": timestamp, "Webhook-Signature": f"v1,{signature}"}


class WebhookTest(unittest.TestCase):
    def test_a_signed_message_is_returned(self):
        message = webhooks.verify(BODY, sign(), SECRET)
        self.assertEqual(message["type"], "ping")
        self.assertEqual(webhooks.verify(BODY.decode(), sign(), SECRET), message)

    def test_one_of_several_signatures_or_secrets_is_enough(self):
        headers = sign()
        headers["Webhook-Signature"] = f"v1a,xyz v1,bm8= {headers['Webhook-Signature']}"
        other = f"whsec_{base64.b64encode(b'another key').decode()}"
        self.assertEqual(webhooks.verify(BODY, headers, [other, SECRET])["type"], "ping")

    def test_everything_else_is_refused(self):
        now = time.time()
        unsigned = {**sign(), "Webhook-Signature": "v1,"}
        cases = [
            (BODY + b" ", sign(), SECRET),
            (BODY, sign(key=b"other"), SECRET),
            (BODY, unsigned, SECRET),
            (BODY, {**sign(), "Webhook-Signature": sign()["Webhook-Signature"].replace("v1,", "v2,")}, SECRET),
            (BODY, {**sign(), "Webhook-Id": "msg_2"}, SECRET),
            (BODY, sign(at=now - 301), SECRET),
            (BODY, sign(at=now + 310), SECRET),
            (BODY, {**sign(), "Webhook-Timestamp": "now"}, SECRET),
            (BODY, {}, SECRET),
            (BODY, sign(), []),
        ]
        for body, headers, secret in cases:
            with self.assertRaises(errand.WebhookVerificationFailed):
                webhooks.verify(body, headers, secret)

    def test_a_secret_of_something_else_is_a_mistake_of_the_caller(self):
        for secret in ("not base64!", "", "whsec_"):
            with self.assertRaisesRegex(ValueError, "whsec_"):
                webhooks.verify(BODY, sign(key=b""), secret)


del OAuthFlow, ServiceTest, Blocking, Asynchronous

if __name__ == "__main__":
    unittest.main()
