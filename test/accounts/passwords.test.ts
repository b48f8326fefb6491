import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnErrand } from "../_harness/errand.ts";
import { newEmail, PASSWORD, Visitor } from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

describe("a password set by the operator", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const setPassword = (email: string, password: string) =>
    spawnErrand(
      ["user", "set-password", "--user", email, "--json"],
      { DATABASE_URL: service.database.url },
      `${password}\n`,
    );

  async function signIn(email: string, password: string, visitor = new Visitor(service.url)): Promise<number> {
    const page = await visitor.get("/sign-in");
    return (await visitor.submit(page.form("/sign-in"), { email, password })).status;
  }

  it("lets a person sign in who was connected by the operator and never signed up", async () => {
    const email = newEmail();
    const { userId } = await service.connect({ email });
    const visitor = new Visitor(service.url);
    const signUp = await visitor.get("/sign-up");
    expect((await visitor.submit(signUp.form("/sign-up"), { email, password: PASSWORD })).status).toBe(303);
    const signInPage = await visitor.get("/sign-in");
    expect(await visitor.submit(signInPage.form("/sign-in"), { email, password: PASSWORD })).toMatchObject({
      status: 400,
      text: expect.stringContaining("or use “Forgot password?”."),
    });
    const result = await setPassword(email, "brand new password");
    expect(JSON.parse(result.stdout)).toEqual({ user_id: userId });
    expect(await signIn(email, "brand new password")).toBe(303);
  });

  it("replaces the old one and ends every session", async () => {
    const visitor = new Visitor(service.url);
    const email = await visitor.signUp();
    const sessions = () =>
      service.database.query("select sessions.id from sessions join users on users.id = user_id where email = $1", [
        email,
      ]);
    expect(await sessions()).toHaveLength(1);
    expect((await setPassword(email, "replaced password")).code).toBe(0);
    expect(await sessions()).toHaveLength(0);
    expect(await signIn(email, PASSWORD)).toBe(400);
    expect(await signIn(email, "replaced password")).toBe(303);
  });

  it("is rejected when it is too short or the account does not exist", async () => {
    const email = newEmail();
    await service.connect({ email });
    expect(await setPassword(email, "short")).toMatchObject({ code: 1, stderr: expect.stringContaining("at least 8") });
    expect(await setPassword("nobody@example.com", "long enough")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no account"),
    });
  });
});
