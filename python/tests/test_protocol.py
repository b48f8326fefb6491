"""Retries and server-sent events, without any I/O."""

import unittest
from email.utils import formatdate
from time import time

from errand._protocol import EventParser, Failure, RetryPolicy, parse_retry_after
from errand.errors import ConnectionFailed

LOST = Failure(ConnectionFailed("lost"))
REFUSED = Failure(ConnectionFailed("refused", sent=False), has_arrived=False)


def response(status, retry_after=None):
    return Failure(ConnectionFailed("…"), status, retry_after)


class RetryTest(unittest.TestCase):
    def setUp(self):
        self.policy = RetryPolicy(3)

    def test_what_passes_is_retried(self):
        for status in (429, 502, 503, 504):
            self.assertIsNotNone(self.policy.delay(0, response(status), repeatable=True))
        for status in (302, 400, 401, 402, 404, 409, 500):
            self.assertIsNone(self.policy.delay(0, response(status), repeatable=True))

    def test_what_must_not_happen_twice_is_retried_only_if_it_did_not_happen(self):
        cases = [(LOST, False), (REFUSED, True), (response(429), True), (response(503), False)]
        for failure, expected in cases:
            self.assertEqual(self.policy.delay(0, failure, repeatable=False) is not None, expected)

    def test_delays_grow_to_a_limit(self):
        for attempt, longest in ((0, 0.5), (1, 1), (2, 2), (3, 4), (4, 8), (5, 8), (100, 8)):
            delay = RetryPolicy(1000).delay(attempt, LOST, repeatable=True)
            self.assertTrue(longest / 2 <= delay <= longest, (attempt, delay))

    def test_retry_after_is_honoured_up_to_a_minute(self):
        delay = self.policy.delay(0, response(429, 30.0), repeatable=True)
        self.assertTrue(30.0 <= delay <= 30.5)
        self.assertIsNone(self.policy.delay(0, response(429, 61.0), repeatable=True))

    def test_the_last_attempt_is_final(self):
        self.assertIsNone(self.policy.delay(3, LOST, repeatable=True))

    def test_retry_after_is_a_number_or_a_date(self):
        self.assertEqual(parse_retry_after("7"), 7.0)
        self.assertAlmostEqual(parse_retry_after(formatdate(time() + 40, usegmt=True)), 40, delta=5)
        self.assertEqual(parse_retry_after(formatdate(time() - 40, usegmt=True)), 0.0)
        for value in (None, "", "soon", "-1", "99999999999999999999 GMT"):
            self.assertIn(parse_retry_after(value), (None, 0.0))


class EventParserTest(unittest.TestCase):
    TEXT = 'id: 1\r\nevent: step\r\ndata: {"a":\r\ndata: "ü"}\r\n\r\n: comment\n\nid: 2\ndata:x\n\nevent: lost\rdata: y\r\rid: 3\ndata: z'

    def test_events_are_the_same_however_the_bytes_are_cut(self):
        content = self.TEXT.encode()
        whole = EventParser().feed(content)
        self.assertEqual(
            [(one.id, one.type, one.data) for one in whole],
            [("1", "step", '{"a":\n"ü"}'), ("2", "message", "x"), ("2", "lost", "y")],
        )
        for size in (1, 2, 3, 7):
            parser = EventParser()
            chunks = [content[start : start + size] for start in range(0, len(content), size)]
            self.assertEqual([one for chunk in chunks for one in parser.feed(chunk)], whole)


if __name__ == "__main__":
    unittest.main()
