import { describe, expect, it } from "vitest";
import { createBrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { startLoopbackServer } from "../../_harness/browser.ts";
import {
  beginAttempt,
  type LiveSocket,
  type OpenAttempt,
  openSocket,
  startLiveService,
} from "../../_harness/live-sign-in.ts";
import type { TestService } from "../../_harness/service.ts";

const HELLO = { type: "hello", width: 800, height: 600, isTouch: false };
const MOVE = { type: "pointer", kind: "move", x: 9, y: 9, button: "none", buttons: 0, clicks: 0, modifiers: 0 };

async function sit(service: TestService, attempt: OpenAttempt): Promise<LiveSocket> {
  const { socket } = await openSocket(service, attempt, { ticket: await attempt.load() });
  if (socket === null) throw new Error("the socket did not open");
  socket.send(HELLO);
  return socket;
}

const startSite = () =>
  startLoopbackServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Sign in</title>");
  });

const errorOf = ({ to }: { to: string }) => new URL(to).searchParams.get("error");

async function expectNothingSaved({ database }: TestService): Promise<void> {
  const [saved] = await database.query(
    "select (select count(*) from saved_sign_ins)::int + (select count(*) from authorization_codes)::int as rows",
  );
  expect(saved).toEqual({ rows: 0 });
}

describe("an unfinished manual sign-in", () => {
  it("ends after a time without input, with a warning first", async () => {
    await using site = await startSite();
    await using service = await startLiveService([new URL(site.url).host], {
      limits: { idleMs: 3_000, idleWarningMs: 2_000 },
    });
    const socket = await sit(service, await beginAttempt(service, `${site.url}/`));
    expect(await socket.receive("idle")).toEqual({ type: "idle", endsInSeconds: 2 });
    socket.send({ type: "input", input: MOVE });
    await expect
      .poll(() => socket.messages, { timeout: 100_000 })
      .toContainEqual({ type: "idle", endsInSeconds: null });
    expect(errorOf(await socket.receive("over"))).toBe("access_denied");
    await expectNothingSaved(service);
  });

  it("ends when its page is closed and not reopened", async () => {
    await using site = await startSite();
    await using service = await startLiveService([new URL(site.url).host], { limits: { graceMs: 300 } });
    const attempt = await beginAttempt(service, `${site.url}/`);
    const socket = await sit(service, attempt);
    const { ticket } = await socket.receive("welcome");
    socket.drop();
    const outcome = () => service.database.query("select outcome from sign_in_attempts");
    await expect.poll(outcome, { timeout: 100_000 }).toEqual([{ outcome: "access_denied" }]);
    await expect
      .poll(async () => (await openSocket(service, attempt, { ticket })).status, { timeout: 100_000 })
      .toBe(404);
    await expectNothingSaved(service);
  });

  it("is temporarily unavailable when no browser is available", async () => {
    const logger = createLogger("silent", process.stderr);
    await using service = await startLiveService([], {
      openPool: () => createBrowserPool({ executablePath: "/nowhere/chromium", warm: 0, logger }),
    });
    const socket = await sit(service, await beginAttempt(service, "https://shop.example/login"));
    expect(errorOf(await socket.receive("over"))).toBe("temporarily_unavailable");
    await expectNothingSaved(service);
  });

  it("is temporarily unavailable at the limit of concurrent sign-ins; closing a page frees a slot", async () => {
    await using site = await startSite();
    await using service = await startLiveService([new URL(site.url).host], { settings: { ERRAND_MAX_SIGN_INS: "1" } });
    const first = await sit(service, await beginAttempt(service, `${site.url}/`));
    await first.receive("page");
    const second = await sit(service, await beginAttempt(service, `${site.url}/`));
    expect(errorOf(await second.receive("over"))).toBe("temporarily_unavailable");
    first.drop();
    await first.closed;
    const third = await sit(service, await beginAttempt(service, `${site.url}/`));
    await third.receive("page");
    expect(third.messages.some(({ type }) => type === "over")).toBe(false);
  });
});
