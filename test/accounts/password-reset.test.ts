import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnErrand } from "../_harness/errand.ts";
import { newEmail, PASSWORD, Visitor } from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const NEW_PASSWORD = "entirely new password";
const PATIENTLY = { timeout: 100_000 };

interface Received {
  to: string[];
  from: string;
  text: string;
}

/** A real mail server, which keeps what it receives. */
async function startMailServer() {
  const received: Received[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _session, respond) =>
      username === "errand" && password === "p@ss"
        ? respond(null, { user: username })
        : respond(new Error("Wrong password")),
    async onData(stream, { envelope }, respond) {
      const raw = await text(stream);
      received.push({
        to: envelope.rcptTo.map(({ address }) => address),
        from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
        text: raw.replace(/=\r?\n/g, "").replaceAll("=3D", "="),
      });
      respond();
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    received,
    url: `smtp://errand:p%40ss@127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

const linkIn = ({ text: mail }: Received) => /\/reset-password\?token=[\w-]+/.exec(mail)?.[0] ?? "";

async function submit(visitor: Visitor, path: string, fields: Record<string, string>) {
  const page = await visitor.get(path);
  return visitor.submit(page.form(path.split("?")[0] ?? ""), fields);
}

async function signIn(service: TestService, email: string, password: string): Promise<number> {
  return (await submit(new Visitor(service.url), "/sign-in", { email, password })).status;
}

describe("a forgotten password, with a mail server", () => {
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let service: TestService;

  beforeAll(async () => {
    mail = await startMailServer();
    service = await startTestService({
      settings: {
        ERRAND_SMTP_URL: mail.url,
        ERRAND_MAIL_FROM: "Errand <errand@mail.example>",
        ERRAND_SIGN_INS_PER_MINUTE: "1000",
      },
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await mail.close();
  });

  async function requestLink(email: string): Promise<string> {
    const before = mail.received.length;
    expect((await submit(new Visitor(service.url), "/forgot-password", { email })).status).toBe(200);
    await expect.poll(() => mail.received.length, PATIENTLY).toBe(before + 1);
    return linkIn(mail.received.at(-1) as Received);
  }

  it("is replaced through a link by mail, which works once and ends all sessions", async () => {
    const signedIn = new Visitor(service.url);
    const email = await signedIn.signUp();
    const link = await requestLink(email.toUpperCase());
    expect(mail.received.at(-1)).toMatchObject({ to: [email], from: "errand@mail.example" });

    const visitor = new Visitor(service.url);
    expect((await visitor.get(link)).status).toBe(200);
    const short = await submit(visitor, link, { password: "short" });
    expect([short.status, short.text.includes("at least 8 characters")]).toEqual([400, true]);
    const changed = await submit(visitor, link, { password: NEW_PASSWORD });
    expect([changed.status, changed.location?.pathname]).toEqual([303, "/sign-in"]);
    const sessions = await service.database.query(
      "select 1 from sessions join users on users.id = user_id where email = $1",
      [email],
    );
    expect(sessions).toEqual([]);
    expect([await signIn(service, email, PASSWORD), await signIn(service, email, NEW_PASSWORD)]).toEqual([400, 303]);
    expect((await visitor.get(link)).status).toBe(410);
  });

  it("gets the same response for every email address, and mail only for accounts", async () => {
    const email = await new Visitor(service.url).signUp();
    const before = mail.received.length;
    const nobody = "nobody-at-all@example.com";
    const unknown = await submit(new Visitor(service.url), "/forgot-password", { email: nobody });
    const known = await submit(new Visitor(service.url), "/forgot-password", { email });
    const without = (page: string, address: string) => page.replaceAll(address, "");
    expect([unknown.status, without(unknown.text, nobody)]).toEqual([known.status, without(known.text, email)]);
    // The mail for the second request has arrived: the first one sent none.
    await expect.poll(() => mail.received.length, PATIENTLY).toBeGreaterThan(before);
    expect(mail.received.slice(before).flatMap(({ to }) => to)).toEqual([email]);
  });

  it("keeps no usable link in the database, and only the newest works", async () => {
    const email = await new Visitor(service.url).signUp();
    const [first, second] = [await requestLink(email), await requestLink(email)];
    const visitor = new Visitor(service.url);
    expect([(await visitor.get(first)).status, (await visitor.get(second)).status]).toEqual([410, 200]);
    const token = new URLSearchParams(second.split("?")[1]).get("token") ?? "";
    const rows = await service.database.query("select * from verifications");
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
    await service.database.query("update verifications set expires_at = now() - interval '1 second'");
    expect((await visitor.get(second)).status).toBe(410);
  });

  it("is replaced by one of two people who use the link at the same time", async () => {
    const email = await new Visitor(service.url).signUp();
    const link = await requestLink(email);
    const visitors = [new Visitor(service.url), new Visitor(service.url)];
    const forms = await Promise.all(
      visitors.map(async (visitor) => ({ visitor, form: (await visitor.get(link)).form("/reset-password") })),
    );
    const statuses = await Promise.all(
      forms.map(async ({ visitor, form }) => (await visitor.submit(form, { password: NEW_PASSWORD })).status),
    );
    expect(statuses.toSorted()).toEqual([303, 410]);
  });

  it("needs a form of our own page", async () => {
    const response = await fetch(`${service.url}/reset-password`, {
      method: "POST",
      body: new URLSearchParams({ token: "x", password: NEW_PASSWORD }),
    });
    expect(response.status).toBe(400);
  });
});

describe("a forgotten password, without a mail server", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const createLink = (email: string) =>
    spawnErrand(["user", "reset-password", "--user", email, "--json"], {
      DATABASE_URL: service.database.url,
      ERRAND_PUBLIC_URL: service.url,
    });

  it("is replaced through a link that the operator creates", async () => {
    const email = newEmail();
    await service.connect({ email });
    const page = await new Visitor(service.url).get("/sign-in");
    expect(page.text).toContain("/forgot-password");
    const local = await (await fetch(`${service.url}/forgot-password`)).text();
    expect(local).toContain("errand user reset-password");
    const remote = await fetch(`${service.url}/forgot-password`, { headers: { "x-forwarded-for": "203.0.113.7" } });
    const shown = await remote.text();
    expect(shown).toContain("Ask whoever runs this Errand");
    expect(shown).not.toContain("errand user reset-password");
    const { url } = JSON.parse((await createLink(email)).stdout);
    expect(url.startsWith(`${service.url}/reset-password?token=`)).toBe(true);
    const link = url.slice(service.url.length);
    expect((await submit(new Visitor(service.url), link, { password: NEW_PASSWORD })).status).toBe(303);
    expect(await signIn(service, email, NEW_PASSWORD)).toBe(303);
  });

  it("is not created for an email address without an account", async () => {
    expect(await createLink("nobody@example.com")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no account"),
    });
  });
});
