"""Requests, retries and errors, with both clients."""

import threading
import unittest

import errand

from service import APPLICATION, TOKEN, Asynchronous, Blocking, Reply, ServiceTest, error, execution

BASE = f"/v1/applications/{APPLICATION}/executions"


class Requests(ServiceTest):
    def test_create_sends_what_was_passed_and_nothing_else(self):
        self.service.reply_in_turn(Reply(201, {"execution": execution("QUEUED")}))
        created = self.value(self.make().executions.create("Find the price.", start_url="http://shop.example/"))
        self.assertEqual(created["status"], "QUEUED")
        [request] = self.service.received
        self.assertEqual((request.method, request.path), ("POST", BASE))
        self.assertEqual(request.json(), {"prompt": "Find the price.", "start_url": "http://shop.example/"})
        self.assertEqual(request.headers["authorization"], f"Bearer {TOKEN}")
        self.assertEqual(request.headers["content-type"], "application/json")

    def test_create_sends_the_recipe_and_its_values(self):
        self.service.reply_in_turn(Reply(201, {"execution": execution("QUEUED")}))
        self.value(self.make().executions.create("Order <n> mugs", recipe="8d0f", variables={"n": "3"}))
        [request] = self.service.received
        self.assertEqual(request.json(), {"prompt": "Order <n> mugs", "recipe": "8d0f", "variables": {"n": "3"}})

    def test_a_create_is_retried_with_the_same_idempotency_key(self):
        self.service.reply_in_turn(
            error(503, "UNAVAILABLE", {"retry-after": "0"}),
            Reply(0),
            error(429, "RATE_LIMITED", {"retry-after": "0"}),
            Reply(201, {"execution": execution("QUEUED")}),
        )
        self.value(self.make().executions.create("Find the price."))
        keys = {request.headers["idempotency-key"] for request in self.service.received}
        self.assertEqual((len(self.service.received), len(keys)), (4, 1))

    def test_two_creates_have_different_keys_unless_one_is_passed(self):
        self.service.answer = lambda _: Reply(201, {"execution": execution("QUEUED")})
        client = self.make()
        for key in (None, None, "order-42"):
            self.value(client.executions.create("Find the price.", idempotency_key=key))
        keys = [request.headers["idempotency-key"] for request in self.service.received]
        self.assertEqual((len(set(keys)), keys[2]), (3, "order-42"))

    def test_retries_end(self):
        self.service.answer = lambda _: error(503, "UNAVAILABLE", {"retry-after": "0"})
        with self.assertRaises(errand.Unavailable):
            self.value(self.make(max_retries=2).executions.get("id"))
        self.assertEqual(len(self.service.received), 3)

    def test_a_long_retry_after_is_left_to_the_caller(self):
        self.service.reply_in_turn(error(429, "RATE_LIMITED", {"retry-after": "3600"}))
        with self.assertRaises(errand.RateLimited) as raised:
            self.value(self.make().executions.get("id"))
        self.assertEqual(raised.exception.retry_after, 3600)
        self.assertEqual(len(self.service.received), 1)

    def test_an_answer_that_may_have_arrived_is_not_sent_again(self):
        for reply, raised in ((Reply(0), errand.ConnectionFailed), (error(503, "UNAVAILABLE"), errand.Unavailable)):
            self.service.received.clear()
            self.service.answer = lambda _, reply=reply: reply
            with self.assertRaises(raised):
                self.value(self.make().interactions.answer("id", "interaction", "approve"))
            self.assertEqual(len(self.service.received), 1)

    def test_each_code_has_its_class(self):
        codes = {
            (400, "INVALID_REQUEST"): errand.InvalidRequest,
            (400, "INVALID_CURSOR"): errand.InvalidCursor,
            (401, "UNAUTHENTICATED"): errand.Unauthenticated,
            (402, "INSUFFICIENT_CREDITS"): errand.InsufficientCredits,
            (403, "APPLICATION_MISMATCH"): errand.ApplicationMismatch,
            (404, "EXECUTION_NOT_FOUND"): errand.ExecutionNotFound,
            (409, "IDEMPOTENCY_KEY_REUSED"): errand.IdempotencyKeyReused,
            (409, "CONNECTION_REAUTHORIZATION_REQUIRED"): errand.ReauthorizationRequired,
            (410, "GONE"): errand.Gone,
            (500, "INTERNAL"): errand.InternalError,
            (409, "A_CODE_OF_THE_FUTURE"): errand.ApiError,
        }
        for (status, code), expected in codes.items():
            self.service.answer = lambda _, status=status, code=code: error(status, code)
            with self.assertRaises(errand.ApiError) as raised:
                self.value(self.make().executions.get("id"))
            found = raised.exception
            self.assertIs(type(found), expected)
            self.assertEqual((found.status, found.code, found.request_id), (status, code, "request-1"))

    def test_who_has_to_connect_again_gets_the_link(self):
        self.service.answer = lambda _: error(409, "CONNECTION_REAUTHORIZATION_REQUIRED")
        with self.assertRaises(errand.ReauthorizationRequired) as raised:
            self.value(self.make(redirect_uri="https://app.example/back").executions.create("Find the price."))
        authorization = raised.exception.authorization
        self.assertTrue(authorization.url.startswith(f"{self.service.url}/v1/oauth/authorize?"))
        self.assertIn("redirect_uri=https%3A%2F%2Fapp.example%2Fback", authorization.url)
        with self.assertRaises(errand.ReauthorizationRequired) as raised:
            self.value(self.make().executions.create("Find the price."))
        self.assertIsNone(raised.exception.authorization)

    def test_a_response_of_something_else_says_so(self):
        self.service.answer = lambda _: Reply(200, b"<h1>Hello</h1>", {"content-type": "text/html"})
        with self.assertRaisesRegex(errand.ConnectionFailed, "Is base_url the URL of an Errand service"):
            self.value(self.make().executions.get("id"))

    def test_a_redirect_is_not_followed(self):
        elsewhere = {"location": f"{self.service.url}/elsewhere"}
        self.service.answer = lambda _: Reply(302, {}, elsewhere)
        with self.assertRaises(errand.ApiError):
            self.value(self.make().executions.get("id"))
        self.assertEqual(len(self.service.received), 1)

    def test_a_response_that_is_cut_off_is_requested_again(self):
        whole = b'{"execution": {"id": "1"}}'
        self.service.reply_in_turn(
            Reply(200, chunks=[whole[:5], b"\0cut"]),
            Reply(200, whole),
        )
        self.assertEqual(self.value(self.make().executions.get("id")), {"id": "1"})

    def test_an_unreachable_service_is_named(self):
        client = self.make(base_url="http://127.0.0.1:1", max_retries=0)
        with self.assertRaisesRegex(errand.ConnectionFailed, "Could not reach http://127.0.0.1:1: .*refused"):
            self.value(client.executions.get("id"))

    def test_a_service_that_is_silent_times_out(self):
        released = threading.Event()
        self.addCleanup(released.set)
        self.service.answer = lambda _: Reply(0) if released.wait() else Reply(500)
        with self.assertRaises(errand.RequestTimedOut):
            self.value(self.make(timeout=0.2, max_retries=0).executions.get("id"))

    def test_an_id_cannot_lead_elsewhere(self):
        self.service.answer = lambda _: error(404, "EXECUTION_NOT_FOUND")
        with self.assertRaises(errand.ExecutionNotFound):
            self.value(self.make().executions.get("../../other?x=1"))
        self.assertEqual(self.service.received[0].path, f"{BASE}/..%2F..%2Fother%3Fx%3D1")

    def test_list_goes_through_the_pages(self):
        pages = {
            None: {"executions": [execution(id="1"), execution(id="2")], "has_more": True},
            "2": {"executions": [execution(id="3")], "has_more": False},
        }
        self.service.answer = lambda request: Reply(200, pages[request.query.get("after")])
        found = self.items(self.make().executions.list(status="COMPLETED", page_size=2))
        self.assertEqual([one["id"] for one in found], ["1", "2", "3"])
        self.assertEqual(self.service.received[0].query, {"limit": "2", "status": "COMPLETED"})

    def test_artifacts_are_downloaded_as_bytes(self):
        self.service.answer = lambda _: Reply(200, b"\x89PNG\0", {"content-type": "image/png"})
        self.assertEqual(self.value(self.make().artifacts.download("id", "artifact")), b"\x89PNG\0")

    def test_the_connection_is_that_of_the_token(self):
        self.service.answer = lambda _: Reply(200, {"connection": {"state": "ACTIVE"}})
        self.assertEqual(self.value(self.make().connection.get()), {"state": "ACTIVE"})
        self.assertEqual(self.service.received[0].path, "/v1/connection")

    def test_another_user_has_another_token(self):
        self.service.answer = lambda _: Reply(200, {"execution": execution()})
        self.value(self.make().with_access_token("other").executions.get("id"))
        self.assertEqual(self.service.received[0].headers["authorization"], "Bearer other")

    def test_a_missing_token_is_named_before_anything_is_sent(self):
        with self.assertRaisesRegex(errand.ErrandError, "access_token"):
            self.value(self.make(access_token=None).executions.get("id"))
        self.assertEqual(self.service.received, [])


class RequestsBlocking(Blocking, Requests):
    pass


class RequestsAsynchronous(Asynchronous, Requests):
    pass


del Requests, ServiceTest, Blocking, Asynchronous

if __name__ == "__main__":
    unittest.main()
