"""What only the asyncio client does."""

import asyncio
import threading
import unittest

from errand import AsyncErrand

from service import APPLICATION, TOKEN, Reply, Service, execution


class AsyncTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.service = Service()
        self.addCleanup(self.service.close)
        self.released = threading.Event()
        self.addCleanup(self.released.set)

    def client(self):
        return AsyncErrand(self.service.url, APPLICATION, TOKEN)

    async def test_many_executions_are_waited_for_at_once(self):
        arrived = threading.Barrier(40 + 1)
        reply = Reply(200, {"execution": execution()})

        def answer(_):
            arrived.wait()
            return reply

        self.service.answer = answer
        async with self.client() as client:
            waiting = [asyncio.create_task(client.executions.wait("id")) for _ in range(40)]
            # Passes only when all requests are open at the same time.
            await asyncio.to_thread(arrived.wait)
            results = await asyncio.gather(*waiting)
        self.assertEqual(len(results), 40)

    async def test_a_canceled_wait_closes_its_connection(self):
        asked = threading.Event()

        def answer(_):
            asked.set()
            self.released.wait()
            return Reply(200, {"execution": execution()})

        self.service.answer = answer
        async with self.client() as client:
            waiting = asyncio.create_task(client.executions.wait("id"))
            await asyncio.to_thread(asked.wait)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            # The service still holds the request back, but the thread has nothing to wait for any more.
            await asyncio.to_thread(client._driver._threads.shutdown, True)

    async def test_callbacks_can_be_coroutine_functions(self):
        event = b'id: 1\nevent: step\ndata: {"id": 1, "type": "step", "at": "", "data": {}}\n\n'
        end = b'id: 2\nevent: execution.completed\ndata: {"id": 2, "type": "execution.completed", "at": "", "data": {}}\n\n'
        self.service.answer = lambda request: (
            Reply(200, chunks=[event, end]) if request.path.endswith("/events") else Reply(200, {"execution": execution()})
        )
        steps = []

        async def on_step(step):
            await asyncio.sleep(0)
            steps.append(step["id"])

        async with self.client() as client:
            await client.executions.wait("id", on_step=on_step)
        self.assertEqual(steps, [1])

    async def test_an_iteration_can_be_left_early(self):
        page = {"executions": [execution(id="1"), execution(id="2")], "has_more": True}
        self.service.answer = lambda _: Reply(200, page)
        async with self.client() as client:
            async for found in client.executions.list():
                self.assertEqual(found["id"], "1")
                break
        self.assertEqual(len(self.service.received), 1)


if __name__ == "__main__":
    unittest.main()
