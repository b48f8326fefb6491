import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NewArtifact } from "../../../src/agent/loop/errand.ts";
import { checkArtifacts } from "../../../src/app/health-checks.ts";
import { readConfig } from "../../../src/config/config.ts";
import { findFreePort } from "../../../src/lib/free-port.ts";
import { openArtifactFiles } from "../../../src/storage/artifacts/artifact-files.ts";
import { createArtifactBucket } from "../../../src/storage/artifacts/bucket.ts";
import { type Api, createApi } from "../../_harness/api.ts";
import { visitConsole } from "../../_harness/console.ts";
import { type ObjectStore, startObjectStore } from "../../_harness/object-store.ts";
import { startTestService, type TestService } from "../../_harness/service.ts";
import { startTestWorker, type TestWorker, VERIFIED } from "../../_harness/worker.ts";

const PICTURE: NewArtifact = {
  kind: "screenshot",
  name: "step-001.webp",
  contentType: "image/webp",
  data: Buffer.from([0, 255, 128, 10, 13, 0]),
};

describe("artifacts in an S3-compatible store", () => {
  let store: ObjectStore;
  let service: TestService;
  let worker: TestWorker;
  let api: Api;
  let artifacts: NewArtifact[] = [];

  beforeAll(async () => {
    store = await startObjectStore();
    service = await startTestService({ settings: store.settings });
    worker = await startTestWorker(service, {
      settings: store.settings,
      // Stored objects are compared exactly, and one test runs it while the store is down.
      recheckMs: 3_600_000,
      async runErrand({ begin, reporter }) {
        await begin();
        for (const artifact of artifacts) await reporter.saveArtifact(artifact);
        return VERIFIED;
      },
    });
    api = createApi(service.url, await service.connect());
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const keep = (...wanted: NewArtifact[]) => keepWith(api, wanted);

  /** Runs an execution that stores these artifacts; returns its id and theirs. */
  async function keepWith(asking: Api, wanted: NewArtifact[]): Promise<{ id: string; kept: string[] }> {
    artifacts = wanted;
    const { id } = await asking.created();
    expect((await asking.get(id, "?wait=30")).body.execution.status).toBe("COMPLETED");
    return { id, kept: (await asking.artifacts(id)).body.artifacts.map((artifact) => artifact.id) };
  }

  const settingsOf = (more: Record<string, string>) => readConfig({ ...store.settings, ...more }, service.dataDir);

  it("are written by the worker and read by the service, and not stored on disk", async () => {
    const large = { ...PICTURE, kind: "download", data: Buffer.alloc(3 * 1024 ** 2, "page ") } as const;
    const { id, kept } = await keep(PICTURE, large);
    expect((await store.keys()).sort()).toEqual(kept.map((artifact) => `kept/here/${id}/${artifact}`).sort());
    expect((await api.artifact(id, kept[0] ?? "")).body.equals(PICTURE.data)).toBe(true);
    expect((await api.artifact(id, kept[1] ?? "")).body.equals(large.data)).toBe(true);
    expect(await readdir(service.dataDir)).not.toContain("artifacts");
  });

  it("are sent without checksums that an older store would refuse", async () => {
    await keep(PICTURE);
    const { headers } = store.requests.findLast(({ method }) => method === "PUT") ?? {};
    expect(headers).toMatchObject({ "content-length": "6" });
    expect(Object.keys(headers ?? {}).filter((name) => /checksum|trailer/.test(name))).toEqual([]);
  });

  it("are listed page by page, and foreign objects are left alone", async () => {
    using files = openArtifactFiles(settingsOf({ ERRAND_ARTIFACTS_S3_PREFIX: "listed" }));
    using others = openArtifactFiles(settingsOf({ ERRAND_ARTIFACTS_S3_PREFIX: "listed/deeper" }));
    const written = Array.from({ length: 7 }, () => ({ executionId: randomUUID(), artifactId: randomUUID() }));
    for (const { executionId, artifactId } of written) await files.write(executionId, artifactId, PICTURE.data);
    await others.write(randomUUID(), randomUUID(), PICTURE.data);
    const listed = await Array.fromAsync(files.list());
    const names = ({ executionId, artifactId }: { executionId: string; artifactId: string }) =>
      executionId + artifactId;
    expect(listed.map(names).sort()).toEqual(written.map(names).sort());
    expect(listed.every(({ writtenAt }) => Math.abs(Date.now() - writtenAt.getTime()) < 600_000)).toBe(true);
    for (const file of listed) await file.remove();
    expect(await Array.fromAsync(files.list())).toEqual([]);
    expect(await Array.fromAsync(others.list())).toHaveLength(1);
  });

  it("return 410 with a reason when the object is missing", async () => {
    const { id, kept } = await keep(PICTURE);
    using files = openArtifactFiles(settingsOf({}));
    await files.remove(id, kept[0] ?? "");
    const { status, body } = await api.artifact(id, kept[0] ?? "");
    expect([status, JSON.parse(body.toString()).error.code]).toEqual([410, "GONE"]);
  });

  it("are deleted with the connection, page by page, and others stay", async () => {
    const { id: staying } = await keep(PICTURE);
    const other = await visitConsole(service);
    const leaving = await service.connect({ email: other.email });
    const { id, kept } = await keepWith(
      createApi(service.url, leaving),
      Array.from({ length: 8 }, () => PICTURE),
    );
    expect(kept).toHaveLength(8);
    expect((await other.call("DELETE", `/connections/${leaving.connectionId}`)).status).toBe(204);
    const left = await store.keys();
    expect(left.filter((key) => key.includes(id))).toEqual([]);
    expect(left.filter((key) => key.includes(staying))).toHaveLength(1);
  });

  it("that cannot be stored cost a run only its evidence; reading returns a retryable error", async () => {
    const before = await keep(PICTURE);
    await store.stop();
    try {
      const without = await keep(PICTURE, PICTURE);
      expect(without.kept).toEqual([]);
      expect(worker.log.filter((line) => line.includes("Could not store an artifact of the run"))).toHaveLength(1);
      expect(worker.log.join("")).toMatch(/cannot be reached: connect ECONNREFUSED/);
      const { status, headers, body } = await api.artifact(before.id, before.kept[0] ?? "");
      expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
      expect(JSON.parse(body.toString()).error.message).toContain("Artifacts are not available right now");
    } finally {
      await store.start();
    }
    expect((await api.artifact(before.id, before.kept[0] ?? "")).status).toBe(200);
    // The worker continues as soon as it finds the store healthy again.
    expect((await keep(PICTURE)).kept).toHaveLength(1);
  });

  it("are not waited for when the store accepts requests and never responds", async () => {
    store.isSilent = true;
    const { artifactBucket } = settingsOf({});
    if (artifactBucket === null) throw new Error("there is no bucket");
    using files = createArtifactBucket(artifactBucket, { responseTimeoutMs: 200 });
    const write = () => files.write(randomUUID(), randomUUID(), PICTURE.data);
    await expect(write()).rejects.toMatchObject({
      cause: { message: expect.stringContaining("did not respond within") },
    });
    const asked = store.requests.length;
    await expect(write()).rejects.toMatchObject({ cause: { message: expect.stringContaining("a moment ago") } });
    expect(store.requests).toHaveLength(asked);
    store.isSilent = false;
  });

  it("stream: an aborted download is not fetched to the end", async () => {
    using files = openArtifactFiles(settingsOf({}));
    const [executionId, artifactId] = [randomUUID(), randomUUID()];
    await files.write(executionId, artifactId, Buffer.alloc(20 * 1024 ** 2, "page "));
    const left = await files.open(executionId, artifactId);
    const socket = store.requests.at(-1)?.socket;
    left?.destroy();
    await expect.poll(() => socket?.destroyed, { timeout: 100_000 }).toBe(true);
    expect(socket?.bytesWritten).toBeLessThan(20 * 1024 ** 2);
    const read = await files.open(executionId, artifactId);
    expect(read === null ? 0 : (await buffer(read)).byteLength).toBe(20 * 1024 ** 2);
    await files.removeAll(executionId);
  });

  it.each([
    ["is healthy", {}, "ok", /^Writing, reading and removing works in the bucket errand-artifacts$/, undefined],
    ["has no bucket", { BUCKET: "elsewhere" }, "problem", /elsewhere at .* does not exist/, /Create it, or correct/],
    [
      "rejects the access key",
      { ACCESS_KEY_ID: "STRANGER" },
      "problem",
      /rejects the access key/,
      /Correct ERRAND_ARTIFACTS_S3_ACC/,
    ],
  ])("doctor reports a store that %s", async (_what, more: Record<string, string>, status, message, fix) => {
    const given = Object.entries(more).map(([name, value]) => [`ERRAND_ARTIFACTS_S3_${name}`, value]);
    const config = settingsOf(Object.fromEntries(given));
    using files = openArtifactFiles(config);
    const before = await store.keys();
    const finding = await checkArtifacts(config, files);
    expect(finding).toMatchObject({ status, message: expect.stringMatching(message) });
    if (fix !== undefined) expect(finding.fix).toMatch(fix);
    expect(await store.keys()).toEqual(before);
  });

  it("doctor reports a store that is unreachable", async () => {
    const config = settingsOf({ ERRAND_ARTIFACTS_S3_ENDPOINT: `http://127.0.0.1:${await findFreePort()}` });
    using files = openArtifactFiles(config);
    expect(await checkArtifacts(config, files)).toMatchObject({
      status: "problem",
      message: expect.stringContaining("cannot be reached: connect ECONNREFUSED"),
      fix: expect.stringContaining("ERRAND_ARTIFACTS_S3_ENDPOINT"),
    });
  });

  it("leave no key in a log", () => {
    const log = [...service.log, ...worker.log].join("");
    expect(log).toContain("Could not store an artifact of the run");
    expect(log).not.toContain("the-secret-of-the-store");
    expect(log).not.toMatch(/AWS4-HMAC|S3RVER/);
  });
});
