import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type LoopbackServer,
  signUp,
  startCallbackServer,
  startLoopbackServer,
  startTestBrowser,
} from "../_harness/browser.ts";
import { createTestDatabase } from "../_harness/database.ts";
import { openShop } from "../_harness/demo-shop.ts";
import { createDataDir, errandJson, type RunningErrand, startErrand } from "../_harness/errand.ts";
import { newEmail } from "../_harness/oauth-flow.ts";
import { casesOfTier } from "../_harness/tier.ts";

const execute = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const SCENARIOS = join(import.meta.dirname, "scenarios.py");
const KETTLE = "Search for kettle, open Brindle Kettle and tell me its price.";
const CART = `<title>Checkout</title><h1>Checkout</h1><table><tr><th>Item</th><th>Quantity</th><th>Price</th></tr>
  <tr><td>Mug</td><td>1</td><td>€16.90</td></tr></table><p>Total: €16.90</p>
  <form method="post" action="/orders"><input type="hidden" name="id" value="3"><button>Place order</button></form>`;
const ORDER = 'Check that the page says "Mug". Click Place order. Check that the page says "Order 4711".';
/** A program that hangs is ended before its test is. */
const TIMEOUT_MS = 150_000;
const CLIENTS = ["blocking", "asyncio"] as const;

/** A message as it arrived at a webhook. */
interface Delivered {
  headers: IncomingHttpHeaders;
  body: string;
}

describe("the Python SDK, installed into an empty environment", () => {
  const disposables = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "errand-python-"));
  const python = join(folder, "venv/bin/python");
  const messages: Delivered[] = [];
  let env: Record<string, string>;
  let service: RunningErrand;
  let shopUrl: string;
  let mugShop: LoopbackServer;
  let applicationId: string;
  let token: string;
  let webhookSecret: string;

  beforeAll(async () => {
    disposables.defer(() => rmSync(folder, { recursive: true }));
    await installPackage();
    const shop = disposables.use(await openShop());
    shopUrl = shop.url;
    mugShop = disposables.use(await openMugShop());
    const receiver = disposables.use(
      await startLoopbackServer(async (incoming, response) => {
        messages.push({ headers: incoming.headers, body: await text(incoming) });
        response.writeHead(204).end();
      }),
    );
    const data = disposables.use(await createDataDir());
    const database = disposables.use(await createTestDatabase());
    const hosts = [shopUrl, mugShop.url, receiver.url].map((url) => new URL(url).host).join(",");
    env = { ...data.env, DATABASE_URL: database.url, ERRAND_ALLOW_HOSTS: hosts };
    const application = ["--name", "Python", "--type", "public", "--redirect-uri", "http://127.0.0.1/callback"];
    application.push("--home-url", shopUrl);
    for (const url of [shopUrl, mugShop.url]) application.push("--allowed-host", new URL(url).host);
    ({ id: applicationId } = await errandJson<{ id: string }>(["app", "create", ...application], env));
    const user = ["--application", applicationId, "--user", "ada@example.com"];
    ({ access_token: token } = await errandJson<{ access_token: string }>(["connect", ...user], env));
    const webhook = ["webhook", "create", "--application", applicationId, "--url", receiver.url];
    ({ secret: webhookSecret } = await errandJson<{ secret: string }>(webhook, env));
    service = await startErrand(env, ["start", "--roles", "api,worker"]);
    disposables.defer(async () => void (await service.end("SIGTERM")));
  });
  afterAll(() => disposables.disposeAsync());

  /** As a wheel, from a copy of nothing but what pip needs. */
  async function installPackage(): Promise<void> {
    const found = await execute("python3", [
      "-c",
      "import sys, venv, ensurepip; print(sys.version_info >= (3, 10))",
    ]).catch((error: Error) => ({ stdout: error.message }));
    if (found.stdout.trim() !== "True") {
      throw new Error(
        `The Python SDK is tested with python3 of version 3.10 or later, with venv and pip: ${found.stdout}`,
      );
    }
    await execute("python3", ["-m", "venv", join(folder, "venv")]);
    const pip = ["-m", "pip", "--disable-pip-version-check"];
    await execute(python, [...pip, "wheel", "--no-index", "--wheel-dir", folder, join(ROOT, "python")]);
    const [wheel = ""] = readdirSync(folder).filter((name) => name.endsWith(".whl"));
    await execute(python, [...pip, "install", "--no-index", join(folder, wheel)]);
  }

  /** What a program prints. It sees the settings of the client and nothing of this project. */
  async function runPython(args: string[], settings: Record<string, string> = {}): Promise<string> {
    const { stdout } = await execute(python, args, {
      cwd: folder,
      timeout: TIMEOUT_MS,
      env: {
        PATH: process.env["PATH"] ?? "",
        ERRAND_URL: service.url,
        APPLICATION_ID: applicationId,
        ACCESS_TOKEN: token,
        ...settings,
      },
    });
    return stdout;
  }

  // biome-ignore lint/suspicious/noExplicitAny: each scenario prints something else
  async function play(name: string, client: string, given: object, settings?: Record<string, string>): Promise<any> {
    return JSON.parse(await runPython([SCENARIOS, name, client, JSON.stringify(given)], settings));
  }

  it("passes its own tests", async () => {
    const tests = ["-m", "unittest", "discover", "--start-directory", join(ROOT, "python/tests")];
    const { stderr } = await execute(python, tests, {
      cwd: folder,
      timeout: TIMEOUT_MS,
      env: { PYTHONDONTWRITEBYTECODE: "1" },
    });
    expect(stderr).toMatch(/Ran \d\d+ tests/);
  });

  it("has its types beside it, and can be built from its own source archive", async () => {
    const installed = (await runPython(["-c", "import errand; print(errand.__path__[0])"])).trim();
    expect(installed.startsWith(folder)).toBe(true);
    expect(existsSync(join(installed, "py.typed"))).toBe(true);
    const build = "import build_backend; print(build_backend.build_sdist(r'''%s'''))".replace("%s", folder);
    const { stdout } = await execute(python, ["-c", build], {
      cwd: join(ROOT, "python"),
      env: { PYTHONDONTWRITEBYTECODE: "1" },
    });
    const rebuilt = join(folder, "rebuilt");
    await execute(python, ["-m", "pip", "wheel", "--no-index", "--wheel-dir", rebuilt, join(folder, stdout.trim())]);
    expect(readdirSync(rebuilt)).toHaveLength(1);
  });

  describe.each(casesOfTier(CLIENTS, { ci: 1 }))("with the %s client", (client) => {
    it("runs a first errand and reads its evidence", async () => {
      const ran = await play("run", client, { prompt: KETTLE, start_url: shopUrl });
      expect(ran).toMatchObject({ agreed: true, is_intact: true, is_listed: true, again: "COMPLETED" });
      expect(ran.final_text).toContain("64.90");
      expect(ran.steps.length).toBeGreaterThan(2);
      expect(ran.connection).toMatchObject({ application_id: applicationId, state: "ACTIVE", has_credits: true });
    });

    it("returns structured output as the class that was passed", async () => {
      const extracted = await play("extract", client, { prompt: KETTLE, start_url: shopUrl });
      expect(extracted).toEqual({ class: "Product", price: 64.9 });
    });

    it("raises a failure with its reason and evidence", async () => {
      const failed = await play("fail", client, { prompt: "Click Fly to the moon.", start_url: shopUrl });
      expect(failed.terminal.status).toBe("goal_unreachable");
      expect(failed.error.message).not.toBe("");
      expect(failed.evidence).toMatchObject({ side_effects: [] });
      expect(failed.evidence.urls).not.toEqual([]);
      expect(failed.artifacts).toContain("screenshot");
    });

    it("resumes the events after a cut connection, without a gap or a repetition", async () => {
      await using proxy = await startProxy(service.url, { cutAfter: "event: step" });
      const given = { prompt: KETTLE, start_url: shopUrl };
      const { ids, types } = await play("follow", client, given, { ERRAND_URL: proxy.url });
      expect(ids).toEqual(ids.map((_: number, index: number) => index + 1));
      expect(types.at(-1)).toBe("execution.completed");
      const streams = proxy.exchanges.filter(({ path }) => path.endsWith("/events"));
      expect(streams.map(({ headers }) => headers["last-event-id"] !== undefined)).toEqual([false, true]);
    });

    it("waits and tries again when it is told 429", async () => {
      const strict = { ERRAND_RATE_BURST: "2", ERRAND_READS_PER_MINUTE: "120" };
      const limited = await startErrand({ ...env, ...strict });
      try {
        await using proxy = await startProxy(limited.url);
        const { lists } = await play("read_often", client, { times: 3 }, { ERRAND_URL: proxy.url });
        expect(lists).toHaveLength(3);
        const statuses = proxy.exchanges.map(({ status }) => status);
        expect(new Set(statuses)).toEqual(new Set([200, 429]));
      } finally {
        await limited.end("SIGTERM");
      }
    });

    it("answers what the errand asks", async () => {
      const approved = await play("approve", client, { prompt: ORDER, start_url: mugShop.url });
      expect(approved.asked).toHaveLength(1);
      expect(approved.side_effects).not.toEqual([]);
    });

    it("cancels an errand that is running", async () => {
      const canceled = await play("cancel", client, { prompt: KETTLE, start_url: `${mugShop.url}/hangs` });
      expect(canceled.terminal).toBe("canceled");
      expect(canceled.live.startsWith(service.url)).toBe(true);
    });

    it("connects a user in a real browser, and revokes the token", async () => {
      await using browser = await startTestBrowser();
      await using callback = await startCallbackServer();
      await using visitor = await browser.openPage();
      const asked = await play("authorize", client, { redirect_uri: callback.redirectUri });
      await visitor.page.goto(asked.url);
      await signUp(visitor.page, newEmail());
      await visitor.page.getByRole("button", { name: "Allow" }).click();
      await visitor.page.getByText("Welcome back").waitFor();
      const { url: _, ...kept } = asked;
      const exchanged = await play("exchange", client, { callback_url: callback.arrived[0]?.href, ...kept });
      expect(exchanged).toEqual({ token_type: "Bearer", executions: 0, after: "Unauthenticated" });
    });
  });

  it("verifies the messages of a webhook", async () => {
    const { id } = JSON.parse(await runPython(["-c", CREATE, service.url, applicationId, token, KETTLE, shopUrl])) as {
      id: string;
    };
    const message = await vi.waitFor(
      () => {
        const found = messages.find(({ body }) => body.includes("execution.completed") && body.includes(id));
        if (found === undefined) throw new Error("The message has not arrived.");
        return found;
      },
      { timeout: 100_000, interval: 200 },
    );
    const { message: verified, changed } = await play("verify", "blocking", { ...message, secret: webhookSecret });
    expect(verified).toMatchObject({ type: "execution.completed", data: { execution: { id, status: "COMPLETED" } } });
    expect(changed).toBe("refused");
  });

  it("does what docs/python.md says, with the code that stands there", async () => {
    const guide = readFileSync(join(ROOT, "docs/python.md"), "utf8");
    const [first = "", second = "", approving = ""] = [...guide.matchAll(/```python\n(.+?)```/gs)].map(
      ([, code = ""]) => code,
    );
    const here = (code: string) => code.replace("http://127.0.0.1:8787", service.url);
    expect(await runPython(["-c", here(first)])).toContain("Product(price=64.9)");
    expect(await runPython(["-c", here(second)])).toMatch(/64\.90.+'\d+'/);
    expect(await runPython(["-c", here(`${first}\n${approving}`)])).toContain(`Send message ${service.url}/`);
  });

  describe("examples/python-cli", () => {
    const program = join(ROOT, "examples/python-cli/run_errand.py");

    it("prints each step and the receipt, with the data of a schema", async () => {
      const schema = join(folder, "price.json");
      writeFileSync(schema, JSON.stringify({ type: "object", properties: { price: { type: "number" } } }));
      const printed = await runPython([program, KETTLE, "--start-url", shopUrl, "--output-schema", schema]);
      expect(printed).toMatch(/^1\. /m);
      expect(printed).toMatch(/^Verified: .+64\.90/m);
      expect(printed).toContain('"price": 64.9');
      expect(printed).toContain("Changes: none");
    });

    it("prints why it failed, and exits with 1", async () => {
      const failing = runPython([program, "Click Fly to the moon.", "--start-url", shopUrl]);
      await expect(failing).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("goal_unreachable") });
    });
  });
});

const CREATE = `
import errand, json, sys
client = errand.Errand(*sys.argv[1:4])
print(json.dumps(client.executions.create(sys.argv[4], start_url=sys.argv[5])))
`;

function openMugShop(): Promise<LoopbackServer> {
  return startLoopbackServer((incoming, response) => {
    if (incoming.url === "/hangs") return;
    const thanks = "<title>Thanks</title><h1>Thank you</h1><p>Order 4711 was placed.</p>";
    response.setHeader("content-type", "text/html; charset=utf-8").end(incoming.url === "/orders" ? thanks : CART);
  });
}

interface Exchanged {
  path: string;
  headers: IncomingHttpHeaders;
  status: number | undefined;
}

interface Proxy extends AsyncDisposable {
  url: string;
  exchanges: Exchanged[];
}

/** Passes requests on and keeps a record. The first response that contains `cutAfter` is cut there. */
async function startProxy(target: string, { cutAfter }: { cutAfter?: string } = {}): Promise<Proxy> {
  const exchanges: Exchanged[] = [];
  let cut = cutAfter;
  const server = createServer((incoming, response) => {
    const { pathname: path, search } = new URL(incoming.url ?? "/", target);
    const { headers, method } = incoming;
    const outgoing = request(new URL(path + search, target), { headers, method }, (answer) => {
      exchanges.push({ path, headers, status: answer.statusCode });
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("data", (chunk: Buffer) => {
        const isCutHere = cut !== undefined && chunk.includes(cut);
        if (!isCutHere) return response.write(chunk);
        cut = undefined;
        return response.write(chunk.subarray(0, chunk.length - 10), () => response.destroy());
      });
      answer.on("end", () => response.end());
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
