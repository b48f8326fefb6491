"""Events that are resumed, and waiting for an execution, with both clients."""

import dataclasses
import json
import unittest

import errand

from service import APPLICATION, CUT, Asynchronous, Blocking, Reply, ServiceTest, error, execution

BASE = f"/v1/applications/{APPLICATION}/executions"
ID = execution()["id"]


def event(number, kind="step", **data):
    return {"id": number, "type": kind, "at": "2026-03-11T10:00:00.000Z", "data": data}


def stream(*events):
    return [f"id: {one['id']}\nevent: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events]


@dataclasses.dataclass
class Product:
    price: float


class Waiting(ServiceTest):
    """`script` maps the end of a path to the replies to it, one after the other; the last one stays."""

    def play(self, **script):
        left = {name: list(replies) for name, replies in script.items()}

        def answer(request):
            name = request.path.removeprefix(BASE).removeprefix(f"/{ID}").strip("/") or (
                "create" if request.method == "POST" else "get"
            )
            replies = left[name]
            return replies.pop(0) if len(replies) > 1 else replies[0]

        self.service.answer = answer

    def sent(self, ending):
        return [request for request in self.service.received if request.path.endswith(ending)]

    def test_events_are_resumed_where_the_connection_was_cut(self):
        first = stream(event(1, "execution.queued"), event(2), event(3))
        # The third one has arrived only in part.
        cut = Reply(200, chunks=[b": connected\n\n", *first[:2], first[2][:20], CUT])
        again = stream(event(2), event(3), event(4, "execution.completed"))
        self.play(events=[cut, error(503, "UNAVAILABLE", {"retry-after": "0"}), Reply(200, chunks=again)])
        events = self.items(self.make().executions.events(ID))
        self.assertEqual([one["id"] for one in events], [1, 2, 3, 4])
        resumed = [request.headers.get("last-event-id") for request in self.sent("/events")]
        self.assertEqual(resumed, [None, "2", "2"])

    def test_a_stream_that_ends_early_is_resumed(self):
        early = Reply(200, chunks=stream(event(1, "execution.started")))
        rest = Reply(200, chunks=stream(event(2, "execution.failed")))
        self.play(events=[early, rest])
        self.assertEqual([one["id"] for one in self.items(self.make().executions.events(ID))], [1, 2])

    def test_there_is_nothing_after_the_last_event(self):
        self.play(events=[Reply(200, chunks=[b": connected\n\n"])], get=[Reply(200, {"execution": execution()})])
        self.assertEqual(self.items(self.make().executions.events(ID, after=9)), [])
        self.assertEqual(self.sent("/events")[0].headers["last-event-id"], "9")

    def test_events_of_an_unknown_execution_are_an_error(self):
        self.play(events=[error(404, "EXECUTION_NOT_FOUND")])
        with self.assertRaises(errand.ExecutionNotFound):
            self.items(self.make().executions.events(ID))

    def test_events_of_a_service_that_is_gone_are_an_error(self):
        self.play(events=[Reply(0)])
        with self.assertRaises(errand.ConnectionFailed):
            self.items(self.make(max_retries=1).executions.events(ID))
        self.assertEqual(len(self.sent("/events")), 2)

    def test_create_and_wait_returns_the_result_in_its_class(self):
        done = execution()
        done["result"]["extracted"] = {"price": 64.9}
        self.play(
            create=[Reply(201, {"execution": execution("QUEUED")})],
            get=[Reply(200, {"execution": execution("RUNNING")}), Reply(200, {"execution": done})],
        )
        result = self.value(self.make().executions.create_and_wait("Find the price.", output=Product))
        self.assertEqual(result.extracted, Product(price=64.9))
        self.assertEqual((result.id, result.final_text), (ID, "€64.90"))
        self.assertTrue(result.evidence["verifier"]["agreed"])
        schema = self.service.received[0].json()["output_schema"]
        self.assertEqual(schema["properties"], {"price": {"type": "number"}})
        self.assertEqual(self.service.received[1].query, {"wait": "25"})

    def test_steps_are_reported_as_they_happen(self):
        self.play(
            create=[Reply(201, {"execution": execution("QUEUED")})],
            events=[Reply(200, chunks=stream(event(1), event(2), event(3, "execution.completed")))],
            get=[Reply(200, {"execution": execution()})],
        )
        steps = []
        self.value(self.make().executions.create_and_wait("Find the price.", on_step=steps.append))
        self.assertEqual([step["id"] for step in steps], [1, 2])

    def test_interactions_are_answered_once(self):
        asked = {"id": "i1", "kind": "approval", "state": "open", "message": "Place the order?"}
        self.play(
            create=[Reply(201, {"execution": execution("QUEUED")})],
            events=[
                Reply(
                    200,
                    chunks=stream(event(1, "interaction"), event(2, "interaction"), event(3, "execution.completed")),
                )
            ],
            interaction=[Reply(200, {"interaction": asked})],
            get=[Reply(200, {"execution": execution()})],
        )
        questions = []

        def approve(interaction):
            questions.append(interaction["message"])
            return {"action": "approve"}

        self.value(self.make().executions.create_and_wait("Order it.", on_interaction=approve))
        answers = [request.json() for request in self.sent("/interaction") if request.method == "POST"]
        self.assertEqual(answers, [{"id": "i1", "action": "approve"}])
        self.assertEqual(questions, ["Place the order?"])

    def test_somebody_else_may_be_faster_with_the_answer(self):
        asked = Reply(200, {"interaction": {"id": "i1"}})
        self.play(
            create=[Reply(201, {"execution": execution("QUEUED")})],
            events=[Reply(200, chunks=stream(event(1, "interaction"), event(2, "execution.completed")))],
            interaction=[asked, error(409, "INTERACTION_ENDED")],
            get=[Reply(200, {"execution": execution()})],
        )
        answer = {"action": "decline"}
        self.value(self.make().executions.create_and_wait("Order it.", on_interaction=lambda _: answer))

    def test_an_error_of_the_callback_is_raised(self):
        self.play(
            create=[Reply(201, {"execution": execution("QUEUED")})],
            events=[Reply(200, chunks=stream(event(1), event(2, "execution.completed")))],
        )

        def fail(step):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            self.value(self.make().executions.create_and_wait("Find the price.", on_step=fail))

    def test_a_failure_has_its_reason_and_evidence(self):
        evidence = {"urls": ["http://shop.example/"], "verifier": None, "side_effects": [{"type": "request"}]}
        self.play(
            create=[Reply(201, {"execution": execution("QUEUED")})],
            get=[Reply(200, {"execution": execution("FAILED")})],
            evidence=[Reply(200, {"evidence": evidence, "artifacts": []})],
        )
        with self.assertRaisesRegex(errand.ExecutionFailed, "The verifier disagreed") as raised:
            self.value(self.make().executions.create_and_wait("Find the price."))
        failed = raised.exception
        self.assertEqual((failed.terminal["status"], failed.error["code"]), ("unverified", "UNVERIFIED"))
        self.assertEqual((failed.evidence, failed.execution_id), (evidence, ID))

    def test_a_failure_is_reported_even_without_its_evidence(self):
        self.play(get=[Reply(200, {"execution": execution("FAILED")})], evidence=[error(500, "INTERNAL")])
        with self.assertRaises(errand.ExecutionFailed) as raised:
            self.value(self.make().executions.wait(ID))
        self.assertIsNone(raised.exception.evidence)

    def test_waiting_ends_in_time_and_names_the_execution(self):
        running = Reply(200, {"execution": execution("RUNNING")})
        self.play(create=[Reply(201, {"execution": execution("QUEUED")})], get=[running])
        with self.assertRaises(errand.WaitTimedOut) as raised:
            self.value(self.make().executions.create_and_wait("Find the price.", timeout=0.3))
        self.assertIsInstance(raised.exception, TimeoutError)
        self.assertEqual(raised.exception.execution_id, ID)

    def test_following_ends_in_time_even_if_nothing_happens(self):
        heartbeats = [b": still here\n\n"] * 2
        self.play(events=[Reply(200, chunks=heartbeats)], get=[Reply(200, {"execution": execution("RUNNING")})])
        with self.assertRaises(errand.WaitTimedOut):
            self.value(self.make().executions.wait(ID, on_step=print, timeout=0.5))

    def test_a_result_that_does_not_fit_the_class_is_an_error(self):
        done = execution()
        done["result"]["extracted"] = {"cost": 64.9}
        self.play(get=[Reply(200, {"execution": done})])
        with self.assertRaises(errand.OutputInvalid) as raised:
            self.value(self.make().executions.wait(ID, output=Product))
        self.assertEqual(raised.exception.execution, done)

    def test_an_error_while_waiting_names_the_execution(self):
        self.play(create=[Reply(201, {"execution": execution("QUEUED")})], get=[error(500, "INTERNAL")])
        with self.assertRaises(errand.InternalError) as raised:
            self.value(self.make().executions.create_and_wait("Find the price."))
        self.assertEqual(raised.exception.execution_id, ID)


class WaitingBlocking(Blocking, Waiting):
    pass


class WaitingAsynchronous(Asynchronous, Waiting):
    pass


del Waiting, ServiceTest, Blocking, Asynchronous

if __name__ == "__main__":
    unittest.main()
