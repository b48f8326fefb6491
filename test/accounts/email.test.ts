import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseEmail } from "../../src/accounts/person.ts";
import { PASSWORD, Visitor } from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

describe("an email address", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function signUp(email: string) {
    const visitor = new Visitor(service.url);
    const page = await visitor.get("/sign-up");
    return visitor.submit(page.form("/sign-up"), { email, password: PASSWORD });
  }

  it.each([
    "ann@example.com",
    "a@b.co",
    "first.last@mail.example.co.uk",
    "tag+shop@example.com",
    "o'neil@example.com",
    "under_score-dash@ex-ample.com",
    "1234567890@example.museum",
  ])("like %s is accepted", async (email) => {
    expect(parseEmail(email)).toBe(email);
    expect((await signUp(email)).status).toBe(303);
  });

  it.each([
    "",
    "ann",
    "ann@",
    "@example.com",
    "ann@example",
    "ann@@example.com",
    "a..b@example.com",
    ".ann@example.com",
    "ann.@example.com",
    "café@example.com",
    "ann@exämple.com",
    "a!b@example.com",
    "a/b@example.com",
    "ann@-example.com",
    "ann@example.c",
    "ann@example..com",
    "ann smith@example.com",
    "<ann@example.com>",
    "ann@example.com\0",
    `${"a".repeat(65)}@example.com`,
    `ann@${"a".repeat(250)}.com`,
  ])("like %j is rejected with a reason", async (email) => {
    expect(parseEmail(email)).toBeNull();
    expect(await signUp(email)).toMatchObject({ status: 400, text: expect.stringContaining("valid email address") });
  });

  it("is normalized: case and surrounding spaces do not matter", async () => {
    expect(parseEmail("  Ann@Example.COM ")).toBe("ann@example.com");
    for (const written of ["twice@example.com", " TWICE@example.com"]) {
      expect((await signUp(written)).status).toBe(303);
    }
    const rows = await service.database.query("select email from users where email ilike 'twice@%'");
    expect(rows).toEqual([{ email: "twice@example.com" }]);
  });
});
