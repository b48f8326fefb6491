import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import openApi from "../../docs/openapi.json" with { type: "json" };
import { startTestBrowser, type TestBrowser, type TestPage } from "../_harness/browser.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const OPERATIONS = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { summary }]) => ({ method, path, summary })),
);

describe("the API reference", () => {
  let service: TestService;
  let browser: TestBrowser;

  beforeAll(async () => {
    service = await startTestService();
    browser = await startTestBrowser();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  it("sends the script compressed, under a name that changes with its content", async () => {
    const page = await (await fetch(`${service.url}/docs`)).text();
    const path = /<script src="(\/console\/assets\/reference-[\w-]+\.js)">/.exec(page)?.[1] ?? "none";
    const response = await fetch(service.url + path, { headers: { "accept-encoding": "br" } });
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-encoding")).toBe("br");
    expect(Number(response.headers.get("content-length"))).toBeLessThan(1_500_000);
    expect((await response.text()).length).toBeGreaterThan(1_000_000);
  });

  it.each(["light", "dark"] as const)("lists every operation in a browser (%s)", async (colorScheme) => {
    await using opened = await openReference({ colorScheme });
    const { page } = opened;
    expect(OPERATIONS.length).toBeGreaterThanOrEqual(9);
    const contents = page.getByRole("complementary", { name: "Sidebar for Errand" });
    for (const { method, path, summary } of OPERATIONS) {
      const link = contents.getByRole("link", { name: summary, exact: false }).locator(`visible=true`);
      const targets = await link.evaluateAll((links) => links.map((found) => found.getAttribute("href")));
      expect(
        targets.some((target) => target?.endsWith(`/${method.toUpperCase()}${path}`)),
        summary,
      ).toBe(true);
    }
    expect(await page.locator("body").getAttribute("class")).toContain(`${colorScheme}-mode`);
    await search(page, "rotate");
    await expect.poll(() => page.url()).toContain("rotate-secret");
    expectOnlyOurs(opened);
  });

  it("shows requests in several languages and responses, to copy", async () => {
    await using opened = await openReference({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    const request = page.getByRole("group", {
      name: "Request Example for post/v1/applications/{applicationId}/executions",
    });
    await request.getByRole("button", { name: "Shell Curl" }).click();
    await page.getByRole("option", { name: "Fetch" }).first().click();
    await expect.poll(() => request.locator("code").first().textContent()).toContain("fetch(");
    const [execution] = openApi.components.schemas.Execution.examples;
    const responses = page.getByRole("region", { name: "Status: 200 Status: 201" }).first();
    await responses.getByRole("tab", { name: "Status: 201" }).click();
    await responses.getByRole("button", { name: "Copy example value" }).click();
    await expect.poll(async () => JSON.parse(await readClipboard(page))).toEqual({ execution });
    expectOnlyOurs(opened);
  });

  it("sends a test request to this service and to no other host", async () => {
    await using opened = await openReference({});
    const { page, requests } = opened;
    await search(page, "server metadata");
    await page.getByRole("button", { name: "Test Request (get /.well-known/oauth-authorization-server)" }).click();
    const client = page.getByRole("dialog", { name: "API Client" });
    await client.getByRole("button", { name: /^Send get request/ }).click();
    await client.getByText("200 OK").first().waitFor();
    expect(requests).toContain(`${service.url}/.well-known/oauth-authorization-server`);
    expectOnlyOurs(opened);
  });

  it("fits on a phone", async () => {
    await using opened = await openReference({ viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true });
    const { page } = opened;
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expectOnlyOurs(opened);
  });

  it("says what to do while it is not built", async () => {
    const folder = mkdtempSync(join(tmpdir(), "errand-console-"));
    await using unbuilt = await startTestService({ consoleFolder: folder });
    const response = await fetch(`${unbuilt.url}/docs`);
    const page = await response.text();
    rmSync(folder, { recursive: true });
    expect(response.status).toBe(200);
    expect(page).toContain("scripts/bootstrap");
    expect(page).toContain('<a href="/openapi.json">');
    expect(page).not.toContain("<script");
  });

  async function openReference(options: Parameters<TestBrowser["openPage"]>[0]): Promise<TestPage> {
    const opened = await browser.openPage({ viewport: { width: 1400, height: 900 }, ...options });
    await opened.page.goto(`${service.url}/docs`);
    await opened.page.getByRole("heading", { name: "Create an execution" }).first().waitFor();
    return opened;
  }

  function expectOnlyOurs({ requests, complaints }: TestPage): void {
    const elsewhere = requests.filter((url) => !url.startsWith(`${service.url}/`) && !/^(?:data|blob):/.test(url));
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  }
});

async function search(page: Page, words: string): Promise<void> {
  await page.getByRole("button", { name: "Open Search" }).first().click();
  await page.getByRole("combobox").fill(words);
  await page.getByRole("option").first().click();
}

function readClipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

describe("the examples of the OpenAPI document", () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false }));
  ajv.addSchema({ ...openApi, $id: "openapi" });

  it("match their schemas", () => {
    const examples = [...listExamples(openApi, "openapi#")];
    expect(examples.length).toBeGreaterThan(10);
    for (const { schema, example } of examples) {
      expect(ajv.validate({ $ref: schema }, example), `${schema}: ${ajv.errorsText()}`).toBe(true);
    }
  });
});

/** Examples of schemas, and examples next to the schema of a body. */
function* listExamples(value: unknown, pointer: string): Generator<{ schema: string; example: unknown }> {
  if (typeof value !== "object" || value === null) return;
  if ("examples" in value && Array.isArray(value.examples)) {
    for (const example of value.examples) yield { schema: pointer, example };
  }
  if ("example" in value && "schema" in value) yield { schema: `${pointer}/schema`, example: value.example };
  for (const [key, child] of Object.entries(value)) {
    if (key === "examples" || key === "example") continue;
    yield* listExamples(child, `${pointer}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
  }
}
