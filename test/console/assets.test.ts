import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { get, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendRaw } from "../_harness/raw-http.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const PAGE = `<!doctype html><html><head><meta name="csp-nonce" content="" />
<script type="module" src="/console/assets/index-a1.js"></script></head><body></body></html>`;
const SCRIPT = `console.log(${JSON.stringify("the console ".repeat(500))});`;

describe("the console's page", () => {
  const base = mkdtempSync(join(tmpdir(), "errand-console-"));
  const folder = join(base, "dist");
  let service: TestService;

  beforeAll(async () => {
    await mkdir(join(folder, "assets/deeper"), { recursive: true });
    await writeFile(join(folder, "index.html"), PAGE);
    await writeFile(join(folder, "assets/index-a1.js"), SCRIPT);
    await writeFile(join(folder, "assets/index-a1.css"), "body { margin: 0 }");
    await writeFile(join(folder, "assets/notes.txt"), "nobody's");
    await writeFile(join(folder, "assets/.hidden.js"), "nobody's");
    await writeFile(join(folder, "assets/deeper/chunk.js"), "nobody's");
    await writeFile(join(base, "secret.js"), "nobody's");
    service = await startTestService({ consoleFolder: folder });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(base, { recursive: true });
  });

  it.each(["/console", "/console/", "/console/executions?status=FAILED", "/console/applications/a%2fb/x.js"])(
    "is at %s, with the strictest policy and another nonce each time",
    async (path) => {
      const answers = await Promise.all([1, 2].map(() => fetch(service.url + path)));
      const nonces = await Promise.all(
        answers.map(async (answer) => {
          expect(answer.status).toBe(200);
          expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
          expect(answer.headers.get("cache-control")).toBe("no-store");
          expect(answer.headers.get("x-frame-options")).toBe("DENY");
          const nonce = /name="csp-nonce" content="([\w+/]{24})"/.exec(await answer.text())?.[1] ?? "none";
          const policy = answer.headers.get("content-security-policy")?.split("; ");
          expect(policy).toEqual([
            "default-src 'none'",
            "script-src 'self'",
            `style-src 'self' 'nonce-${nonce}'`,
            "connect-src 'self'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            "frame-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
          ]);
          return nonce;
        }),
      );
      expect(new Set(nonces).size).toBe(2);
    },
  );

  it.each([
    ["br", "gzip, deflate, br, zstd", brotliDecompressSync],
    ["gzip", "gzip;q=0.5, br;q=0", gunzipSync],
    [undefined, "", (bytes: Buffer) => bytes],
    [undefined, "br;q=0.0, identity", (bytes: Buffer) => bytes],
  ] as const)("sends its script as %s to clients that accept %j", async (encoding, accepted, decode) => {
    const { headers, bytes } = await getBytes(`${service.url}/console/assets/index-a1.js`, accepted);
    expect(headers["content-encoding"]).toBe(encoding);
    expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(headers["vary"]).toBe("accept-encoding");
    expect(decode(bytes).toString()).toBe(SCRIPT);
    expect(bytes.length < SCRIPT.length).toBe(encoding !== undefined);
  });

  it("sends styles as styles", async () => {
    const answer = await fetch(`${service.url}/console/assets/index-a1.css`);
    expect(answer.headers.get("content-type")).toBe("text/css; charset=utf-8");
  });

  it.each([
    "/console/assets/../../secret.js",
    "/console/assets/..%2f..%2fsecret.js",
    "/console/assets/%2e%2e%2f%2e%2e%2fsecret.js",
    "/console/assets/..%5c..%5csecret.js",
    "/console/assets/.hidden.js",
    "/console/assets/deeper/chunk.js",
    "/console/assets/deeper%2fchunk.js",
    "/console/assets/notes.txt",
    "/console/assets/index-a1.js%00",
    "/console/assets/missing-a1.js",
    "/console/assets/",
    "/console/assets",
    "/console/api/nothing",
    "/console/api",
    "/console/api/",
    "/console//api",
    "/console//api/executions",
    "/console///api/executions",
    "/console/%2fapi/executions",
  ])("reveals nothing at %s", async (target) => {
    const { status, headers, body } = await sendRaw(service.url, { target });
    expect(body).not.toContain("nobody's");
    if (target === "/console/assets") return expect(body).toContain("csp-nonce");
    expect(status).toBe(404);
    expect(headers.get("content-type")).toContain("application/json");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it.each([
    ["GET", "setup", 200],
    ["GET", "me", 401],
    ["PUT", "me", 405],
    ["POST", "setup", 403],
  ])("serves %s %s of its API with the right type", async (method, path, status) => {
    const answer = await fetch(`${service.url}/console/api/${path}`, { method });
    expect([answer.status, answer.headers.get("x-content-type-options")]).toEqual([status, "nosniff"]);
  });

  it("rejects other methods, and does not serve a page for an unknown API path", async () => {
    expect((await fetch(`${service.url}/console`, { method: "POST" })).status).toBe(405);
    expect((await fetch(`${service.url}/console/api/nothing`, { method: "POST", body: "x" })).status).toBe(404);
  });

  it("opens at the requested URL after signing in", async () => {
    const returnTo = "/console/executions?status=FAILED&text=a%20b";
    const page = await (await fetch(`${service.url}/sign-in?return_to=${encodeURIComponent(returnTo)}`)).text();
    expect(page).toContain(`name="return_to" value="${returnTo.replaceAll("&", "&amp;")}"`);
  });

  it("is the first link of the start page", async () => {
    const page = await (await fetch(service.url)).text();
    const main = page.slice(page.indexOf("<main"));
    expect(/<a [^>]*href="([^"]+)"/.exec(main)?.[1]).toBe("/console");
  });

  it("says what to do while it is not built, and works as soon as it is", async () => {
    await rename(folder, `${folder}.away`);
    const missing = await fetch(`${service.url}/console/settings`);
    expect(missing.status).toBe(503);
    expect((await missing.text()).replaceAll("<wbr>", "")).toContain("scripts/bootstrap");
    await rename(`${folder}.away`, folder);
    expect((await fetch(`${service.url}/console/settings`)).status).toBe(200);
  });
});

/** The raw bytes: fetch would undo the encoding. */
async function getBytes(address: string, accepted: string): Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(address, { headers: { "accept-encoding": accepted } }, resolve).on("error", reject);
  const response = await promise;
  return { headers: response.headers, bytes: await buffer(response) };
}
