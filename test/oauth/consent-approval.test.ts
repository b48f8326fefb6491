import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Registration } from "../../src/applications/applications.ts";
import { startLiveService } from "../_harness/live-sign-in.ts";
import { authorizePath, newVisitor, registerClient, type Visitor } from "../_harness/oauth-flow.ts";
import type { TestService } from "../_harness/service.ts";

const BOX = /<input type="checkbox" name="approval" value="commits"( checked)?>/;

describe("the consent page", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startLiveService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function consent(visitor: Visitor, clientId: string, more: Record<string, string> = {}) {
    const page = await visitor.get(authorizePath(clientId));
    const answer = await visitor.submit(page.form("/v1/oauth/authorize"), { decision: "allow", ...more });
    expect(answer.status, answer.text).toBe(303);
    return page.text;
  }

  async function approvalsOf(clientId: string): Promise<string[]> {
    const rows = await service.database.query<{ approval: string }>(
      "select approval from connections where application_id = $1",
      [clientId],
    );
    return rows.map(({ approval }) => approval);
  }

  const register = async (registration: Partial<Registration> = {}) => (await registerClient(service, registration)).id;

  it("keeps the user's wish to be asked, and shows it the next time", async () => {
    const [visitor, id] = [await newVisitor(service), await register()];
    expect(BOX.exec(await consent(visitor, id, { approval: "commits" }))?.[1]).toBeUndefined();
    expect(await approvalsOf(id)).toEqual(["commits"]);
    expect(BOX.exec(await consent(visitor, id))?.[1]).toBe(" checked");
    expect(await approvalsOf(id)).toEqual(["never"]);
  });

  it("takes nothing else for a wish", async () => {
    const [visitor, id] = [await newVisitor(service), await register()];
    await consent(visitor, id, { approval: "on" });
    expect(await approvalsOf(id)).toEqual(["never"]);
  });

  it("says so where the application asks anyway, and offers nothing where nothing can be changed", async () => {
    const visitor = await newVisitor(service);
    const asking = await consent(visitor, await register({ approval: "commits" }));
    expect(asking).toContain(
      "Errand asks before anything is bought, sent or deleted. The question goes to the application.",
    );
    expect(asking).not.toMatch(BOX);
    expect(await consent(visitor, await register({ access: "read_only" }))).not.toMatch(BOX);
  });

  it("keeps the wish while the user signs in to the site", async () => {
    const [visitor, id] = [await newVisitor(service), await register({ signInUrl: "https://shop.example/sign-in" })];
    await consent(visitor, id, { approval: "commits" });
    const attempts = await service.database.query("select approval from sign_in_attempts where application_id = $1", [
      id,
    ]);
    expect(attempts).toEqual([{ approval: "commits" }]);
  });
});
