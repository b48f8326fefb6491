import { createHash, randomUUID } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Errand, NewArtifact, Reporter } from "../../src/agent/loop/errand.ts";
import { ARTIFACTS_MAX_BYTES, ARTIFACTS_MAX_COUNT } from "../../src/worker/run-reporter.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";
import { startTestWorker, stepReport, type TestWorker, VERIFIED } from "../_harness/worker.ts";

const PICTURE: NewArtifact = {
  kind: "screenshot",
  name: "step-001.webp",
  contentType: "image/webp",
  data: Buffer.from([0, 255, 128, 10, 13, 0]),
};

describe("an execution's artifacts", () => {
  let service: TestService;
  let worker: TestWorker;
  let connection: TestConnection;
  let api: Api;
  let script: (errand: Errand) => Promise<void>;

  beforeAll(async () => {
    service = await startTestService();
    worker = await startTestWorker(service, {
      async runErrand(errand) {
        await errand.begin();
        await script(errand);
        return VERIFIED;
      },
    });
    connection = await service.connect();
    api = createApi(service.url, connection);
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  /** Runs an execution that stores these artifacts; returns its id and theirs. */
  async function keep(...artifacts: NewArtifact[]): Promise<{ id: string; kept: (string | null)[] }> {
    const kept: (string | null)[] = [];
    script = async ({ reporter }) => {
      for (const artifact of artifacts) kept.push((await reporter.saveArtifact(artifact)).id);
    };
    const { id } = await api.created();
    expect((await api.get(id, "?wait=30")).body.execution.status).toBe("COMPLETED");
    return { id, kept };
  }

  const folderOf = (id: string) => join(service.dataDir, "artifacts", id);

  it("are listed oldest first with their metadata", async () => {
    const page = { kind: "page", name: "final-page.txt", contentType: "text/plain; charset=utf-8" } as const;
    const { id, kept } = await keep(PICTURE, { ...page, data: Buffer.from("grün") });
    const { status, body } = await api.artifacts(id);
    expect(status).toBe(200);
    expect(body.artifacts).toEqual([
      {
        id: kept[0],
        kind: "screenshot",
        name: "step-001.webp",
        content_type: "image/webp",
        bytes: 6,
        sha256: createHash("sha256").update(PICTURE.data).digest("hex"),
        created_at: expect.any(String),
      },
      expect.objectContaining({ id: kept[1], kind: "page", content_type: "text/plain; charset=utf-8", bytes: 5 }),
    ]);
  });

  it("are an empty list when nothing was stored", async () => {
    expect((await api.artifacts((await keep()).id)).body).toEqual({ artifacts: [] });
  });

  it("are returned byte for byte, as attachments that no browser opens", async () => {
    const { id, kept } = await keep({ ...PICTURE, kind: "download", name: "bill.html", contentType: "text/html" });
    const { status, headers, body } = await api.artifact(id, kept[0] ?? "");
    expect(status).toBe(200);
    expect(body.equals(PICTURE.data)).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html",
      "content-length": "6",
      "content-disposition": `attachment; filename="bill.html"; filename*=UTF-8''bill.html`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "private, no-cache",
      etag: `"${createHash("sha256").update(PICTURE.data).digest("hex")}"`,
    });
  });

  it("are not sent again to a client that has them", async () => {
    const { id, kept } = await keep(PICTURE);
    const etag = (await api.artifact(id, kept[0] ?? "")).headers.get("etag") ?? "";
    const again = await api.artifact(id, kept[0] ?? "", { "if-none-match": etag });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect((await api.artifact(id, kept[0] ?? "", { "if-none-match": '"other"' })).status).toBe(200);
  });

  it.each([
    [
      'x"; filename=evil.exe',
      `attachment; filename="x__ filename_evil.exe"; filename*=UTF-8''x%22%3B%20filename%3Devil.exe`,
    ],
    ["a\r\nset-cookie: b", `attachment; filename="a__set-cookie_ b"; filename*=UTF-8''a%0D%0Aset-cookie%3A%20b`],
    [
      "Rechnung für Ä.pdf",
      `attachment; filename="Rechnung f_r _.pdf"; filename*=UTF-8''Rechnung%20f%C3%BCr%20%C3%84.pdf`,
    ],
    [
      "../../etc/passwd\0",
      `attachment; filename=".._.._etc_passwd_"; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd%EF%BF%BD`,
    ],
  ])("with the name %j are served safely", async (name, disposition) => {
    const { id, kept } = await keep({ ...PICTURE, name, contentType: "text/html\r\nx: y" });
    const { headers, body } = await api.artifact(id, kept[0] ?? "");
    expect(headers.get("content-disposition")).toBe(disposition);
    expect(headers.get("content-type")).toBe("application/octet-stream");
    expect(body.equals(PICTURE.data)).toBe(true);
    expect(await readdir(folderOf(id))).toEqual([kept[0]]);
  });

  it("can be read by the service only", async () => {
    const { id, kept } = await keep(PICTURE);
    expect((await stat(folderOf(id))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folderOf(id), kept[0] ?? ""))).mode & 0o777).toBe(0o600);
  });

  it("return 410 with a reason when the file is missing", async () => {
    const { id, kept } = await keep(PICTURE);
    await rm(folderOf(id), { recursive: true });
    const { status, body } = await api.artifact(id, kept[0] ?? "");
    expect([status, JSON.parse(body.toString()).error.code]).toEqual([410, "GONE"]);
    expect((await api.artifacts(id)).body.artifacts).toHaveLength(1);
  });

  it("return the same 404 when unknown, malformed or of another execution", async () => {
    const mine = await keep(PICTURE);
    const other = await keep(PICTURE);
    for (const artifactId of [randomUUID(), "x", "..%2f..%2fsecret.key", other.kept[0] ?? ""]) {
      const { status, body } = await api.artifact(mine.id, artifactId);
      expect([status, JSON.parse(body.toString()).error.code]).toEqual([404, "NOT_FOUND"]);
    }
    expect((await api.artifact(mine.id, (mine.kept[0] ?? "").toUpperCase())).status).toBe(200);
  });

  it("are accessible to their own connection only, and others cannot tell that they exist", async () => {
    const { id, kept } = await keep(PICTURE);
    const sameApplication = await service.connect({ applicationId: connection.applicationId });
    const stranger = createApi(service.url, sameApplication);
    for (const executionId of [id, randomUUID()]) {
      const listed = await stranger.artifacts(executionId);
      expect([listed.status, (listed.body as unknown as { error: { code: string } }).error.code]).toEqual([
        404,
        "EXECUTION_NOT_FOUND",
      ]);
      const { status, body } = await stranger.artifact(executionId, kept[0] ?? "");
      expect([status, JSON.parse(body.toString()).error.code]).toEqual([404, "EXECUTION_NOT_FOUND"]);
    }
  });

  it("are limited in number, and the run continues without the rest", async () => {
    const tiny = { ...PICTURE, data: Buffer.from("x") };
    const { id, kept } = await keep(...Array.from({ length: ARTIFACTS_MAX_COUNT + 2 }, () => tiny));
    expect(kept.filter((artifact) => artifact === null)).toHaveLength(2);
    expect((await api.artifacts(id)).body.artifacts).toHaveLength(ARTIFACTS_MAX_COUNT);
  });

  it("are limited in size, and the run continues without oversized ones", async () => {
    const half = Buffer.alloc(ARTIFACTS_MAX_BYTES / 2);
    const { kept } = await keep(
      { ...PICTURE, data: half },
      { ...PICTURE, data: Buffer.alloc(half.length + 1) },
      PICTURE,
    );
    expect(kept).toEqual([expect.any(String), null, expect.any(String)]);
  });

  it("include the screenshot of a step, which is stored with its event", async () => {
    let stored: string | null = null;
    script = async ({ reporter }) => {
      stored = (await reporter.step(stepReport(), PICTURE)).screenshot;
    };
    const { id } = await api.created();
    await api.get(id, "?wait=30");
    expect((await api.artifacts(id)).body.artifacts).toMatchObject([{ id: stored, bytes: PICTURE.data.byteLength }]);
    const { events } = (await api.events(id)).body;
    expect(events.find(({ type }) => type === "step")?.data).toEqual(stepReport({ screenshot: stored }));
    expect((await api.artifact(id, stored ?? "")).body).toEqual(PICTURE.data);
  });

  it.each<[string, (reporter: Reporter) => Promise<unknown>]>([
    ["are", (reporter) => reporter.saveArtifact(PICTURE)],
    ["of its steps are", (reporter) => reporter.step(stepReport(), PICTURE)],
  ])("%s not stored for an execution that the worker has lost", async (_, store) => {
    let refused: unknown;
    script = async ({ reporter }) => {
      await service.database.query("update executions set fence = fence + 1 where prompt = 'Take it away.'");
      await store(reporter).catch((error: unknown) => {
        refused = error;
      });
    };
    const { id } = await createApi(service.url, await service.connect()).created({ prompt: "Take it away." });
    await expect.poll(() => refused, { timeout: 100_000 }).toMatchObject({ kind: "lease_lost" });
    expect(await service.database.query("select 1 from execution_artifacts where execution_id = $1", [id])).toEqual([]);
    expect(await readdir(folderOf(id))).toEqual([]);
  });

  it("cannot be changed", async () => {
    await keep(PICTURE);
    await expect(service.database.query("update execution_artifacts set name = 'x'")).rejects.toThrow("append-only");
  });
});
