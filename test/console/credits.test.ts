import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EntryList, LedgerEntry, Usage } from "../../src/contract/console/credits.ts";
import { createApi } from "../_harness/api.ts";
import { type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { type Party, registerFor, startParty } from "../_harness/console-world.ts";
import { finishDirectly, startDirectly } from "../_harness/engine.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

describe("credits in the console", () => {
  let service: TestService;
  let shop: Party;
  let bank: Party;
  let operator: ConsoleVisit;
  let second: TestConnection;
  let completed: string;

  beforeAll(async () => {
    service = await startTestService();
    shop = await startParty(service, "Shop", 1_000);
    bank = await startParty(service, "Bank", 500);
    operator = await visitConsole(service, { isOperator: true });
    second = await service.connect({ applicationId: await registerFor(service, shop.owner, "Second") });
    completed = await runToEnd(shop.connection, "COMPLETED");
    await runToEnd(shop.connection, "FAILED");
    await runToEnd(second, "COMPLETED");
    await runToEnd(bank.connection, "COMPLETED");
    await createApi(service.url, second).created();
  });
  afterAll(async () => {
    await expectLedgerAddsUp(service);
    await service[Symbol.asyncDispose]();
  });

  async function runToEnd(connection: TestConnection, status: "COMPLETED" | "FAILED"): Promise<string> {
    const { id } = await createApi(service.url, connection).created();
    await startDirectly(service, id);
    await finishDirectly(service, id, status);
    return id;
  }

  async function readLedger(visit: ConsoleVisit, limit = 200): Promise<LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (let after = ""; ; after = `&after=${entries.at(-1)?.id}`) {
      const { status, body } = await visit.get(`/credits/entries?limit=${limit}${after}`);
      expect(status).toBe(200);
      entries.push(...(body as EntryList).entries);
      if (!(body as EntryList).has_more) return entries;
    }
  }

  const readUsage = async (days: number): Promise<Usage> =>
    (await shop.owner.get(`/credits/usage?days=${days}`)).body as Usage;

  it("are listed with every entry, newest first, and with its application", async () => {
    const { body } = await shop.owner.get("/credits/entries");
    const { balance, entries, has_more } = body as EntryList;
    expect([balance, has_more]).toEqual([997, false]);
    expect(entries.map(({ kind, change, application }) => [kind, change, application?.name ?? null])).toEqual([
      ["reserve", -1, "Second"],
      ["capture", 0, "Second"],
      ["reserve", -1, "Second"],
      ["release", 1, "Shop"],
      ["reserve", -1, "Shop"],
      ["capture", 0, "Shop"],
      ["reserve", -1, "Shop"],
      ["grant", 1_000, null],
    ]);
    expect(entries.at(-2)).toEqual({
      id: expect.any(Number),
      kind: "reserve",
      credits: 1,
      change: -1,
      execution_id: completed,
      application: { id: shop.connection.applicationId, name: "Shop" },
      created_at: expect.stringMatching(/Z$/),
    });
    expect(entries.reduce((sum, { change }) => sum + change, 0)).toBe(balance);
  });

  it("are paged without gaps or duplicates", async () => {
    expect(await readLedger(shop.owner, 3)).toEqual(await readLedger(shop.owner));
    expect((await shop.owner.get("/credits/entries?after=0")).body.entries).toEqual([]);
    expect((await shop.owner.get("/credits/entries?after=9007199254740993")).status).toBe(400);
  });

  it("are separate per owner", async () => {
    const theirs = await readLedger(bank.owner);
    const ours = new Set((await readLedger(shop.owner)).map(({ id }) => id));
    expect(theirs.map(({ application }) => application?.name ?? null)).toEqual(["Bank", "Bank", null]);
    expect(theirs.filter(({ id }) => ours.has(id))).toEqual([]);
    expect(
      (await bank.owner.get("/credits/usage")).body.applications.map(({ name }: { name: string }) => name),
    ).toEqual(["Bank"]);
    expect((await operator.get("/credits/usage")).body.applications).toEqual([]);
  });

  it.each([
    ["/credits/entries", [200, 403, 200]],
    ["/credits/usage", [200, 403, 200]],
  ])("at %s are for owners only", async (path, [owner, user, first]) => {
    const visits = [shop.owner, shop.user, operator];
    expect(await Promise.all(visits.map(async (visit) => (await visit.get(path)).status))).toEqual([
      owner,
      user,
      first,
    ]);
    expect((await shop.owner.call("GET", path, undefined, { cookie: "" })).status).toBe(401);
  });

  it("are used by application and day, and the sums are those of the ledger", async () => {
    await enterPast(service, shop);
    for (const days of [1, 2, 7, 365]) {
      const usage = await readUsage(days);
      const today = new Date().toISOString().slice(0, 10);
      expect([usage.days.length, usage.days.at(-1)]).toEqual([days, today]);
      expect(usage.days).toEqual([...new Set(usage.days)].toSorted());
      expect(usage.applications).toEqual(sumUp(await readLedger(shop.owner), usage.days));
    }
    const total = (await readUsage(30)).applications.map(({ name, credits, executions }) => [
      name,
      credits.reduce((a, b) => a + b),
      executions.reduce((a, b) => a + b),
    ]);
    expect(total).toEqual([
      ["Second", 1, 2],
      ["Shop", 31, 4],
    ]);
    expect((await shop.owner.get("/credits/usage")).body.days).toHaveLength(30);
  });

  it.each(["days=0", "days=366", "days=1.5", "days=", "weeks=1"])("reject usage with %s", async (query) => {
    expect((await shop.owner.get(`/credits/usage?${query}`)).status).toBe(400);
  });

  it("used by a deleted application are listed under its name", async () => {
    const [before, ledger] = [await readUsage(30), await readLedger(shop.owner)];
    const { status } = await shop.owner.call("DELETE", `/applications/${second.applicationId}`, { name: "Second" });
    expect(status).toBe(204);
    expect(await readUsage(30)).toEqual(before);
    const after = await readLedger(shop.owner);
    expect(after.slice(1)).toEqual(ledger);
    expect(after[0]).toMatchObject({ kind: "release", application: { id: second.applicationId, name: "Second" } });
  });

  describe("are granted", () => {
    const idOf = async (visit: ConsoleVisit) =>
      (await service.database.query<{ id: string }>("select id from owners where user_id = $1", [visit.userId]))[0]
        ?.id ?? "";

    it("by the operator, to any owner, with an entry that says so", async () => {
      const { status, body } = await operator.post("/credits/grants", { owner_id: await idOf(bank.owner), amount: 25 });
      expect([status, body]).toEqual([201, { balance: 524 }]);
      const { balance, entries } = (await bank.owner.get("/credits/entries?limit=1")).body as EntryList;
      expect([balance, entries[0]]).toEqual([
        524,
        expect.objectContaining({ kind: "grant", credits: 25, change: 25, execution_id: null, application: null }),
      ]);
    });

    it("by nobody else, not even to themselves", async () => {
      const before = await readLedger(bank.owner);
      const grant = { owner_id: await idOf(bank.owner), amount: 1 };
      for (const visit of [bank.owner, shop.owner, shop.user])
        expect((await visit.post("/credits/grants", grant)).status).toBe(403);
      expect((await operator.call("POST", "/credits/grants", grant, { cookie: "" })).status).toBe(401);
      expect(await readLedger(bank.owner)).toEqual(before);
    });

    it.each([
      [{ owner_id: randomUUID() }, 404],
      [{ owner_id: "x" }, 404],
      [{ amount: 0 }, 400],
      [{ amount: -5 }, 400],
      [{ amount: 1.5 }, 400],
      [{ amount: 1_000_000_001 }, 400],
      [{ amount: "5" }, 400],
      [{ note: "x" }, 400],
    ])("not for %j", async (wrong, status) => {
      const sent = { owner_id: await idOf(bank.owner), amount: 1, ...wrong };
      expect((await operator.post("/credits/grants", sent)).status).toBe(status);
    });
  });
});

/** Runs of earlier days, around midnight in UTC. Their executions are gone; their ledger entries are not. */
async function enterPast({ database }: TestService, { owner, connection }: Party): Promise<void> {
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const moments = [midnight - 1, midnight - 6 * DAY_MS, midnight - 40 * DAY_MS].map((ms) => new Date(ms).toISOString());
  for (const [index, moment] of moments.entries()) {
    for (const kind of ["reserve", "capture"]) {
      await database.query(
        `insert into credit_entries (owner_id, application_id, execution_id, kind, credits, created_at)
         select id, $2, $3, $4, $5, $6 from owners where user_id = $1`,
        [
          owner.userId,
          connection.applicationId,
          `00000000-0000-7000-8000-00000000000${index}`,
          kind,
          10 + index * 10,
          moment,
        ],
      );
    }
  }
  await database.query("update owners set balance = balance - 60 where user_id = $1", [owner.userId]);
}

function sumUp(ledger: LedgerEntry[], days: string[]): Usage["applications"] {
  const ofKind = (kind: LedgerEntry["kind"]) =>
    ledger.filter((entry) => entry.kind === kind && days.includes(entry.created_at.slice(0, 10)));
  const sum = (entries: LedgerEntry[], day: string, worth: (entry: LedgerEntry) => number) =>
    entries.filter(({ created_at }) => created_at.startsWith(day)).reduce((total, entry) => total + worth(entry), 0);
  const used = [...ofKind("reserve"), ...ofKind("capture")].flatMap(({ application }) => application ?? []);
  const applications = new Map(used.map(({ id, name }) => [id, name]));
  return [...applications]
    .map(([id, name]) => {
      const isTheirs = ({ application }: LedgerEntry) => application?.id === id;
      const [captures, reserves] = [ofKind("capture").filter(isTheirs), ofKind("reserve").filter(isTheirs)];
      return {
        id,
        name,
        credits: days.map((day) => sum(captures, day, ({ credits }) => credits)),
        executions: days.map((day) => sum(reserves, day, () => 1)),
      };
    })
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
