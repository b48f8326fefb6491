import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLiveService } from "../_harness/live-sign-in.ts";
import { authorizePath, newVisitor, registerClient, type Visitor } from "../_harness/oauth-flow.ts";
import type { TestService } from "../_harness/service.ts";

const EMPTY = { spending_currency: null, spending_per_errand: null, spending_per_month: null };

describe("the spending limits on the consent page", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startLiveService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function consent(visitor: Visitor, clientId: string, fields: Record<string, string> = {}) {
    const page = await visitor.get(authorizePath(clientId));
    const answer = await visitor.submit(page.form("/v1/oauth/authorize"), { decision: "allow", ...fields });
    return { page: page.text, answer };
  }

  const limitsIn = (table: "connections" | "sign_in_attempts", clientId: string) =>
    service.database.query(
      `select spending_currency, spending_per_errand::int, spending_per_month::int from ${table} where application_id = $1`,
      [clientId],
    );

  it("are kept in minor units, shown the next time, and lifted by empty fields", async () => {
    const [visitor, { id }] = [await newVisitor(service), await registerClient(service)];
    const limits = { spending_currency: "GBP", spending_per_errand: "19,99", spending_per_month: " 100 " };
    const { page, answer } = await consent(visitor, id, limits);
    expect(page).toContain("<summary>Limit what it may spend</summary>");
    expect(page).not.toContain('<details class="spending" open>');
    expect(answer.status).toBe(303);
    expect(await limitsIn("connections", id)).toEqual([
      { spending_currency: "GBP", spending_per_errand: 1999, spending_per_month: 10000 },
    ]);
    const again = await visitor.get(authorizePath(id));
    expect(again.text).toContain('<details class="spending" open>');
    expect(again.text).toContain('value="19.99"');
    expect(again.text).toContain('value="100.00"');
    expect(again.text).toContain("<option selected>GBP</option>");
    await consent(visitor, id, { spending_per_errand: "", spending_per_month: "" });
    expect(await limitsIn("connections", id)).toEqual([EMPTY]);
  });

  it.each([
    ["EUR", "abc", "Enter a spending limit as a number above 0, such as 20 or 19.99"],
    ["EUR", "0", "above 0"],
    ["EUR", "-5", "above 0"],
    ["EUR", "1.000", "without a thousands separator"],
    ["EUR", "1,000", "without a thousands separator"],
    ["EUR", "1,000.00", "without a thousands separator"],
    ["EUR", "20.", "above 0"],
    ["EUR", "€20", "above 0"],
    ["EUR", "1e3", "above 0"],
    ["EUR", "99999999999999999999", "too large. Enter at most 999999999,"],
    ["JPY", "20.5", "such as 2000"],
    ["XXX", "20", "Choose a currency"],
  ])("of %s %s are refused with a message, and nothing is saved", async (currency, text, message) => {
    const [visitor, { id }] = [await newVisitor(service), await registerClient(service)];
    const { answer } = await consent(visitor, id, { spending_currency: currency, spending_per_month: text });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
    expect(answer.text).toContain("Nothing was saved.");
    expect(answer.text).toContain(`value="${text}"`);
    expect(await limitsIn("connections", id)).toEqual([]);
    const corrected = await visitor.submit(answer.form("/v1/oauth/authorize"), {
      decision: "allow",
      spending_currency: "EUR",
      spending_per_month: "20",
    });
    expect(corrected.status).toBe(303);
    expect(await limitsIn("connections", id)).toMatchObject([{ spending_per_month: 2000 }]);
  });

  it("are remarked on once when the month's is lower than the errand's", async () => {
    const [visitor, { id }] = [await newVisitor(service), await registerClient(service)];
    const remark = "The limit per month is lower than the limit per errand";
    const lower = { spending_per_errand: "20", spending_per_month: "5" };
    const { answer } = await consent(visitor, id, lower);
    expect(answer.text).toContain(remark);
    expect(await limitsIn("connections", id)).toEqual([]);
    // Other amounts are remarked on again.
    const other = { decision: "allow", ...lower, spending_per_month: "6" };
    expect((await visitor.submit(answer.form("/v1/oauth/authorize"), other)).text).toContain(remark);
    const allowed = await visitor.submit(answer.form("/v1/oauth/authorize"), { decision: "allow", ...lower });
    expect(allowed.status).toBe(303);
    expect(await limitsIn("connections", id)).toMatchObject([{ spending_per_errand: 2000, spending_per_month: 500 }]);
    const again = await visitor.get(authorizePath(id));
    expect(again.text).toContain(remark);
    expect(again.text).not.toContain("Nothing was saved yet");
  });

  it("are kept while the user signs in to the site, and not offered where nothing can be bought", async () => {
    const visitor = await newVisitor(service);
    const { id } = await registerClient(service, { signInUrl: "https://shop.example/sign-in" });
    await consent(visitor, id, { spending_per_errand: "20" });
    expect(await limitsIn("sign_in_attempts", id)).toEqual([
      { spending_currency: "EUR", spending_per_errand: 2000, spending_per_month: null },
    ]);
    const reader = await registerClient(service, { access: "read_only" });
    expect((await consent(visitor, reader.id)).page).not.toContain("spending_per_month");
  });
});
