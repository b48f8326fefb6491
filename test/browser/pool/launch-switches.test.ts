import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, it } from "vitest";
import { NO_EGRESS_ARGUMENTS } from "../../../src/browser/egress/confined-context.ts";
import { startBrowserProcess } from "../../../src/browser/pool/browser-process.ts";
import {
  PLAYWRIGHT_FEATURES_OFF,
  PLAYWRIGHT_SWITCHES,
  REPORTING_FEATURES,
} from "../../../src/browser/pool/launch-switches.ts";

/** The arguments of a fake browser that records them and exits. */
async function ask(launch: (program: string) => Promise<unknown>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "errand-switches-"));
  try {
    const [program, answer] = [join(folder, "browser"), join(folder, "answer")];
    await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${answer}'\n`);
    await chmod(program, 0o700);
    await expect(launch(program)).rejects.toThrow();
    return (await readFile(answer, "utf8")).trim().split("\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Compares the items of a list, not their order. */
function inOrder(switches: readonly string[]): string[] {
  const sorted = switches.map((text) => {
    const [name, features] = text.split("-features=");
    return features === undefined ? text : `${name}-features=${features.split(",").sort().join(",")}`;
  });
  return sorted.sort();
}

it("knows exactly the switches that this version of Playwright uses", async () => {
  const called = await ask((executablePath) => chromium.launch({ executablePath, chromiumSandbox: true }));
  const theirs = called.filter((text) => !/^--(user-data-dir=|no-startup-window)/.test(text));
  const ours = [...PLAYWRIGHT_SWITCHES, `--disable-features=${PLAYWRIGHT_FEATURES_OFF.join(",")}`];
  expect(inOrder(ours)).toEqual(inOrder(theirs));
});

it("starts a browser with all of them, headless, without reports and without direct network access", async () => {
  const called = await ask((program) => startBrowserProcess(program, { maxMemoryBytes: 0 }));
  expect(called).toEqual(
    expect.arrayContaining([...PLAYWRIGHT_SWITCHES, ...NO_EGRESS_ARGUMENTS, "--no-startup-window"]),
  );
  // A second list would override the first.
  const [features, ...more] = called.filter((text) => text.startsWith("--disable-features="));
  expect(more).toEqual([]);
  expect(features?.split(/[=,]/)).toEqual(expect.arrayContaining([...PLAYWRIGHT_FEATURES_OFF, ...REPORTING_FEATURES]));
  const isRoot = process.getuid?.() === 0;
  expect(called.includes("--no-sandbox")).toBe(isRoot);
});
