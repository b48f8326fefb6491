import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LoopbackServer, startLoopbackServer } from "../../_harness/browser.ts";
import { type LiveSocket, openSocket, startLiveService } from "../../_harness/live-sign-in.ts";
import {
  agree,
  authorizePath,
  newVisitor,
  REDIRECT_URI,
  registerClient,
  type Visitor,
} from "../../_harness/oauth-flow.ts";
import type { TestService } from "../../_harness/service.ts";

const PAGES = {
  "/sign-in": `<title>Sign in</title><form action="/enter"><input type="password" aria-label="Password"><button autofocus>Enter</button></form>`,
  "/account": `<title>Account</title><h1>Hello</h1><a href="/leave">Sign out</a>`,
};

describe("a manual sign-in with an interruption", () => {
  let service: TestService;
  let site: LoopbackServer;
  let visitor: Visitor;
  let applicationId: string;
  let path: string;

  beforeAll(async () => {
    site = await startLoopbackServer((request, response) => {
      const isKnown = request.headers.cookie?.includes("member=1") === true;
      if (request.url?.startsWith("/enter")) {
        return void response.writeHead(303, { location: "/account", "set-cookie": "member=1; Path=/" }).end();
      }
      if (request.url?.startsWith("/to?")) {
        return void response.writeHead(303, { location: request.url.slice("/to?".length) }).end();
      }
      const page = request.url === "/account" && isKnown ? PAGES["/account"] : PAGES["/sign-in"];
      response.setHeader("content-type", "text/html").end(`<!doctype html>${page}`);
    });
    service = await startLiveService([new URL(site.url).host]);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    visitor = await newVisitor(service);
    const registration = { signInUrl: `${site.url}/sign-in`, homeUrl: `${site.url}/account` };
    ({ id: applicationId } = await registerClient(service, { ...registration, redirectUris: [REDIRECT_URI] }));
    path = (await agree(visitor, authorizePath(applicationId))).pathname;
  });

  /** Signed in on the site, just before pressing the button. */
  async function signIn(): Promise<LiveSocket> {
    const ticket = /data-ticket="([^"]+)"/.exec((await visitor.get(path)).text)?.[1] ?? "";
    const { socket } = await openSocket(service, { visitor, path, load: async () => ticket }, { ticket });
    if (socket === null) throw new Error("the socket did not open");
    socket.send({ type: "hello", width: 800, height: 600, isTouch: false });
    await expect.poll(() => phases(socket), { timeout: 100_000 }).toContain("signing_in");
    const key = { type: "key", key: "Enter", code: "Enter", modifiers: 0, isRepeat: false };
    await expect.poll(() => socket.messages.some((m) => m.type === "page" && m.page.title === "Sign in")).toBe(true);
    for (const kind of ["down", "up"]) socket.send({ type: "input", input: { ...key, kind } });
    await expect.poll(() => phases(socket), { timeout: 100_000 }).toContain("looks_signed_in");
    return socket;
  }

  const phases = ({ messages }: LiveSocket) => messages.filter((m) => m.type === "phase").map(({ phase }) => phase);

  const count = async (table: string) =>
    (
      await service.database.query(
        `select count(*)::int as rows from ${table} join connections on connections.id = connection_id
         where application_id = $1`,
        [applicationId],
      )
    )[0]?.["rows"];

  const expectNothingSaved = async () => {
    expect([await count("saved_sign_ins"), await count("authorization_codes")]).toEqual([0, 0]);
  };

  it("reaches no private host but the application's own", async () => {
    const requests: string[] = [];
    await using admin = await startLoopbackServer((request, response) => {
      requests.push(request.url ?? "");
      response.setHeader("content-type", "text/html").end("<title>Admin</title>");
    });
    await using other = await startLiveService([site, admin].map(({ url }) => new URL(url).host));
    const person = await newVisitor(other);
    const opened = async (allowedHosts: string[]) => {
      const signInUrl = `${site.url}/to?${admin.url}/`;
      const { id } = await registerClient(other, { signInUrl, allowedHosts });
      const signInPath = (await agree(person, authorizePath(id))).pathname;
      const ticket = /data-ticket="([^"]+)"/.exec((await person.get(signInPath)).text)?.[1] ?? "";
      const attempt = { visitor: person, path: signInPath, load: async () => ticket };
      const { socket } = await openSocket(other, attempt, { ticket });
      if (socket === null) throw new Error("the socket did not open");
      socket.send({ type: "hello", width: 800, height: 600, isTouch: false });
      const pages = () => socket.messages.filter((message) => message.type === "page").map(({ page }) => page);
      await expect
        .poll(() => pages().some(({ title, failure }) => title === "Admin" || failure !== null), { timeout: 100_000 })
        .toBe(true);
      await socket.close();
      return pages().at(-1)?.failure;
    };
    expect(await opened([])).toEqual(expect.any(String));
    expect(requests).toEqual([]);
    expect(await opened([new URL(admin.url).host])).toBeNull();
    expect(requests).toContain("/");
  });

  it("ends with a code and one saved sign-in when nothing interrupts it", async () => {
    const socket = await signIn();
    socket.send({ type: "confirm" });
    const { to, message } = await socket.receive("over");
    expect(message).toBeNull();
    expect(new URL(to).searchParams.get("code")).toEqual(expect.any(String));
    expect([await count("saved_sign_ins"), await count("authorization_codes")]).toEqual([1, 1]);
  });

  it("gives no code to a redirect URI that is no longer registered", async () => {
    const socket = await signIn();
    await service.database.query("update applications set redirect_uris = '{}' where id = $1", [applicationId]);
    socket.send({ type: "confirm" });
    expect(await socket.receive("over")).toMatchObject({ to: "/", message: expect.stringMatching(/ended/) });
    await expectNothingSaved();
  });

  it("gives no code to a user who has signed out in the meantime", async () => {
    const socket = await signIn();
    await service.database.query("delete from sessions");
    socket.send({ type: "confirm" });
    const { to } = await socket.receive("over");
    expect(new URL(to).searchParams.get("error")).toBe("access_denied");
    await expectNothingSaved();
  });

  it("keeps the browser when saving fails, so that the button can be pressed again", async () => {
    const socket = await signIn();
    await service.database.query("alter table saved_sign_ins rename to saved_sign_ins_away");
    socket.send({ type: "confirm" });
    await expect.poll(() => phases(socket), { timeout: 100_000 }).toContain("not_signed_in");
    await service.database.query("alter table saved_sign_ins_away rename to saved_sign_ins");
    socket.send({ type: "confirm" });
    expect(new URL((await socket.receive("over")).to).searchParams.get("code")).toEqual(expect.any(String));
  });

  it("is required again when the saved one cannot be decrypted", async () => {
    const socket = await signIn();
    socket.send({ type: "confirm" });
    await socket.receive("over");
    const kept = await agree(visitor, authorizePath(applicationId));
    expect(kept.searchParams.get("code")).toEqual(expect.any(String));
    await service.database.query(
      "update saved_sign_ins set ciphertext = set_byte(ciphertext, 40, get_byte(ciphertext, 40) # 1)",
    );
    expect((await agree(visitor, authorizePath(applicationId))).pathname).toMatch(/^\/connect\//);
  });

  it("leaves nothing behind when it is canceled while it is being checked", async () => {
    const socket = await signIn();
    socket.send({ type: "confirm" });
    socket.send({ type: "cancel" });
    const { to } = await socket.receive("over");
    const { searchParams } = new URL(to);
    const hasCode = searchParams.has("code");
    expect(hasCode || searchParams.get("error") === "access_denied").toBe(true);
    const saved = hasCode ? 1 : 0;
    expect([await count("saved_sign_ins"), await count("authorization_codes")]).toEqual([saved, saved]);
  });
});
