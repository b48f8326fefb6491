import { createHmac, timingSafeEqual } from "node:crypto";
import type { LiveLink } from "../contract/live-run.ts";
import type { Clock } from "../lib/clock.ts";
import { CallerError } from "../lib/errors.ts";
import { parseUuid } from "../lib/uuid.ts";
import { type ExecutionRecord, isTerminal } from "./execution.ts";

/** Links with which anyone can watch one execution. Nothing is stored: the link says what it is for, and is signed. */
export interface LiveLinks {
  /** Throws EXECUTION_FINISHED when there is nothing left to watch. */
  create(execution: Pick<ExecutionRecord, "id" | "status" | "terminal">, use: LinkUse): LiveLink;
  /** Null when the link is not ours, or when the execution no longer exists. */
  open(token: string): Promise<OpenedLiveLink | null>;
}

/** Whoever may take over the browser of a run. `link`: somebody who had a link and was not signed in. */
export type LiveController = "user" | "owner" | "link";

/** Whether somebody with the link only sees the browser, or may take it over, and as whom. */
type LinkUse = "watch" | LiveController;

const LINK_USES: readonly LinkUse[] = ["watch", "user", "owner", "link"];

interface OpenedLiveLink {
  executionId: string;
  use: LinkUse;
  isExpired: boolean;
  applicationName: string;
  /** Origins whose pages may embed the live view. */
  embeddingOrigins: string[];
}

/** Whose execution it is. */
export interface LiveLinkSubject {
  applicationName: string;
  redirectUris: string[];
}

interface LiveLinkOptions {
  key: Buffer;
  publicUrl: string;
  clock: Clock;
  findSubject(executionId: string): Promise<LiveLinkSubject | null>;
}

const LIFETIME_MS = 15 * 60_000;

export function createLiveLinks({ key, publicUrl, clock, findSubject }: LiveLinkOptions): LiveLinks {
  const sign = (content: string) => createHmac("sha256", key).update(content).digest("base64url");

  function read(token: string): { executionId: string; use: LinkUse; expiresAtMs: number } | null {
    const [executionId = "", given = "", expiresAt = "", signature = ""] = token.split(".");
    const use = LINK_USES.find((each) => each === given);
    if (use === undefined) return null;
    const expected = Buffer.from(sign(`${executionId}.${use}.${expiresAt}`));
    const signed = Buffer.from(signature);
    if (signed.length !== expected.length || !timingSafeEqual(signed, expected)) return null;
    return parseUuid(executionId) === null ? null : { executionId, use, expiresAtMs: Number.parseInt(expiresAt, 36) };
  }

  return {
    create({ id, status, terminal }, use) {
      if (isTerminal(status)) {
        throw new CallerError(
          "EXECUTION_FINISHED",
          `The execution has already ended (${terminal?.status}) and cannot be watched. Its screenshots are among its artifacts.`,
        );
      }
      const expiresAtMs = clock.now().getTime() + LIFETIME_MS;
      const content = `${id}.${use}.${expiresAtMs.toString(36)}`;
      return {
        url: `${publicUrl}/live/${content}.${sign(content)}`,
        expires_at: new Date(expiresAtMs).toISOString(),
      };
    },

    async open(token) {
      const link = read(token);
      const subject = link && (await findSubject(link.executionId));
      if (link === null || subject === null) return null;
      return {
        executionId: link.executionId,
        use: link.use,
        isExpired: clock.now().getTime() >= link.expiresAtMs,
        applicationName: subject.applicationName,
        embeddingOrigins: findOrigins(subject.redirectUris),
      };
    },
  };
}

/** The redirect URIs of native applications have no origin. */
function findOrigins(redirectUris: readonly string[]): string[] {
  const origins = redirectUris.flatMap((uri) => {
    const url = URL.parse(uri);
    if (url === null || !/^https?:$/.test(url.protocol)) return [];
    // Registered loopback URIs match with any port (RFC 8252 §7.3).
    return url.protocol === "http:" ? [`http://${url.hostname}:*`] : [url.origin];
  });
  return [...new Set(origins)];
}
