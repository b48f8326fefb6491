import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { computeTotp, parseTotpSecret, type TotpSecret } from "../../../src/lib/totp.ts";
import { type ConsoleVisit, registerInConsole, visitConsole } from "../../_harness/console.ts";
import { runErrand, spawnErrand } from "../../_harness/errand.ts";
import { dumpTables, expectNowhere } from "../../_harness/everything-kept.ts";
import { beginAttempt, type OpenAttempt } from "../../_harness/live-sign-in.ts";
import { storeSignIn } from "../../_harness/saved-sign-in.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";
import { readRenewal } from "../../_harness/stored-credentials.ts";

const SECRET = "KRUGKIDROVUWG2ZAMJZG653OEBTG66DP";
const PASSWORD = "canary-pass-51c0de";
const ENTRY = { user_name: "me@example.com", password: PASSWORD, totp_secret: SECRET };
const SIGN_IN = {
  state: { storage: { cookies: [], origins: [] }, sessionStorage: [] },
  probe: { url: "https://shop.example/account", mustSee: "Sign out", mustNotSee: null },
};

/** The code now, or that of a moment ago. */
function codes(): string[] {
  const secret = parseTotpSecret(SECRET) as TotpSecret;
  return [Date.now(), Date.now() - 30_000].map((at) => computeTotp(secret, at));
}

describe("stored credentials", () => {
  const parts = new AsyncDisposableStack();
  let service: TestService;
  let owner: ConsoleVisit;
  let user: ConsoleVisit;
  let connection: TestConnection;
  let path: string;

  beforeAll(async () => {
    const pool = parts.use(await openSharedPool());
    service = parts.use(await startTestService({ browsers: { pool, privateHosts: [] } }));
    await visitConsole(service, { isOperator: true });
    owner = await visitConsole(service, { credits: 100 });
  });
  afterAll(() => parts.disposeAsync());
  beforeEach(async () => {
    user = await visitConsole(service);
    const settings = { sign_in_url: "https://shop.example/login", stored_credentials: true };
    const { id } = await registerInConsole(owner, settings);
    connection = await service.connect({ applicationId: id, email: user.email });
    await storeSignIn(service, connection.connectionId, SIGN_IN);
    path = `/connections/${connection.connectionId}/credentials`;
  });

  const env = () => ({ DATABASE_URL: service.database.url, ERRAND_DATA_DIR: service.dataDir });
  const command = (name: string) => ["connection", name, "--connection", connection.connectionId];

  describe("in the console", () => {
    it("are stored by the user of the connection only, and no response contains them", async () => {
      expect((await owner.call("PUT", path, ENTRY)).status).toBe(404);
      expect((await (await visitConsole(service)).call("PUT", path, ENTRY)).status).toBe(404);
      const { status, body } = await user.call("PUT", path, { ...ENTRY, totp_secret: SECRET.toLowerCase() });
      expect(status).toBe(200);
      expect(codes()).toContain(body.code);
      expect(body.connection.renewal).toMatchObject({ renewed_at: null, failed_at: null, failure: null });
      const { body: list } = await user.get("/connections");
      const answers = JSON.stringify([body, list]);
      expectNowhere([PASSWORD, SECRET], { answers, tables: (await dumpTables(service)).join("\n") });
    });

    it("are refused with what is wrong, without repeating it", async () => {
      const refused = await user.call("PUT", path, { ...ENTRY, password: "", totp_secret: "123456" });
      expect(refused.status).toBe(400);
      expect(refused.body.error.details.map(({ path: field }: { path: string }) => field)).toEqual([
        "password",
        "totp_secret",
      ]);
      expect(JSON.stringify(refused.body)).not.toContain("123456");
      expect(await readRenewal(service, connection)).toBeNull();
    });

    it.each(["user", "owner"] as const)("are deleted by the %s; the saved sign-in stays", async (who) => {
      await user.call("PUT", path, ENTRY);
      expect((await { user, owner }[who].call("DELETE", path)).status).toBe(204);
      const { body } = await user.get("/connections");
      expect(body.connections[0]).toMatchObject({ renewal: null, signed_in_at: expect.any(String) });
    });

    it("are deleted when the user disconnects, and when they sign in by hand again", async () => {
      await user.call("PUT", path, ENTRY);
      await storeSignIn(service, connection.connectionId, SIGN_IN);
      expect(await readRenewal(service, connection)).toBeNull();
      await user.call("PUT", path, ENTRY);
      await user.post(`/connections/${connection.connectionId}/disconnect`);
      expect(await readRenewal(service, connection)).toBeNull();
      const refused = await user.call("PUT", path, ENTRY);
      expect(refused).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining("Sign in first") } },
      });
    });

    it("need an application that allows them", async () => {
      const { applicationId } = connection;
      await owner.call("PATCH", `/applications/${applicationId}`, { stored_credentials: false });
      expect((await user.call("PUT", path, ENTRY)).body.error.message).toContain("does not allow stored credentials");
    });
  });

  describe("on the command line", () => {
    it("are read from standard input and never printed", async () => {
      const lines = `${ENTRY.user_name}\n${PASSWORD}\notpauth://totp/Shop?secret=${SECRET}\n`;
      const { code, stdout, stderr } = await spawnErrand(command("store-credentials"), env(), lines);
      expect([code, stderr]).toEqual([0, ""]);
      expect(codes().some((each) => stdout.includes(each))).toBe(true);
      expectNowhere([PASSWORD, SECRET], { stdout, tables: (await dumpTables(service)).join("\n") });
      expect(await readRenewal(service, connection)).toEqual({ isRenewed: false, failure: null });

      const rotated = await runErrand(["key", "rotate", "--json"], env());
      expect(JSON.parse(rotated.stdout).unreadable).toEqual([]);
      const [row] = await service.database.query(
        "select count(distinct key_id)::int as keys from (select key_id from sign_in_credentials union all select key_id from saved_sign_ins) as sealed",
      );
      expect(row).toEqual({ keys: 1 });

      const deleted = await runErrand(command("delete-credentials"), env());
      expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining("are deleted") });
      expect(await readRenewal(service, connection)).toBeNull();
    });

    it("are refused without a password", async () => {
      const refused = await spawnErrand(command("store-credentials"), env(), "only a name\n");
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("one per line") });
    });
  });

  describe("after a sign-in by hand", () => {
    /** As if the person had just signed in. */
    async function arrive(): Promise<OpenAttempt> {
      const attempt = await beginAttempt(service, "https://shop.example/login");
      const id = attempt.path.split("/").at(-1);
      const [row] = await service.database.query<TestConnection & { id: string }>(
        `with attempt as (update sign_in_attempts set outcome = 'credentials' where id = $1 returning *),
           allowed as (update applications set stored_credentials = true where id = (select application_id from attempt))
         insert into connections (application_id, user_id) select application_id, user_id from attempt returning id`,
        [id],
      );
      connection = { ...connection, connectionId: row?.id ?? "" };
      await storeSignIn(service, connection.connectionId, SIGN_IN);
      return attempt;
    }

    it("can be declined: the person goes back with a code, once", async () => {
      const { visitor, path: attemptPath } = await arrive();
      expect((await visitor.get(attemptPath)).location?.pathname).toBe(`${attemptPath}/credentials`);
      const page = await visitor.get(`${attemptPath}/credentials`);
      expect(page.text).toContain("Entered only on");
      const form = { action: `${attemptPath}/credentials`, fields: page.form(`${attemptPath}/credentials`).fields };
      const back = await visitor.submit(form, { decision: "continue" });
      expect([back.status, back.location?.searchParams.get("code")]).toEqual([
        303,
        expect.stringMatching(/^errand_ac_/),
      ]);
      expect((await visitor.submit(form, { decision: "continue" })).status).toBe(404);
      expect(await readRenewal(service, connection)).toBeNull();
    });

    it("are stored with a code to compare, which no other page shows", async () => {
      const { visitor, path: attemptPath } = await arrive();
      const form = (await visitor.get(`${attemptPath}/credentials`)).form(`${attemptPath}/credentials`);
      const wrong = await visitor.submit(form, { ...ENTRY, totp_secret: "123456" });
      expect([wrong.status, wrong.text.includes(PASSWORD), wrong.text.includes(ENTRY.user_name)]).toEqual([
        400,
        false,
        true,
      ]);
      const stored = await visitor.submit(form, ENTRY);
      expect(stored.status).toBe(200);
      const shown = /<strong>(\d{3}) (\d{3})<\/strong>/.exec(stored.text);
      expect(codes()).toContain(`${shown?.[1]}${shown?.[2]}`);
      expectNowhere([PASSWORD, SECRET], { page: stored.text, log: service.log.join("\n") });
      expect((await visitor.get(`${attemptPath}/credentials`)).text).not.toMatch(/<strong>\d{3} \d{3}</);
      expect(await readRenewal(service, connection)).toEqual({ isRenewed: false, failure: null });
      expect((await visitor.submit(form, { decision: "continue" })).status).toBe(303);
    });
  });
});
