import { type Static, Type } from "typebox";
import { SessionLost } from "../../browser/session/browser-session.ts";
import { type Action, type ActionContext, ActionFailed } from "./action.ts";
import { failureOf } from "./failure-of.ts";
import { firstLine } from "./playwright-error.ts";

const input = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: "A web address (http or https), or a path on the current site that begins with /.",
    }),
  },
  { additionalProperties: false },
);

export const goto: Action<typeof input> = {
  name: "goto",
  description:
    "Opens an address in the current tab. Use it for addresses from the task or from links you have seen; never guess " +
    "one. Reports the HTTP status of the page.",
  input,
  effect: "navigate",
  deadlineMs: 45_000,
  run,
};

async function run({ url }: Static<typeof input>, { session, observation, signal }: ActionContext): Promise<unknown> {
  const address = toAddress(url, observation.url);
  try {
    return { status: await session.goto(address, signal) };
  } catch (error) {
    throw toNavigationFailure(error, address);
  }
}

/** What is known by another name stays as it is; every other failure on the way to a page is one to navigate. */
export function toNavigationFailure(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || error instanceof SessionLost || error.name === "AbortError") return error;
  const kind = failureOf(error)?.kind;
  if (kind === "policy" || kind === "timeout") return error;
  return new ActionFailed("navigation_failed", `${address} could not be opened: ${firstLine(error)}`, { cause: error });
}

/** People leave out the scheme; "example.com/a" is no path of the current page. */
function toAddress(text: string, currentUrl: string): string {
  const trimmed = text.trim();
  const isRelative = /^[/?#.]/.test(trimmed) && !trimmed.startsWith("//");
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(trimmed);
  const full = isRelative || hasScheme ? trimmed : `https://${trimmed.replace(/^\/\//, "")}`;
  const url = URL.parse(full, isRelative ? currentUrl : undefined);
  if (url === null) throw new ActionFailed("invalid_input", `goto: "${trimmed.slice(0, 200)}" is not a web address.`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ActionFailed("policy", `${url.protocol} addresses are not opened, only http and https.`);
  }
  return url.href;
}
