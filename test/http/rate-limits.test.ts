import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createApi } from "../_harness/api.ts";
import { TestClock } from "../_harness/clock.ts";
import { startTestService } from "../_harness/service.ts";

describe("the limits of one token", () => {
  it("allow a burst, say exactly how long to wait, and count creates and reads separately", async () => {
    const clock = new TestClock();
    const settings = { ERRAND_CREATES_PER_MINUTE: "6", ERRAND_READS_PER_MINUTE: "12", ERRAND_RATE_BURST: "3" };
    await using service = await startTestService({ settings, clock });
    const connection = await service.connect();
    const api = createApi(service.url, connection);
    const create = async () => {
      const { status, headers, body } = await api.create({ prompt: "x" });
      return status === 201 ? 201 : [status, body.error.code, headers.get("retry-after")];
    };
    const read = async (ask = () => api.list()) => {
      const { status, headers } = await ask();
      return status === 200 ? 200 : [status, headers.get("retry-after")];
    };

    expect([await create(), await create(), await create()]).toEqual([201, 201, 201]);
    expect(await create()).toEqual([429, "RATE_LIMITED", "10"]);
    expect([await read(), await read(), await read()]).toEqual([200, 200, 200]);
    expect(await read()).toEqual([429, "5"]);

    clock.advance({ seconds: 4 });
    expect(await read()).toEqual([429, "1"]);
    expect(await create()).toEqual([429, "RATE_LIMITED", "6"]);
    clock.advance({ seconds: 1 });
    expect(await read()).toBe(200);
    expect(await read()).toEqual([429, "5"]);
    clock.advance({ seconds: 5 });
    expect(await create()).toBe(201);
    expect(await create()).toEqual([429, "RATE_LIMITED", "10"]);

    clock.advance({ seconds: 3_600 });
    expect([await create(), await create(), await create()]).toEqual([201, 201, 201]);
    expect(await create()).toEqual([429, "RATE_LIMITED", "10"]);
    const { body } = await api.list();
    expect(body.executions).toHaveLength(7);
  });

  it("are in the RateLimit headers of every response", async () => {
    const clock = new TestClock();
    const settings = { ERRAND_CREATES_PER_MINUTE: "6", ERRAND_READS_PER_MINUTE: "12", ERRAND_RATE_BURST: "3" };
    await using service = await startTestService({ settings, clock });
    const connection = await service.connect();
    const api = createApi(service.url, connection);
    const quota = ({ headers }: { headers: Headers }) => [headers.get("ratelimit-policy"), headers.get("ratelimit")];

    expect(quota(await api.create({ prompt: "x" }))).toEqual(['"change";q=3;w=30', '"change";r=2;t=10']);
    expect(quota(await api.create({}))).toEqual(['"change";q=3;w=30', '"change";r=1;t=20']);
    expect(quota(await api.list())).toEqual(['"read";q=3;w=15', '"read";r=2;t=5']);
    clock.advance({ seconds: 10 });
    expect(quota(await api.create({ prompt: "x" }))).toEqual(['"change";q=3;w=30', '"change";r=1;t=20']);
    await api.create({ prompt: "x" });
    const refused = await api.create({ prompt: "x" });
    expect([refused.status, ...quota(refused)]).toEqual([429, '"change";q=3;w=30', '"change";r=0;t=30']);
    expect(refused.headers.get("access-control-expose-headers")).toContain("ratelimit, ratelimit-policy");
    const stranger = await fetch(`${service.url}/v1/connection`);
    expect([stranger.status, stranger.headers.get("ratelimit")]).toEqual([401, null]);
  });

  it("count cancel as creating, and every way of reading as reading", async () => {
    const settings = { ERRAND_CREATES_PER_MINUTE: "1", ERRAND_READS_PER_MINUTE: "1", ERRAND_RATE_BURST: "2" };
    await using service = await startTestService({ settings, clock: new TestClock() });
    const api = createApi(service.url, await service.connect());
    const { id } = await api.created();
    expect((await api.cancel(id)).status).toBe(200);
    expect([(await api.create({ prompt: "x" })).status, (await api.cancel(id)).status]).toEqual([429, 429]);
    expect([(await api.events(id)).status, (await api.get(id)).status]).toEqual([200, 200]);
    expect([(await api.list()).status, (await api.events(id)).status]).toEqual([429, 429]);
  });

  it("are separate per connection, and a new token does not reset them", async () => {
    const settings = { ERRAND_READS_PER_MINUTE: "1", ERRAND_RATE_BURST: "1" };
    await using service = await startTestService({ settings, clock: new TestClock() });
    const { applicationId } = await service.connect();
    const ann = await service.connect({ applicationId, email: "ann@example.com" });
    const bob = await service.connect({ applicationId, email: "bob@example.com" });
    expect((await createApi(service.url, { ...ann, token: "wrong" }).list()).status).toBe(401);
    expect((await createApi(service.url, { ...ann, applicationId: randomUUID() }).list()).status).toBe(403);
    expect((await createApi(service.url, ann).list()).status).toBe(200);
    expect((await createApi(service.url, ann).list()).status).toBe(429);
    expect((await createApi(service.url, bob).list()).status).toBe(200);
    const again = await service.connect({ applicationId, email: "ann@example.com" });
    expect((await createApi(service.url, again).list()).status).toBe(429);
  });
});
