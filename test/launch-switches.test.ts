import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, it } from "vitest";
import { PLAYWRIGHT_SWITCHES } from "../src/browser/launch-switches.ts";

/** A program that writes down how it was called and ends. */
async function askPlaywright(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "errand-switches-"));
  try {
    const [program, answer] = [join(folder, "browser"), join(folder, "answer")];
    await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${answer}'\n`);
    await chmod(program, 0o700);
    await expect(chromium.launch({ executablePath: program, chromiumSandbox: true })).rejects.toThrow();
    return (await readFile(answer, "utf8")).trim().split("\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a list names counts, not in which order. */
function inOrder(switches: readonly string[]): string[] {
  const sorted = switches.map((text) => {
    const [name, features] = text.split("-features=");
    return features === undefined ? text : `${name}-features=${features.split(",").sort().join(",")}`;
  });
  return sorted.sort();
}

it("knows every switch that this version of Playwright starts a browser with, and no other", async () => {
  const theirs = (await askPlaywright()).filter((text) => !/^--(user-data-dir=|no-startup-window)/.test(text));
  expect(inOrder(PLAYWRIGHT_SWITCHES)).toEqual(inOrder(theirs));
});
