import { describe, expect, it } from "vitest";
import type { ErrorBody } from "../../src/contract/error.ts";
import { createApi } from "../_harness/api.ts";
import { withDatabaseAway } from "../_harness/database-away.ts";
import { authorizePath, postForm, REDIRECT_URI } from "../_harness/oauth-flow.ts";
import { bearer, ENDPOINTS, expectRefusal, requestTo, sendRaw } from "../_harness/raw-http.ts";
import { startTestService } from "../_harness/service.ts";

describe.each(["refuses", "is gone"] as const)("while the database %s", (how) => {
  it("returns 503 with Retry-After for everything that needs it, and recovers afterwards", async () => {
    await using service = await startTestService();
    const connection = await service.connect();
    const api = createApi(service.url, connection);
    const execution = await api.created({ prompt: "x" }, { "idempotency-key": "before" });
    const ids = { applicationId: connection.applicationId, executionId: execution.id };

    await withDatabaseAway(service, how, async () => {
      for (const endpoint of ENDPOINTS) {
        const headers: [string, string][] = [bearer(connection), ["idempotency-key", "during"]];
        const answer = await sendRaw(service.url, requestTo(endpoint, ids, headers));
        expectRefusal(answer, { status: 503, code: "UNAVAILABLE" });
        expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
        expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      }
      const client_id = connection.applicationId;
      for (const [path, fields] of [
        ["/v1/oauth/token", { grant_type: "authorization_code", code: "x", redirect_uri: REDIRECT_URI, client_id }],
        ["/v1/oauth/revoke", { token: connection.token, client_id }],
      ] as const) {
        const { status, headers, body } = await postForm(service.url + path, fields);
        expect([status, body.error]).toEqual([503, "temporarily_unavailable"]);
        expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      }
      const link = await fetch(service.url + authorizePath(client_id));
      expect([link.status, link.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
      const ready = await fetch(`${service.url}/readyz`);
      expect([ready.status, ((await ready.json()) as ErrorBody).error.code]).toEqual([503, "UNAVAILABLE"]);
      for (const path of [
        "/healthz",
        "/metrics",
        "/docs",
        "/openapi.json",
        "/.well-known/oauth-authorization-server",
      ]) {
        expect((await fetch(service.url + path)).status, path).toBe(200);
      }
    });

    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect((await api.list()).body).toEqual({ executions: [execution], has_more: false });
    await api.created({ prompt: "x" }, { "idempotency-key": "during" });
  });
});
