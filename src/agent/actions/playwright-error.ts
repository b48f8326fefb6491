/** Playwright is loaded late, and its error classes with it, so errors are told apart by what they say. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** The element, its frame, its page or its script context is no more: what an action on it was about to do is moot. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && GONE.test(error.message);
}

/** It comes from the browser library, so it is about the page and no mistake of ours. */
export function isFromBrowser(error: unknown): error is Error {
  return error instanceof Error && FROM_BROWSER.test(error.message);
}

/** Without the call log, which repeats what was typed, secrets included. */
export function firstLine(error: Error): string {
  const [line = ""] = error.message.split("\n");
  return line.replace(FROM_BROWSER, "").replace(/^Error: /, "");
}

const GONE =
  /not attached|not connected|was detached|has been detached|context was destroyed|has been closed|Cannot find context|Unable to adopt|because of a navigation|JSHandle is disposed/;

const FROM_BROWSER = /^(elementHandle|jsHandle|page|frame|locator|mouse|keyboard|fileChooser|browserContext)\.\w+: /i;
