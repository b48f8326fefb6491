import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { findTraces } from "../../_harness/browser-processes.ts";
import { never, openSession, serve, startProcessPool } from "../../_harness/browser-session.ts";

it("a page that gets no processor time for a while is not taken for one whose script never ends", async () => {
  await using site = await serve({ "/": "<title>Static</title><h1>Still here</h1>" });
  await using pool = await startProcessPool({ limits: { hangMs: 1_000 } });
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const { renderers } = findTraces();
  for (const pid of renderers) process.kill(pid, "SIGSTOP");
  const observing = session.observe(never);
  // Twice as long as a page may take whose script is running.
  await sleep(2_000);
  for (const pid of renderers) process.kill(pid, "SIGCONT");
  expect(await observing).toMatchObject({ title: "Static" });
});

it("a page that never gets any is given up, and the machine is named", async () => {
  await using site = await serve({ "/": "<title>Static</title>" });
  await using pool = await startProcessPool({ limits: { hangMs: 500 } });
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const { renderers } = findTraces();
  for (const pid of renderers) process.kill(pid, "SIGSTOP");
  await expect(session.observe(never)).rejects.toThrow("The machine may be overloaded");
  for (const pid of renderers) process.kill(pid, "SIGCONT");
});
