import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Errand, ErrandOutcome } from "../../src/agent/loop/errand.ts";
import { createApi } from "../_harness/api.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";
import { failedErrand, ORDERED, startTestWorker, stepReport, type TestWorker, VERIFIED } from "../_harness/worker.ts";

const RECEIPT = { ...ORDERED, description: "Placed order T-10076: 1 × mug, €16.90" };
const PATIENTLY = { timeout: 100_000 };

describe("the evidence of an execution", () => {
  let service: TestService;
  let connection: TestConnection;
  let worker: TestWorker;
  let run: (errand: Errand) => Promise<ErrandOutcome>;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    worker = await startTestWorker(service, { runErrand: (errand) => run(errand) });
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const getEvidence = async (id: string, { applicationId, token }: TestConnection = connection) => {
    const url = `${service.url}/v1/applications/${applicationId}/executions/${id}/evidence`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, body: await response.json() };
  };

  async function ended(outcome: (errand: Errand) => Promise<ErrandOutcome>) {
    run = outcome;
    const api = createApi(service.url, connection);
    const { id } = await api.created();
    await expect.poll(async () => (await api.get(id)).body.execution.terminal, PATIENTLY).not.toBeNull();
    return (await api.get(id)).body.execution;
  }

  it("is that of the result when it was verified", async () => {
    const { id, result } = await ended(async (errand) => {
      await errand.begin();
      return VERIFIED;
    });
    expect(await getEvidence(id)).toEqual({ status: 200, body: { evidence: result.evidence, artifacts: [] } });
  });

  it("lists what a failed one visited, changed and kept, and why it was not verified", async () => {
    const { id } = await ended(async (errand) => {
      await errand.begin();
      await errand.reporter.step(stepReport({ url: "https://shop.example/cart" }));
      await errand.reporter.step(stepReport({ step: 2, url: "https://shop.example/orders/1" }));
      const data = Buffer.from("x");
      await errand.reporter.saveArtifact({ kind: "page", name: "page.txt", contentType: "text/plain", data });
      const verdict = { agreed: false, reason: "The order is not there.", checks: [] };
      return failedErrand({ failure: "unverified", sideEffects: [RECEIPT], verdict });
    });
    expect(await getEvidence(id)).toEqual({
      status: 200,
      body: {
        evidence: {
          urls: ["https://shop.example/cart", "https://shop.example/orders/1"],
          verifier: { agreed: false, reason: "The order is not there." },
          side_effects: [RECEIPT],
        },
        artifacts: [expect.objectContaining({ name: "page.txt", kind: "page" })],
      },
    });
  });

  it("is named by the error of an execution that was canceled after a change", async () => {
    const ordered = Promise.withResolvers<void>();
    run = async (errand) => {
      await errand.begin();
      await errand.reporter.step(stepReport({ side_effects: [RECEIPT] }));
      ordered.resolve();
      return new Promise((_, reject) => {
        errand.signal.addEventListener("abort", () => reject(errand.signal.reason as Error));
      });
    };
    const api = createApi(service.url, connection);
    const { id } = await api.created();
    await ordered.promise;
    await api.cancel(id);
    await expect.poll(async () => (await api.get(id)).body.execution.terminal, PATIENTLY).not.toBeNull();
    const { error } = (await api.get(id)).body.execution;
    expect(error.message).toContain("GET …/executions/{id}/evidence");
    expect((await getEvidence(id)).body.evidence).toMatchObject({ side_effects: [RECEIPT], verifier: null });
  });

  it("is not there before the end, and not for others", async () => {
    const release = Promise.withResolvers<void>();
    run = async (errand) => {
      await errand.begin();
      await release.promise;
      return VERIFIED;
    };
    const { id } = await createApi(service.url, connection).created();
    expect(await getEvidence(id)).toMatchObject({ status: 409, body: { error: { code: "EXECUTION_NOT_FINISHED" } } });
    const other = await service.connect();
    expect(await getEvidence(id, other)).toMatchObject({
      status: 404,
      body: { error: { code: "EXECUTION_NOT_FOUND" } },
    });
    release.resolve();
  });
});
