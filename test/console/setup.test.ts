import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newEmail, PASSWORD } from "../_harness/oauth-flow.ts";
import { openSocket, readToEnd, sendRaw } from "../_harness/raw-http.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

interface Answer {
  status: number;
  body: { error?: { code: string; message: string } };
  /** Each with its flags. */
  cookies: string[];
}

interface Asking {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const FROM_CONSOLE = { "x-errand-console": "1", "content-type": "application/json" };

async function ask(service: TestService, { method = "GET", body, headers = {} }: Asking = {}): Promise<Answer> {
  const response = await fetch(`${service.url}/console/api/setup`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? {} : JSON.parse(text),
    cookies: response.headers.getSetCookie(),
  };
}

function claim(service: TestService, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  return ask(service, { method: "POST", body, headers: { ...FROM_CONSOLE, ...headers } });
}

async function whoIs(service: TestService, cookies: string[]) {
  const cookie = cookies.map((line) => line.split(";")[0]).join("; ");
  const response = await fetch(`${service.url}/console/api/me`, { headers: { cookie } });
  return { status: response.status, me: await response.json() };
}

async function firstOwner(service: TestService): Promise<string | null> {
  const [owner] = await service.database.query<{ email: string | null }>(
    "select email from owners left join users on users.id = user_id order by owners.id limit 1",
  );
  return owner?.email ?? null;
}

async function disown(service: TestService): Promise<void> {
  await service.database.query("update owners set user_id = null where user_id is not null");
}

describe("claiming a new installation", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it("makes the first local visitor its owner, signed in, and nobody after them", async () => {
    await disown(service);
    expect(await ask(service)).toMatchObject({ status: 200, body: { needs_owner: true, needs_code: false } });
    const email = newEmail();
    const { status, cookies } = await claim(service, { email, password: PASSWORD });
    expect(status).toBe(204);
    expect(cookies.join()).toMatch(/^errand\.session_token=[^;]+;.*HttpOnly/i);
    expect(cookies.join()).toMatch(/SameSite=Lax/i);
    expect(await whoIs(service, cookies)).toMatchObject({
      me: { person: { email }, owner: { balance: 1000 }, is_operator: true },
    });
    expect(await ask(service)).toMatchObject({ body: { needs_owner: false, needs_code: false } });

    const second = await claim(service, { email: newEmail(), password: PASSWORD });
    expect(second).toMatchObject({ status: 409, cookies: [], body: { error: { code: "ALREADY_CLAIMED" } } });
    expect(await firstOwner(service)).toBe(email);
  });

  it("succeeds for one of many at once, and the others get no rights, no session and no account", async () => {
    await disown(service);
    const emails = Array.from({ length: 4 }, newEmail);
    const answers = await Promise.all(emails.map((email) => claim(service, { email, password: PASSWORD })));
    const winners = emails.filter((_, index) => answers[index]?.status === 204);
    expect(winners).toEqual([await firstOwner(service)]);
    for (const answer of answers.filter(({ status }) => status !== 204)) {
      expect(answer).toMatchObject({ status: 409, cookies: [] });
    }
    const [{ owners }] = (await service.database.query("select count(*) as owners from owners")) as [
      { owners: number },
    ];
    expect(Number(owners)).toBe(1);
    const accounts = await service.database.query("select email from users where email = any($1)", [emails]);
    expect(accounts).toEqual([{ email: winners[0] }]);
  });

  it("accepts an existing account, with its password only", async () => {
    await disown(service);
    const email = newEmail();
    await claim(service, { email, password: PASSWORD });
    await disown(service);
    const wrong = await claim(service, { email, password: "not the right one" });
    expect(wrong).toMatchObject({ status: 400, cookies: [] });
    expect(wrong.body.error?.message).toContain("set-password");
    expect(await firstOwner(service)).toBeNull();
    expect(await claim(service, { email, password: PASSWORD })).toMatchObject({ status: 204 });
    expect(await firstOwner(service)).toBe(email);
  });

  it("rejects a user who already owns applications", async () => {
    await disown(service);
    const email = newEmail();
    await claim(service, { email, password: PASSWORD });
    await disown(service);
    await service.database.query("insert into owners (user_id) select id from users where email = $1", [email]);
    expect(await claim(service, { email, password: PASSWORD })).toMatchObject({ status: 409, cookies: [] });
    expect(await firstOwner(service)).toBeNull();
    await service.database.query("delete from owners where user_id is not null");
  });

  it.each([
    ["a password that is too short", { email: "ann@example.com", password: "short" }, "at least 8"],
    ["an invalid email address", { email: "ann at example", password: PASSWORD }, "valid email"],
    ["an unknown field", { email: "ann@example.com", password: PASSWORD, role: "owner" }, "role is not a known field"],
    ["no password", { email: "ann@example.com" }, "password is required"],
  ])("refuses %s", async (_, body, message) => {
    await disown(service);
    const answer = await claim(service, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error?.message).toContain(message);
    expect(await firstOwner(service)).toBeNull();
  });

  it.each<[string, Record<string, string>, number]>([
    ["without the console's header", { "content-type": "application/json" }, 403],
    ["from a page of another origin", { ...FROM_CONSOLE, origin: "https://evil.example" }, 403],
    ["marked as cross-site by the browser", { ...FROM_CONSOLE, "sec-fetch-site": "cross-site" }, 403],
    ["marked as same-site by the browser", { ...FROM_CONSOLE, "sec-fetch-site": "same-site" }, 403],
    ["of a sandboxed page", { ...FROM_CONSOLE, origin: "null" }, 403],
    ["of a form", { "x-errand-console": "1", "content-type": "application/x-www-form-urlencoded" }, 415],
    ["of a form with the type text/plain", { "x-errand-console": "1", "content-type": "text/plain" }, 415],
  ])("rejects a request %s", async (_, headers, status) => {
    await disown(service);
    const body = JSON.stringify({ email: newEmail(), password: PASSWORD });
    expect(await ask(service, { method: "POST", body, headers })).toMatchObject({ status, cookies: [] });
    expect(await firstOwner(service)).toBeNull();
  });

  it.each([
    ["x-forwarded-for", "127.0.0.1"],
    ["forwarded", "for=127.0.0.1"],
    ["via", "1.1 proxy"],
    ["x-real-ip", "127.0.0.1"],
    ["x-forwarded-server", "proxy"],
    ["x-client-ip", "127.0.0.1"],
    ["x-original-host", "localhost"],
    ["cf-connecting-ip", "127.0.0.1"],
    ["true-client-ip", "127.0.0.1"],
  ])("does not treat a proxied request as local: %s", async (name, value) => {
    await disown(service);
    expect(await ask(service, { headers: { [name]: value } })).toMatchObject({ body: { needs_code: true } });
    const answer = await claim(service, { email: newEmail(), password: PASSWORD }, { [name]: value });
    expect(answer).toMatchObject({ status: 403, cookies: [] });
    expect(await firstOwner(service)).toBeNull();
  });

  async function askLiterally(version: string, headers: string[]): Promise<string> {
    const socket = await openSocket(service.url);
    socket.write([`GET /console/api/setup ${version}`, ...headers, "connection: close", "", ""].join("\r\n"));
    return String(await readToEnd(socket));
  }

  it.each([
    ["HTTP/1.1", "localhost", false],
    ["HTTP/1.1", "[::1]:8787", false],
    ["HTTP/1.0", "localhost", true],
    ["HTTP/1.1", "127.1", true],
    ["HTTP/1.1", "127.0.0.2", true],
    ["HTTP/1.1", "0x7f.0.0.1", true],
    ["HTTP/1.1", "2130706433", true],
    ["HTTP/1.1", "LOCALHOST", true],
    ["HTTP/1.1", "localhost.", true],
    ["HTTP/1.1", "x@localhost", true],
  ])("requested by %s as %s, needs a code: %s", async (version, host, needsCode) => {
    await disown(service);
    expect(await askLiterally(version, [`host: ${host}`])).toContain(`"needs_code":${needsCode}`);
  });

  it("requires the code when someone else pointed the host name here", async () => {
    await disown(service);
    const { status } = await sendRaw(service.url, {
      method: "POST",
      target: "/console/api/setup",
      headers: [...Object.entries(FROM_CONSOLE), ["origin", "http://errand.test"], ["sec-fetch-site", "same-origin"]],
      body: JSON.stringify({ email: newEmail(), password: PASSWORD }),
    });
    expect(status).toBe(403);
    expect(await firstOwner(service)).toBeNull();
  });

  it("rejects a page on a host name that someone else pointed here, and serves one on this machine's own", async () => {
    const askAs = (host: string, origin: string) => askLiterally("HTTP/1.1", [`host: ${host}`, `origin: ${origin}`]);
    expect(await askAs("errand.test", "http://errand.test")).toMatch(/^HTTP\/1.1 403/);
    expect(await askAs("localhost:81", "http://localhost:82")).toMatch(/^HTTP\/1.1 403/);
    expect(await askAs("localhost:81", "http://localhost:81")).toMatch(/^HTTP\/1.1 200/);
    expect(await askAs("localhost:81", service.url)).toMatch(/^HTTP\/1.1 200/);
  });

  it("accepts the code from anywhere, however it is typed, and no other", async () => {
    await disown(service);
    const elsewhere = { "x-forwarded-for": "203.0.113.7" };
    const code = (await service.service.findSetupCode()) ?? "";
    expect(code).toMatch(/^(\w{4}-){3}\w{4}$/);
    const wrong = `${code.slice(0, -1)}${code.endsWith("0") ? "1" : "0"}`;
    const email = newEmail();
    expect(await claim(service, { email, password: PASSWORD, code: wrong }, elsewhere)).toMatchObject({ status: 403 });
    expect(await claim(service, { email, password: PASSWORD, code: "" }, elsewhere)).toMatchObject({ status: 403 });
    const typed = ` ${code.toLowerCase().replaceAll("-", " ")}`;
    expect(await claim(service, { email, password: PASSWORD, code: typed }, elsewhere)).toMatchObject({ status: 204 });
    expect(await firstOwner(service)).toBe(email);
    expect(await service.service.findSetupCode()).toBeNull();
    expect(service.log.join()).not.toContain(code);
  });
});

describe("a service with a public URL", () => {
  it("requires the code from everybody, limits guesses, and sends cookies over TLS only", async () => {
    await using service = await startTestService({
      settings: {
        ERRAND_PUBLIC_URL: "https://errand.example",
        ERRAND_TRUST_PROXY: "true",
        ERRAND_SIGN_INS_PER_MINUTE: "5",
      },
    });
    const url = new URL(`http://127.0.0.1:${(service.service.app.server.address() as { port: number }).port}`);
    const here = { ...service, url: url.origin };
    expect(await ask(here)).toMatchObject({ body: { needs_owner: true, needs_code: true } });
    const code = (await service.service.findSetupCode()) ?? "";
    const guess = () => claim(here, { email: newEmail(), password: PASSWORD, code: "0000" });
    const statuses = [];
    for (let count = 0; count < 7; count += 1) statuses.push((await guess()).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429, 429]);

    const elsewhere = { "x-forwarded-for": "203.0.113.7", origin: "https://errand.example" };
    const answer = await claim(here, { email: newEmail(), password: PASSWORD, code }, elsewhere);
    expect(answer.status).toBe(204);
    expect(answer.cookies.join()).toMatch(/^__Secure-errand\.session_token=[^;]+;.*Secure/i);
  });
});
