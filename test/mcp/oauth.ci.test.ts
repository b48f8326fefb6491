import {
  type Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CallbackServer,
  signIn,
  signUp,
  startCallbackServer,
  startTestBrowser,
  type TestBrowser,
} from "../_harness/browser.ts";
import { expectAccessible } from "../_harness/console-web.ts";
import { createAskingErrand, ORDER } from "../_harness/interactions.ts";
import { call, newMcpClient, startClientSite } from "../_harness/mcp.ts";
import { newEmail, registerClient } from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { startTestWorker, VERIFIED } from "../_harness/worker.ts";

/** What an assistant keeps about one server. */
class Provider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata;
  authorizationUrl: URL | null = null;
  readonly #clientId: string;
  #tokens: OAuthTokens | undefined;
  #verifier = "";
  #discovery: OAuthDiscoveryState | undefined;

  constructor(clientId: string, redirectUrl: string) {
    this.#clientId = clientId;
    this.redirectUrl = redirectUrl;
    this.clientMetadata = { client_name: "Quill Assistant", redirect_uris: [redirectUrl] };
  }
  clientInformation(): OAuthClientInformationMixed {
    return { client_id: this.#clientId };
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens) {
    this.#tokens = tokens;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.#discovery = state;
  }
  discoveryState() {
    return this.#discovery;
  }
  redirectToAuthorization(url: URL) {
    this.authorizationUrl = url;
  }
}

describe("an assistant that connects with nothing but the URL", () => {
  let service: TestService;
  let browser: TestBrowser;
  let callback: CallbackServer;
  let site: Awaited<ReturnType<typeof startClientSite>>;

  beforeAll(async () => {
    callback = await startCallbackServer();
    site = await startClientSite(callback.redirectUri);
    service = await startTestService({ settings: { ERRAND_ALLOW_HOSTS: site.host } });
    browser = await startTestBrowser();
    await registerClient(service, { name: "Tindlemere", mcpClients: true, approval: "commits" });
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
    await callback[Symbol.asyncDispose]();
  });

  const newTransport = (authProvider: Provider) =>
    new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { authProvider });

  /** From the first 401 to a working client, with a person who agrees in a real browser. */
  async function connect(
    path: string,
    agree: (url: string) => Promise<void>,
    onPage: (page: { url: string }) => Promise<"accept" | "decline">,
  ): Promise<Client> {
    const provider = new Provider(site.add(path), callback.redirectUri);
    const transport = newTransport(provider);
    await expect(newMcpClient().connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
    const before = callback.arrived.length;
    await agree(provider.authorizationUrl?.href ?? "");
    await expect.poll(() => callback.arrived.length).toBe(before + 1);
    await transport.finishAuth(callback.arrived.at(-1)?.searchParams ?? new URLSearchParams());
    const client = newMcpClient({ onPage });
    await client.connect(newTransport(provider));
    return client;
  }

  it("gets through consent, beside another one, and has the person approve in the browser", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    await using opened = await browser.openPage();
    const { page } = opened;
    const email = newEmail();
    const agree = async (url: string) => {
      await page.goto(url);
      await page.getByRole("heading", { name: /Connect .*Quill Assistant.*\?/ }).waitFor();
      await page.getByText("Program of").waitFor();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByText("Welcome back").waitFor();
    };
    const approve = async ({ url }: { url: string }) => {
      await page.goto(url);
      await page.getByRole("button", { name: "Approve" }).click();
      return "accept" as const;
    };
    const first = await connect(
      "/first.json",
      async (url) => {
        await page.goto(url);
        await signUp(page, email);
        await agree(url);
      },
      approve,
    );
    const second = await connect("/second.json", agree, approve);
    for (const client of [first, second]) {
      const { output, text } = await call(client, "run_errand", { prompt: "Order a mug" });
      expect(output?.execution.status, text).toBe("COMPLETED");
    }
    expect(errand.sent).toEqual([ORDER.message, ORDER.message]);
    expect((await call(first, "list_errands", {})).output.executions).toHaveLength(2);
  });

  it("cannot approve by itself: the page wants the user's sign-in", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const email = newEmail();
    await using person = await browser.openPage();
    const client = await connect(
      "/third.json",
      async (url) => {
        await person.page.goto(url);
        await signUp(person.page, email);
        await person.page.getByRole("button", { name: "Allow" }).click();
        await person.page.getByText("Welcome back").waitFor();
      },
      async ({ url }) => {
        await using stranger = await browser.openPage();
        await stranger.page.goto(url);
        await stranger.page.getByLabel("Email address").waitFor();
        await signUp(stranger.page, newEmail());
        await stranger.page.getByText("This link is not valid").waitFor();
        expect(errand.sent).toEqual([]);
        await person.page.goto(url);
        await person.page.getByRole("button", { name: "Decline" }).click();
        return "accept";
      },
    );
    const { result, output } = await call(client, "run_errand", { prompt: "Order a mug" });
    expect(result.isError).toBe(true);
    expect(output.execution.terminal.status).toBe("approval_declined");
    expect(errand.sent).toEqual([]);
  });

  it("is not connected when the person cancels", async () => {
    const provider = new Provider(site.add("/fourth.json"), callback.redirectUri);
    const transport = newTransport(provider);
    await expect(newMcpClient().connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
    await using opened = await browser.openPage();
    const { page } = opened;
    await page.goto(provider.authorizationUrl?.href ?? "");
    await signUp(page, newEmail());
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Welcome back").waitFor();
    expect(callback.arrived.at(-1)?.searchParams.get("error")).toBe("access_denied");
    expect(provider.tokens()).toBeUndefined();
  });

  it("keeps working for a person who signs in to Errand again", async () => {
    await using opened = await browser.openPage();
    const { page } = opened;
    const email = newEmail();
    const client = await connect(
      "/fifth.json",
      async (url) => {
        await page.goto(url);
        await signUp(page, email);
        await page.getByRole("button", { name: "Allow" }).click();
        await page.getByText("Welcome back").waitFor();
      },
      async ({ url }) => {
        // Another browser of the same person.
        await using phone = await browser.openPage();
        await phone.page.goto(url);
        await signIn(phone.page, email);
        await phone.page.getByRole("button", { name: "Allow" }).click();
        await phone.page.getByText("You’re connected").waitFor();
        return "accept";
      },
    );
    await service.database.query(
      "update connections set state = 'REAUTHORIZATION_REQUIRED' where user_id = (select id from users where email = $1)",
      [email],
    );
    await using _worker = await startTestWorker(service, {
      async runErrand({ begin }) {
        await begin();
        return VERIFIED;
      },
    });
    const { output, text } = await call(client, "run_errand", { prompt: "Anything" });
    expect(output?.execution.status, text).toBe("COMPLETED");
  });
});
