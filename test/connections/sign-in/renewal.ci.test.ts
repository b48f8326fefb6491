import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../_harness/api.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../../_harness/browsing-worker.ts";
import { dumpTables, expectNowhere, readFiles } from "../../_harness/everything-kept.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";
import {
  connectToLibrary,
  type Library,
  openLibrary,
  readRenewal,
  storeCredentials,
} from "../../_harness/stored-credentials.ts";
import { READER } from "../../sites/sign-in/two-factor.ts";

describe("a sign-in that has expired, with stored credentials", () => {
  let service: TestService;
  let library: Library;
  let other: Library;
  let worker: BrowsingWorker;
  let connection: TestConnection;
  let api: Api;
  const answers: string[] = [];

  beforeAll(async () => {
    service = await startTestService();
    library = await openLibrary();
    other = await openLibrary("localhost");
    worker = await startBrowsingWorker(service, {
      privateHosts: [library, other].map(({ url }) => new URL(url).host),
      settings: { ERRAND_SIGN_IN_CHECK_HOURS: "1" },
    });
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await library[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
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
    await connect();
  });

  async function connect(registration = {}) {
    connection = await connectToLibrary(service, library, registration);
    api = createApi(service.url, connection);
  }

  async function run(prompt: string, path = "/account") {
    const { id } = await api.created({ prompt, start_url: library.url + path });
    // A renewal and two runs may take longer than one wait.
    await api.get(id, "?wait=30");
    const { execution } = (await api.get(id, "?wait=30")).body;
    const { events } = (await api.events(id)).body;
    answers.push(JSON.stringify([execution, events]));
    for (const { id: artifactId } of (await api.artifacts(id)).body.artifacts) {
      answers.push((await api.artifact(id, artifactId)).body.toString("latin1"));
    }
    return { execution, events };
  }

  const stateOf = async () => (await service.operations.connections.get(connection.connectionId)).state;
  const renewalsIn = (events: { type: string; data: object }[]) =>
    events.filter(({ type }) => type === "sign_in").map(({ data }) => data);

  it("is renewed with user name, password and one-time code, and the errand goes on", async () => {
    await storeCredentials(service, connection);
    const { execution, events } = await run("Tell me the name.");
    expect(execution).toMatchObject({ status: "COMPLETED", result: { final_text: READER.name } });
    expect(renewalsIn(events)).toEqual([{ outcome: "renewed" }]);
    expect(library.state).toMatchObject({ passwords: 1, codes: 1 });
    expect([await readRenewal(service, connection), await stateOf()]).toEqual([
      { isRenewed: true, failure: null },
      "ACTIVE",
    ]);
    const next = await run("Tell me the name.");
    expect([next.execution.status, renewalsIn(next.events), library.state.passwords]).toEqual(["COMPLETED", [], 1]);
  });

  it("is tried once with a wrong password; then the user has to sign in", async () => {
    await storeCredentials(service, connection, { password: `${READER.password}-not` });
    const { execution, events } = await run("Tell me the name.");
    expect(execution).toMatchObject({
      terminal: { status: "reauthorization_required", reason: expect.stringContaining("did not accept") },
      error: { code: "REAUTHORIZATION_REQUIRED" },
    });
    expect(renewalsIn(events)).toEqual([{ outcome: "failed", failure: "rejected" }]);
    expect([library.state.passwords, await stateOf()]).toEqual([1, "REAUTHORIZATION_REQUIRED"]);
    await service.database.query("update connections set state = 'ACTIVE' where id = $1", [connection.connectionId]);
    expect((await run("Tell me the name.")).execution.terminal.status).toBe("reauthorization_required");
    expect(library.state.passwords).toBe(1);
    expect(await readRenewal(service, connection)).toEqual({ isRenewed: false, failure: "rejected" });
  });

  it("is not renewed on another host, wherever the application's sign-in URL leads by then", async () => {
    await storeCredentials(service, connection);
    await service.operations.applications.change(connection.applicationId, { signInUrl: `${other.url}/sign-in` });
    expect((await run("Tell me the name.")).execution.terminal.status).toBe("reauthorization_required");
    expect(await readRenewal(service, connection)).toEqual({ isRenewed: false, failure: "other_site" });
    expect(other.recorded).toEqual([]);
  });

  it("is not renewed unless the application allows it, which it does not by default", async () => {
    await connect({ storedCredentials: undefined });
    await expect(storeCredentials(service, connection)).rejects.toThrow("does not allow stored credentials");
    await service.operations.applications.change(connection.applicationId, { storedCredentials: true });
    await storeCredentials(service, connection);
    await service.operations.applications.change(connection.applicationId, { storedCredentials: false });
    expect(await readRenewal(service, connection)).toBeNull();
    expect((await run("Tell me the name.")).execution.terminal.status).toBe("reauthorization_required");
    expect(library.state.passwords).toBe(0);
  });

  it("leaves password and secret nowhere in plain text: no table, file, log line, event, artifact or response", async () => {
    const places = {
      tables: (await dumpTables(service)).join("\n"),
      files: (await readFiles(service.dataDir)).join("\n"),
      log: [...service.log, ...worker.log].join("\n"),
      answers: answers.join("\n"),
    };
    expect(places.tables).toContain(connection.connectionId);
    expect(places.log).toContain("Signed in with stored credentials");
    expect(places.answers).toContain(READER.name);
    expect(library.recorded.some(({ body }) => body.includes(READER.password))).toBe(true);
    expectNowhere([READER.password, READER.totpSecret], places);
  });
});
