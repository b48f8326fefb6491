import { describeError } from "../lib/describe-error.ts";

const MAX_LINES = 5;

/** What a browser said when it did not start, without the page-long command line and the noise of every start. */
export function describeLaunchFailure(error: unknown): string {
  const [first = "", ...rest] = describeError(error).split("\n");
  const said = rest
    .flatMap((line) => /^\[pid=\d+\]\[err\] (.*)$/.exec(line)?.[1] ?? [])
    .filter((line) => !/dbus|bluez|Floss/.test(line));
  return [first, ...said.slice(-MAX_LINES)].join(" ").trim();
}
