import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { withDatabaseAway } from "../_harness/database-away.ts";
import { createDataDir, type StartedCommand, startCommand } from "../_harness/errand.ts";

const PAGE = "<title>Kettles</title><h1>Kettles</h1><p>Brindle Kettle: €64.90</p>";

describe("errand run, when the database becomes unavailable", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;
  let database: TestDatabase;
  let site: Server;
  /** The first request for the page, which waits; later ones are served at once. */
  let first = Promise.withResolvers<ServerResponse>();
  let hasFirst = false;

  beforeAll(async () => {
    data = await createDataDir();
    database = await createTestDatabase();
    site = createServer((request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      if (request.url !== "/") response.writeHead(404).end();
      else if (hasFirst) response.end(PAGE);
      else first.resolve(response);
      hasFirst ||= request.url === "/";
    });
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
  });
  afterAll(async () => {
    site.closeAllConnections();
    site.close();
    await data[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  function start(leaseSeconds: number): StartedCommand {
    first = Promise.withResolvers();
    hasFirst = false;
    const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    return startCommand(["run", "What is the price of the Brindle Kettle?", "--start-url", `http://${host}/`], {
      ...data.env,
      DATABASE_URL: database.url,
      ERRAND_ALLOW_HOSTS: host,
      ERRAND_LEASE_SECONDS: `${leaseSeconds}`,
    });
  }

  it("reports it, waits, and then finishes normally", async () => {
    const { said, ended } = start(60);
    const waiting = await first.promise;
    await withDatabaseAway({ database }, "refuses", async () => {
      waiting.end(PAGE);
      await expect.poll(() => said.stderr, { timeout: 100_000 }).toContain("Cannot reach the database; waiting");
    });
    const { code, stdout, stderr } = await ended;
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain("64.90");
    expect(stdout).toContain("✓ Verified");
  });

  it("gives up after a while and names the execution, which the next run ends", async () => {
    const { ended } = start(2);
    const waiting = await first.promise;
    await withDatabaseAway({ database }, "refuses", async () => {
      const { code, stdout, stderr } = await ended;
      expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/The database is still unreachable \(.+\)\. Giving up on execution [0-9a-f-]{36}\./);
      expect(stderr, "nothing was taken away under the run").not.toContain("after calling end on the pool");
    });
    waiting.destroy();
    const next = start(60);
    (await first.promise).end(PAGE);
    expect(await next.ended).toMatchObject({ code: 0 });
    expect(await database.query("select status from executions order by created_at")).toEqual([
      { status: "COMPLETED" },
      { status: "FAILED" },
      { status: "COMPLETED" },
    ]);
  });
});
