import { Type } from "typebox";
import { type Action, ActionFailed } from "./action.ts";

const input = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: "A URL (http or https), or a path on the current site that starts with /.",
    }),
  },
  { additionalProperties: false },
);

export const goto: Action<typeof input> = {
  name: "goto",
  description: "a URL or path of the task, its site, or a link you saw",
  input,
  effect: "navigate",
  deadlineMs: 45_000,
  async run({ url }, { session, observation, signal }) {
    return { status: await session.goto(toUrl(url, observation.url), signal) };
  },
};

/** People leave out the scheme: "example.com/a" is not a path of the current page. */
export function toUrl(text: string, currentUrl: string): string {
  const trimmed = text.trim();
  const isRelative = /^[/?#.]/.test(trimmed) && !trimmed.startsWith("//");
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(trimmed);
  const full = isRelative || hasScheme ? trimmed : `https://${trimmed.replace(/^\/\//, "")}`;
  const url = URL.parse(full, isRelative ? currentUrl : undefined);
  if (url === null) throw new ActionFailed("invalid_input", `goto: "${trimmed.slice(0, 200)}" is not a URL.`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ActionFailed("policy", `${url.protocol} URLs are not opened, only http and https.`);
  }
  return url.href;
}
