import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { newEmail, PASSWORD } from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const DEMO_URL = "http://127.0.0.1:4010";
const NEXT_PASSWORD = "another horse, another battery";

let service: TestService;
let operator: ConsoleVisit;
let owner: ConsoleVisit;
let user: ConsoleVisit;

beforeAll(async () => {
  service = await startTestService({ demoUrl: DEMO_URL });
  operator = await visitConsole(service, { isOperator: true });
  owner = await visitConsole(service, { credits: 25 });
  user = await visitConsole(service);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Signs in on the page, as from another browser. */
async function signIn(email: string, password: string, userAgent = "Another browser"): Promise<string | null> {
  const page = await fetch(`${service.url}/sign-in`);
  const token = /name="form_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const answer = await fetch(`${service.url}/sign-in`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ email, password, form_token: token, return_to: "/console" }),
    headers: {
      cookie: cookiesOf(page.headers),
      "user-agent": userAgent,
      "x-forwarded-for": "203.0.113.99",
    },
  });
  return answer.status === 303 ? cookiesOf(answer.headers) : null;
}

function cookiesOf(headers: Headers): string {
  return headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}

async function isSignedIn(cookie: string): Promise<boolean> {
  return (await fetch(`${service.url}/console/api/me`, { headers: { cookie } })).status === 200;
}

describe("the visitor", () => {
  it("is returned with their roles", async () => {
    expect((await operator.get("/me")).body).toEqual({
      person: { id: operator.userId, email: operator.email },
      owner: { id: expect.any(String), balance: 1000 },
      is_operator: true,
      public_url: service.url,
      execution_price: 1,
      has_model: false,
      demo_url: DEMO_URL,
    });
    expect((await owner.get("/me")).body).toMatchObject({ owner: { balance: 25 }, is_operator: false });
    const answer = await user.get("/me");
    expect(answer.body).toMatchObject({ person: { email: user.email }, owner: null, is_operator: false });
    expect(answer.headers.get("cache-control")).toContain("no-store");
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("is null without a cookie, or with a forged one", async () => {
    const forged = user.cookie.replace(/=(.)/, (_, first) => (first === "x" ? "=y" : "=x"));
    for (const cookie of ["", forged]) {
      const answer = await fetch(`${service.url}/console/api/me`, { headers: { cookie } });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ error: { code: "UNAUTHENTICATED" } });
    }
  });
});

describe("every change", () => {
  const CHANGES: [string, string, unknown][] = [
    ["POST", "/sign-out", undefined],
    ["PUT", "/password", { current_password: PASSWORD, new_password: NEXT_PASSWORD }],
    ["DELETE", "/sessions", undefined],
    ["DELETE", "/sessions/one", undefined],
    ["POST", "/owners", { email: "ann@example.com" }],
    ["POST", "/first-errand", undefined],
  ];

  it.each(CHANGES)("%s %s is rejected unless it comes from the console itself", async (method, path, body) => {
    const before = await operator.get("/sessions");
    const attempts: Record<string, string>[] = [
      { origin: "https://evil.example", "x-errand-console": "1" },
      { "sec-fetch-site": "cross-site", "x-errand-console": "1" },
      { "sec-fetch-site": "same-site", "x-errand-console": "1" },
      { origin: "null", "x-errand-console": "1" },
      {},
    ];
    for (const headers of attempts) {
      const answer = await fetch(`${service.url}/console/api${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { cookie: operator.cookie, "content-type": "application/json", ...headers },
      });
      expect(answer.status).toBe(403);
    }
    expect((await operator.get("/sessions")).body).toEqual(before.body);
  });

  it("is rejected as a form", async () => {
    for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]) {
      const answer = await operator.call("POST", "/owners", { email: owner.email }, { "content-type": type });
      expect(answer.status).toBe(415);
    }
  });
});

describe("sessions", () => {
  it("are listed with their origin, and can be ended one by one, or all but this one", async () => {
    const person = await visitConsole(service);
    const others = await Promise.all([1, 2, 3].map(() => signIn(person.email, PASSWORD)));
    const [first = "", second = "", third = ""] = others.map((cookie) => cookie ?? "");
    const { sessions } = (await person.get("/sessions")).body;
    expect(sessions).toHaveLength(4);
    const [current] = sessions.filter((session: { is_current: boolean }) => session.is_current);
    const other = sessions.find((session: { user_agent: string }) => session.user_agent === "Another browser");
    // The origin that the request claims is not trusted.
    expect(other).toMatchObject({ ip_address: "127.0.0.1", is_current: false });
    expect(JSON.stringify(sessions)).not.toContain(decodeURIComponent(person.cookie).split("=")[1]?.split(".")[0]);

    expect((await person.call("DELETE", `/sessions/${other.id}`)).status).toBe(204);
    expect((await person.call("DELETE", `/sessions/${other.id}`)).status).toBe(404);
    const left = await Promise.all([first, second, third].map(isSignedIn));
    expect(left.filter(Boolean)).toHaveLength(2);

    expect((await person.call("DELETE", "/sessions")).status).toBe(204);
    expect(await Promise.all([first, second, third].map(isSignedIn))).toEqual([false, false, false]);
    expect((await person.get("/sessions")).body.sessions).toEqual([{ ...current, last_used_at: expect.any(String) }]);
  });

  it("of others can be neither seen nor ended", async () => {
    const { sessions } = (await operator.get("/sessions")).body;
    const seen = (await user.get("/sessions")).body.sessions.map(({ id }: { id: string }) => id);
    expect(seen).not.toContain(sessions[0].id);
    for (const id of [sessions[0].id, "00000000-0000-7000-8000-000000000000", "not-an-id", "a%00b"]) {
      expect((await user.call("DELETE", `/sessions/${id}`)).status).toBe(404);
    }
    expect((await user.call("DELETE", "/sessions")).status).toBe(204);
    expect(await isSignedIn(operator.cookie)).toBe(true);
  });

  it("end with signing out, which clears the cookie", async () => {
    const person = await visitConsole(service);
    const answer = await person.post("/sign-out");
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie().join()).toMatch(/errand\.session_token=;.*Max-Age=0/i);
    expect(await isSignedIn(person.cookie)).toBe(false);
  });
});

describe("changing the password", () => {
  it("ends every other session, gives this browser a new one, and only the new password signs in", async () => {
    const person = await visitConsole(service);
    const elsewhere = (await signIn(person.email, PASSWORD)) ?? "";
    const answer = await person.call("PUT", "/password", {
      current_password: PASSWORD,
      new_password: NEXT_PASSWORD,
    });
    expect(answer.status).toBe(204);
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    expect(await isSignedIn(cookiesOf(answer.headers))).toBe(true);
    expect(await isSignedIn(elsewhere)).toBe(false);
    expect(await isSignedIn(person.cookie)).toBe(false);
    expect(await signIn(person.email, PASSWORD)).toBeNull();
    expect(await signIn(person.email, NEXT_PASSWORD)).not.toBeNull();
    expect(service.log.join()).not.toContain(NEXT_PASSWORD);
  });

  it.each([
    ["a wrong current password", { current_password: "wrong horse", new_password: NEXT_PASSWORD }, "current password"],
    ["a new password that is too short", { current_password: PASSWORD, new_password: "short" }, "at least 8"],
    ["a new password that is too long", { current_password: PASSWORD, new_password: "x".repeat(129) }, "at most 128"],
    ["a missing new password", { current_password: PASSWORD }, "new_password is required"],
  ])("rejects %s and changes nothing", async (_, body, message) => {
    const answer = await user.call("PUT", "/password", body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain(message);
    expect(await isSignedIn(user.cookie)).toBe(true);
  });

  it("tells users without a password what to do", async () => {
    const person = await visitConsole(service);
    await service.database.query("delete from credentials where user_id = $1", [person.userId]);
    const answer = await person.call("PUT", "/password", { current_password: PASSWORD, new_password: NEXT_PASSWORD });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain("errand user set-password");
  });
});

describe("the owner of the installation", () => {
  it.each([
    ["GET", "/owners"],
    ["GET", "/status"],
    ["POST", "/owners"],
  ])("is the only one who may %s %s", async (method, path) => {
    const body = method === "POST" ? { email: user.email } : undefined;
    for (const visit of [owner, user]) {
      expect(await visit.call(method, path, body)).toMatchObject({
        status: 403,
        body: { error: { code: "FORBIDDEN" } },
      });
    }
    expect((await user.get("/me")).body.owner).toBeNull();
  });

  it("makes an existing user an owner, once", async () => {
    const person = await visitConsole(service);
    const [first, second] = await Promise.all(
      [1, 2].map(() => operator.post("/owners", { email: ` ${person.email.toUpperCase()} ` })),
    );
    expect([first?.status, second?.status].sort()).toEqual([200, 201]);
    expect(first?.body).toEqual(second?.body);
    expect(first?.body.owner).toEqual({
      id: expect.any(String),
      email: person.email,
      balance: 0,
      applications: 0,
      is_operator: false,
    });
    expect((await person.get("/me")).body).toMatchObject({ owner: { balance: 0 }, is_operator: false });
    const { owners } = (await operator.get("/owners")).body;
    expect(owners[0]).toMatchObject({ email: operator.email, balance: expect.any(Number), is_operator: true });
    expect(owners.filter(({ email }: { email: string }) => email === person.email)).toHaveLength(1);
  });

  it("is told when there is no account with the email address, and how to create one", async () => {
    const answer = await operator.post("/owners", { email: newEmail() });
    expect(answer).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    expect(answer.body.error.message).toContain("/sign-up");
    expect((await operator.post("/owners", { email: "not an address" })).status).toBe(400);
  });

  it("sees the health of the installation, without secrets", async () => {
    const { status, body } = await operator.get("/status");
    expect(status).toBe(200);
    expect(body.checks.map(({ name }: { name: string }) => name)).toEqual([
      "settings",
      "database",
      "keys",
      "disk",
      "artifacts",
      "browser",
      "worker",
      "queue",
      "webhooks",
      "demo shop",
      "model",
    ]);
    expect(body.checks.find(({ name }: { name: string }) => name === "database")).toEqual({
      name: "database",
      state: "ok",
      message: expect.stringMatching(/^PostgreSQL 1\d/),
      advice: null,
    });
    expect(JSON.stringify(body)).not.toMatch(/postgres(ql)?:\/\//);
  });

  it("is told when executions are queued and no worker claims them", async () => {
    const { connectionId } = await service.connect();
    await service.database.query(
      `insert into executions (connection_id, status, prompt, credits, created_at)
       values ($1, 'QUEUED', 'Wait.', 1, now() - interval '5 minutes')`,
      [connectionId],
    );
    await service.database.query("update connections set queued_since = now() - interval '5 minutes' where id = $1", [
      connectionId,
    ]);
    const { checks } = (await operator.get("/status")).body;
    expect(checks.find(({ name }: { name: string }) => name === "queue")).toEqual({
      name: "queue",
      state: "warning",
      message: "0 running, 1 queued, the next one waiting for 5 min",
      advice: expect.stringContaining("--roles worker"),
    });
    await service.database.query("delete from executions where connection_id = $1", [connectionId]);
    await service.database.query("update connections set queued_since = null where id = $1", [connectionId]);
  });
});

describe("a first errand", () => {
  it("is queued on the demo shop, for an application and a connection of the owner's own", async () => {
    const answers = await Promise.all([1, 2].map(() => owner.post("/first-errand")));
    for (const answer of answers) {
      expect(answer.status).toBe(201);
      expect(answer.body.execution).toMatchObject({ status: "QUEUED", start_url: `${DEMO_URL}/` });
    }
    const made = await service.database.query(
      `select applications.name, type, home_url, users.email, count(executions.id)::int as executions
       from applications join owners on owners.id = owner_id
       join connections on application_id = applications.id join users on users.id = connections.user_id
       join executions on connection_id = connections.id
       where owners.user_id = $1 group by applications.id, users.id`,
      [owner.userId],
    );
    expect(made).toEqual([
      { name: "First errand", type: "public", home_url: `${DEMO_URL}/`, email: owner.email, executions: 2 },
    ]);
    expect((await owner.get("/me")).body.owner.balance).toBe(23);
  });

  it("is for owners who can pay, and needs the demo shop", async () => {
    expect((await user.post("/first-errand")).status).toBe(403);
    const poor = await visitConsole(service, { credits: 0 });
    expect((await poor.post("/first-errand")).body.error.code).toBe("INSUFFICIENT_CREDITS");

    await using plain = await startTestService();
    const visit = await visitConsole(plain, { isOperator: true });
    expect((await visit.get("/me")).body.demo_url).toBeNull();
    const answer = await visit.post("/first-errand");
    expect(answer).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    expect(answer.body.error.message).toContain("ERRAND_DEMO");
  });
});
