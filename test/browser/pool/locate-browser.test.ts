import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { locateBrowser } from "../../../src/browser/pool/locate-browser.ts";
import { temporaryFolder, writeProgram } from "../../_harness/programs.ts";

describe("locateBrowser", () => {
  function makeLookup() {
    const folder = temporaryFolder();
    const playwrightChromium = join(folder, "registry/chromium-1234/chrome-linux/chrome");
    const first = join(folder, "first");
    const second = join(folder, "second");
    return {
      folder,
      first,
      second,
      lookup: { explicitPath: null, searchPath: `${first}${delimiter}${second}`, playwrightChromium, applications: [] },
    };
  }

  test("returns null if there is none", async () => {
    expect(await locateBrowser(makeLookup().lookup)).toBeNull();
  });

  test("prefers an explicit path", async () => {
    const { folder, lookup } = makeLookup();
    writeProgram(lookup.playwrightChromium);
    const explicitPath = writeProgram(join(folder, "mine"));
    expect(await locateBrowser({ ...lookup, explicitPath })).toEqual({ path: explicitPath, kind: "explicit" });
  });

  test("rejects an explicit path that cannot be executed, even if there are other browsers", async () => {
    const { folder, lookup } = makeLookup();
    writeProgram(lookup.playwrightChromium);
    const notExecutable = join(folder, "notes.txt");
    writeFileSync(notExecutable, "");
    for (const explicitPath of [join(folder, "missing"), notExecutable, folder]) {
      await expect(locateBrowser({ ...lookup, explicitPath })).rejects.toThrow(explicitPath);
    }
  });

  test("prefers Playwright's headless shell to its Chromium, and that to the system's", async () => {
    const { folder, first, lookup } = makeLookup();
    const system = writeProgram(join(first, "chromium-headless-shell"));
    expect(await locateBrowser(lookup)).toEqual({ path: system, kind: "system" });

    writeProgram(lookup.playwrightChromium);
    expect(await locateBrowser(lookup)).toEqual({ path: lookup.playwrightChromium, kind: "playwright" });

    const shell = writeProgram(
      join(folder, "registry/chromium_headless_shell-1234/chrome-headless-shell-linux/chrome-headless-shell"),
    );
    expect(await locateBrowser(lookup)).toEqual({ path: shell, kind: "playwright" });
  });

  test("ignores Playwright's headless shell of another revision", async () => {
    const { folder, lookup } = makeLookup();
    writeProgram(
      join(folder, "registry/chromium_headless_shell-1000/chrome-headless-shell-linux/chrome-headless-shell"),
    );
    expect(await locateBrowser(lookup)).toBeNull();
  });

  test("prefers a headless shell to a full browser, in any PATH order, and applications last", async () => {
    const { folder, first, second, lookup } = makeLookup();
    const applications = [writeProgram(join(folder, "Chrome.app/Chrome"))];
    expect(await locateBrowser({ ...lookup, applications })).toEqual({ path: applications[0], kind: "system" });

    const chrome = writeProgram(join(first, "google-chrome"));
    expect(await locateBrowser({ ...lookup, applications })).toEqual({ path: chrome, kind: "system" });

    const shell = writeProgram(join(second, "chrome-headless-shell"));
    expect(await locateBrowser({ ...lookup, applications })).toEqual({ path: shell, kind: "system" });
  });
});
