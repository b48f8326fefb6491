import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../_harness/api.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../../_harness/browsing-worker.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";
import {
  connectToLibrary,
  type Library,
  openLibrary,
  readRenewal,
  storeCredentials,
} from "../../_harness/stored-credentials.ts";
import { READER } from "../../sites/sign-in/two-factor.ts";

describe("an expired sign-in with stored credentials, on all kinds of forms and at any time", () => {
  let service: TestService;
  let library: Library;
  let worker: BrowsingWorker;
  let connection: TestConnection;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    library = await openLibrary();
    worker = await startBrowsingWorker(service, {
      privateHosts: [new URL(library.url).host],
      settings: { ERRAND_SIGN_IN_CHECK_HOURS: "1" },
    });
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await library[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    library.state.sessions.clear();
    Object.assign(library.state, {
      form: "two pages",
      asksForCode: true,
      passwords: 0,
      codes: 0,
      onMemberPage: () => {},
    });
    connection = await connectToLibrary(service, library);
    api = createApi(service.url, connection);
  });

  async function run(prompt: string, path = "/account") {
    const { id } = await api.created({ prompt, start_url: library.url + path });
    // A renewal and two runs may take longer than one wait.
    await api.get(id, "?wait=30");
    const { execution } = (await api.get(id, "?wait=30")).body;
    const { events } = (await api.events(id)).body;
    return { execution, events };
  }

  const stateOf = async () => (await service.operations.connections.get(connection.connectionId)).state;
  const renewalsIn = (events: { type: string; data: object }[]) =>
    events.filter(({ type }) => type === "sign_in").map(({ data }) => data);

  it.each(["one page", "script"] as const)("is renewed with another form: %s", async (form) => {
    Object.assign(library.state, { form, asksForCode: false });
    await storeCredentials(service, connection, { totpSecret: "" });
    expect((await run("Tell me the name.")).execution).toMatchObject({ result: { final_text: READER.name } });
    expect(library.state.passwords).toBe(1);
  });

  it("is renewed while the errand runs: it begins again, and its steps are counted on", async () => {
    await storeCredentials(service, connection);
    await run("Tell me the name.");
    let isDropped = false;
    library.state.onMemberPage = (path) => {
      if (path !== "/loans" || isDropped) return;
      isDropped = true;
      library.state.sessions.clear();
    };
    const { execution, events } = await run('Click "Loans". Click "Fees". Tell me the open fees.');
    expect(execution).toMatchObject({ status: "COMPLETED", result: { final_text: expect.stringContaining("4.20") } });
    expect(renewalsIn(events)).toEqual([{ outcome: "renewed" }]);
    const steps = events.filter(({ type }) => type === "step").map(({ data }) => data["step"]);
    expect(steps).toEqual(steps.map((_, index) => index + 1));
    expect(library.state.passwords).toBe(2);
  });

  it("is renewed, but nothing is sent a second time", async () => {
    await storeCredentials(service, connection);
    await run("Tell me the name.");
    library.state.onMemberPage = (path) => {
      if (path === "/loans") library.state.sessions.clear();
    };
    library.state.form = "one page";
    const { execution } = await run('Click "Borrow". Click "Loans". Click "Fees".');
    expect(execution).toMatchObject({ status: "FAILED", terminal: { status: "site_error" } });
    expect([library.state.loans, await stateOf()]).toEqual([1, "ACTIVE"]);
  });

  it("is not renewed without the one-time code that the site wants", async () => {
    await storeCredentials(service, connection, { totpSecret: "" });
    const { execution } = await run("Tell me the name.");
    expect(execution.terminal.status).toBe("reauthorization_required");
    expect(await readRenewal(service, connection)).toEqual({ isRenewed: false, failure: "code_required" });
  });

  it("is renewed by the scheduled check", async () => {
    await storeCredentials(service, connection);
    await service.database.query(
      "update saved_sign_ins set checked_at = now() - interval '3 hours' where connection_id = $1",
      [connection.connectionId],
    );
    await service.database.query("select graphile_worker.add_job('find-due-sign-ins')");
    await expect
      .poll(() => readRenewal(service, connection), { timeout: 100_000 })
      .toEqual({ isRenewed: true, failure: null });
    expect(await stateOf()).toBe("ACTIVE");
  });
});
