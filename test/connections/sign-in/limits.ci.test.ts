import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestClock } from "../../_harness/clock.ts";
import { newEmail, PASSWORD, type Visit, Visitor } from "../../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../../_harness/service.ts";

describe("sign-in, three times a minute,", () => {
  const clock = new TestClock();
  let service: TestService;
  let direct: TestService;
  let addresses = 0;

  beforeAll(async () => {
    const limit = { ERRAND_SIGN_INS_PER_MINUTE: "3" };
    service = await startTestService({ clock, settings: { ...limit, ERRAND_TRUST_PROXY: "true" } });
    direct = await startTestService({ clock, settings: limit });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await direct[Symbol.asyncDispose]();
  });

  /** A client with an unused IP address. */
  function newcomer(to = service): Visitor {
    return new Visitor(to.url, { "x-forwarded-for": `203.0.113.${++addresses}` });
  }

  async function attempt(visitor: Visitor, email: string, password: string, mode = "sign-in"): Promise<Visit> {
    const page = await visitor.get(`/${mode}`);
    return visitor.submit(page.form(`/${mode}`), { email, password });
  }

  function expectLimited({ status, headers, text }: Visit, retryAfterSeconds = 20): void {
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe(String(retryAfterSeconds));
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(text).toContain("too many attempts");
    expect(headers.getSetCookie()).toEqual([]);
  }

  it("trusts only the IP address that the proxy added, not those that the client sent", async () => {
    const own = `203.0.113.${++addresses}`;
    const forger = () => new Visitor(service.url, { "x-forwarded-for": `198.51.100.${++addresses}, ${own}` });
    for (let count = 0; count < 3; count += 1) expect((await attempt(forger(), newEmail(), PASSWORD)).status).toBe(400);
    expectLimited(await attempt(forger(), newEmail(), PASSWORD));
  });

  it("is limited per IP address, whatever accounts it tries", async () => {
    const guesser = newcomer();
    for (let tries = 0; tries < 3; tries++) {
      expect((await attempt(guesser, newEmail(), "a wild guess")).status).toBe(400);
    }
    expectLimited(await attempt(guesser, newEmail(), "a wild guess"));
    expect((await attempt(newcomer(), newEmail(), "a wild guess")).status, "others go on").toBe(400);
  });

  it("is limited per IPv6 network, whatever address in it is used", async () => {
    const from = (address: string) => new Visitor(service.url, { "x-forwarded-for": address });
    for (const address of ["2001:db8:1:2::1", "2001:db8:1:2:a:b:c:d", "2001:0db8:0001:0002::2"]) {
      expect((await attempt(from(address), newEmail(), "a wild guess")).status).toBe(400);
    }
    expectLimited(await attempt(from("2001:db8:1:2:ffff::"), newEmail(), "a wild guess"));
    expect((await attempt(from("2001:db8:1:3::1"), newEmail(), "a wild guess")).status, "others go on").toBe(400);
  });

  it("stays possible for the owner, in a new browser, after a stranger's guesses", async () => {
    const email = newEmail();
    await newcomer().signUp(email);
    const stranger = newcomer();
    for (let tries = 0; tries < 12; tries++) await attempt(stranger, email, "a wild guess");
    expectLimited(await attempt(stranger, email, "a wild guess"));
    expect((await attempt(newcomer(), email, PASSWORD)).status).toBe(303);
  });

  it("is limited per account, from any network and in any spelling, but not in a browser that signed in before", async () => {
    const email = newEmail();
    const owner = newcomer();
    await owner.signUp(email);
    for (let tries = 0; tries < 29; tries++) {
      const written = [email, email.toUpperCase(), ` ${email} `][tries % 3] ?? email;
      expect((await attempt(newcomer(), written, "a wild guess")).status).toBe(400);
    }
    expectLimited(await attempt(newcomer(), email, PASSWORD), 200);
    expect((await attempt(owner, email, PASSWORD)).status).toBe(303);

    // Its cookie counts for this account only, and only as it was issued.
    const cookie = owner.cookies.get("errand.browser") ?? "";
    const other = newEmail();
    await newcomer().signUp(other);
    for (let tries = 0; tries < 29; tries++) await attempt(newcomer(), other, "a wild guess");
    expectLimited(await attempt(owner, other, PASSWORD), 200);
    const forger = newcomer();
    forger.cookies.set(
      "errand.browser",
      cookie.replace(/^./, (first) => (first === "A" ? "B" : "A")),
    );
    expectLimited(await attempt(forger, email, PASSWORD), 200);

    clock.advance({ seconds: 200 });
    expect((await attempt(newcomer(), email, PASSWORD)).status).toBe(303);
  });

  it("is limited in a browser that signed in before, wherever it is", async () => {
    const email = newEmail();
    const owner = newcomer();
    await owner.signUp(email);
    const thief = () => {
      const visitor = newcomer();
      visitor.cookies.set("errand.browser", owner.cookies.get("errand.browser") ?? "");
      return visitor;
    };
    for (let tries = 0; tries < 3; tries++) expect((await attempt(thief(), email, "a wild guess")).status).toBe(400);
    expectLimited(await attempt(thief(), email, PASSWORD));
    expect((await attempt(newcomer(), email, PASSWORD)).status, "others go on").toBe(303);
  });

  it("is limited for sign-up as well", async () => {
    const visitor = newcomer();
    for (let tries = 0; tries < 3; tries++) {
      expect((await attempt(visitor, newEmail(), PASSWORD, "sign-up")).status).toBe(303);
    }
    expectLimited(await attempt(visitor, newEmail(), PASSWORD, "sign-up"));
  });

  it("is limited by the real IP address when no proxy is trusted, regardless of X-Forwarded-For", async () => {
    for (let tries = 0; tries < 3; tries++) {
      expect((await attempt(newcomer(direct), newEmail(), "a wild guess")).status).toBe(400);
    }
    expectLimited(await attempt(newcomer(direct), newEmail(), "a wild guess"));
  });

  it("does not count forms that are not ours, so a forged attempt locks nobody out", async () => {
    const email = newEmail();
    const owner = newcomer();
    await owner.signUp(email);
    clock.advance({ seconds: 60 });
    for (let tries = 0; tries < 5; tries++) {
      const forged = { action: "/sign-in", fields: { email, password: "a wild guess", form_token: "forged" } };
      expect((await newcomer().submit(forged, {})).status).toBe(400);
    }
    expect((await attempt(owner, email, PASSWORD)).status).toBe(303);
  });
});
