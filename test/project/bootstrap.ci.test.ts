import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { makeCheckout, ROOT, WORKING_NPM } from "../_harness/bootstrap-checkout.ts";
import { temporaryFolder, writeProgram } from "../_harness/programs.ts";

describe("bin/errand", () => {
  test("runs through a chain of symlinks, in the directory of the caller, with its arguments and exit code", async () => {
    const checkout = makeCheckout();
    symlinkSync("checkout/bin/errand", join(checkout.base, "relative"));
    symlinkSync(join(checkout.base, "relative"), join(checkout.base, "absolute"));

    const { code, stdout } = await checkout.start(join(checkout.base, "absolute"), ["show", "two words", ""]).finished;

    expect(JSON.parse(stdout)).toMatchObject({ args: ["show", "two words", ""], cwd: checkout.base });
    expect(code).toBe(7);
  });

  test("replaces itself with the program, so that signals reach it", async () => {
    const checkout = makeCheckout();
    const { pid, finished } = checkout.start(join(checkout.root, "bin/errand"), ["show"]);
    expect(JSON.parse((await finished).stdout)).toMatchObject({ pid });
  });

  test("lets only a service keep its heap", async () => {
    const checkout = makeCheckout();
    const execArgvOf = async (command: string) => JSON.parse((await checkout.errand(command)).stdout).execArgv;
    expect(await execArgvOf("start")).toEqual(["--no-memory-reducer", "--heap-growing-percent=100"]);
    expect(await execArgvOf("show")).toEqual([]);
  });

  test("writes nothing to standard output", async () => {
    const checkout = makeCheckout();
    checkout.npm(`echo noise; ${WORKING_NPM}`);
    const { stdout, stderr } = await checkout.errand("show", "--json");
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain("Installing packages");
  });

  test("does not run the program when the installation fails", async () => {
    const checkout = makeCheckout();
    checkout.npm("exit 1");
    expect(await checkout.errand("show")).toMatchObject({ code: 1, stdout: "" });
  });

  test.each([["--help"], ["--version"], ["show", "start"], ["start", "--help"]])(
    "looks for no browser for: %s %s",
    async (...args) => {
      const checkout = makeCheckout();
      await checkout.errand(...args);
      expect(checkout.calls()).not.toContain("browser search");
    },
  );

  test.each(["start", "run"])("%s continues without a browser, with a warning", async (command) => {
    const checkout = makeCheckout();
    const { code, stderr } = await checkout.errand("--json", command);
    expect(checkout.calls()).toContain("browser search");
    expect(stderr).toContain("without a browser");
    expect(code).toBe(7);
  });
});

describe("installing packages", () => {
  test("happens once: the second run calls nothing and says nothing", async () => {
    const checkout = makeCheckout();
    expect((await checkout.bootstrap()).code).toBe(0);
    checkout.npm("exit 1");
    expect(await checkout.bootstrap()).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(checkout.calls()).toEqual(["npm ci"]);
  });

  test.each([
    ["package-lock.json", "{}\n"],
    ["package.json", '{"dependencies":{"a":"1"}}'],
  ])("happens again when %s has changed, in any layout", async (file, text) => {
    const checkout = makeCheckout();
    await checkout.bootstrap();
    writeFileSync(join(checkout.root, file), text);
    expect((await checkout.bootstrap()).code).toBe(0);
    expect(checkout.calls()).toEqual(["npm ci", "npm ci"]);
  });

  test.each(["workspaces", "dependencies", "devDependencies", "optionalDependencies", "overrides", "allowScripts"])(
    "happens again when the %s of package.json have changed, and not for the rest of it",
    async (section) => {
      const checkout = makeCheckout();
      const write = (script: string, version: string) =>
        writeFileSync(
          join(checkout.root, "package.json"),
          JSON.stringify({ scripts: { test: script }, [section]: { a: version }, version: script }, null, 2),
        );
      write("one", "1");
      await checkout.bootstrap();
      write("another", "1");
      expect(await checkout.bootstrap()).toEqual({ code: 0, stdout: "", stderr: "" });
      write("another", "2");
      expect((await checkout.bootstrap()).code).toBe(0);
      expect(checkout.calls()).toEqual(["npm ci", "npm ci"]);
    },
  );

  test("installs what the lockfile names, next to the packages in use, and replaces them all at once", async () => {
    const checkout = makeCheckout();
    const version = (name: string) => join(checkout.root, "node_modules", name);
    checkout.npm(`${WORKING_NPM}; mkdir node_modules/old node_modules/.bin; cp package-lock.json node_modules/old`);
    await checkout.bootstrap();
    expect(existsSync(version("old/package-lock.json"))).toBe(true);

    appendFileSync(join(checkout.root, "package-lock.json"), "\n");
    const gate = join(checkout.base, "gate");
    checkout.npm(
      `[ "$2 $3" = "--prefix $PWD" ] || exit 9; until [ -e "${gate}" ]; do sleep 0.1; done; ${WORKING_NPM}; mkdir node_modules/new`,
    );
    const update = checkout.start(join(checkout.root, "scripts/bootstrap"));
    await vi.waitFor(() => expect(checkout.calls()).toHaveLength(2), { timeout: 100_000 });
    expect([existsSync(version("old")), existsSync(version("node/bin/node"))]).toEqual([true, true]);
    writeFileSync(gate, "");
    expect((await update.finished).code).toBe(0);
    expect([existsSync(version("old")), existsSync(version("new")), existsSync(version(".bin"))]).toEqual([
      false,
      true,
      false,
    ]);
    expect(readdirSync(checkout.state)).toEqual(["stamp"]);
  });

  test("gives npm the manifests of the project's packages, and installs again when one has changed", async () => {
    const checkout = makeCheckout();
    const manifest = join(checkout.root, "packages/one/package.json");
    const write = (version: string) =>
      writeFileSync(manifest, JSON.stringify({ dependencies: { a: version } }, null, 2));
    mkdirSync(join(checkout.root, "packages/one/src"), { recursive: true });
    write("1");
    checkout.npm(`${WORKING_NPM}; cp packages/one/package.json node_modules; [ ! -e packages/one/src ] || exit 9`);
    expect((await checkout.bootstrap()).code).toBe(0);
    const installed = () => readFileSync(join(checkout.root, "node_modules/package.json"), "utf8");
    expect(installed()).toContain('"1"');

    expect(await checkout.bootstrap()).toEqual({ code: 0, stdout: "", stderr: "" });
    write("2");
    expect((await checkout.bootstrap()).code).toBe(0);
    expect(installed()).toContain('"2"');
  });

  test.each([
    ["npm", `${WORKING_NPM}; mkdir node_modules/half-a-package; kill -9 $$`],
    ["the whole installation", `${WORKING_NPM}; mkdir node_modules/half-a-package; kill -9 $PPID; kill -9 $$`],
  ])("starts from an empty folder after %s was killed halfway", async (_what, script) => {
    const checkout = makeCheckout();
    checkout.npm(script);
    expect((await checkout.bootstrap()).code).not.toBe(0);
    expect(existsSync(join(checkout.root, "node_modules/node"))).toBe(false);

    checkout.npm(WORKING_NPM);
    expect((await checkout.bootstrap()).code).toBe(0);
    expect(existsSync(join(checkout.root, "node_modules/half-a-package"))).toBe(false);
    expect(checkout.calls()).toEqual(["npm ci", "npm ci"]);
  });

  test("keeps the existing packages when npm fails, and tries again the next time", async () => {
    const checkout = makeCheckout();
    await checkout.bootstrap();
    const kept = writeProgram(join(checkout.root, "node_modules/kept/index.js"));
    appendFileSync(join(checkout.root, "package-lock.json"), "\n");

    checkout.npm("echo 'npm error network' >&2; exit 1");
    const { code, stderr } = await checkout.bootstrap();
    expect(code).toBe(1);
    expect(stderr).toContain("npm error network");
    expect(stderr).toContain("then run this again");
    expect(existsSync(kept)).toBe(true);

    checkout.npm(WORKING_NPM);
    expect((await checkout.bootstrap()).code).toBe(0);
    expect(existsSync(kept)).toBe(false);
  });

  test("fails when npm installs no working Node", async () => {
    const checkout = makeCheckout();
    checkout.npm("true");
    const { code, stderr } = await checkout.bootstrap();
    expect(code).toBe(1);
    expect(stderr).toContain("npm_config_ignore_scripts=false");
  });

  test("says what to do when there is no npm", async () => {
    const checkout = makeCheckout();
    checkout.removeNpm();
    const { code, stderr } = await checkout.bootstrap();
    expect(code).toBe(1);
    expect(stderr).toContain("Install Node.js");
  });

  test("runs once if started twice; the other run waits", async () => {
    const checkout = makeCheckout();
    const gate = join(checkout.base, "gate");
    checkout.npm(`until [ -e "${gate}" ]; do sleep 0.1; done; ${WORKING_NPM}`);
    const script = join(checkout.root, "scripts/bootstrap");

    const first = checkout.start(script);
    await vi.waitFor(() => expect(checkout.calls()).toHaveLength(1), { timeout: 100_000 });
    const second = checkout.start(script);
    await vi.waitFor(() => expect(second.output.stderr).toContain(`process ${first.pid}`), { timeout: 100_000 });
    writeFileSync(gate, "");

    expect((await first.finished).code).toBe(0);
    expect((await second.finished).code).toBe(0);
    expect(checkout.calls()).toEqual(["npm ci"]);
  });

  test("ignores the lock of a dead process", async () => {
    const checkout = makeCheckout();
    const dead = checkout.start("sh", ["-c", "exit 0"]);
    await dead.finished;
    mkdirSync(checkout.state, { recursive: true });
    symlinkSync(String(dead.pid), join(checkout.state, "lock"));
    expect((await checkout.bootstrap()).code).toBe(0);
    expect(existsSync(join(checkout.state, "lock"))).toBe(false);
  });

  test("refuses an unknown argument", async () => {
    const { code, stderr } = await makeCheckout().bootstrap(["--brwoser"]);
    expect(code).toBe(1);
    expect(stderr).toContain("--brwoser");
  });
});

/** A build whose page shows its input. */
const WORKING_BUILD = `
const { copyFileSync, mkdirSync } = require("node:fs");
mkdirSync(into, { recursive: true });
copyFileSync("web/src/main.tsx", into + "/index.html");`;

describe("building the console", () => {
  const page = (root: string) => readFileSync(join(root, "web/dist/index.html"), "utf8");
  const builds = (calls: string[]) => calls.filter((call) => call === "build").length;

  test("happens once, and again when a file, a file name or a package has changed", async () => {
    const checkout = makeCheckout();
    checkout.console(WORKING_BUILD);
    const { code, stderr } = await checkout.bootstrap();
    expect(code).toBe(0);
    expect(stderr).toContain("Building the console");
    expect(page(checkout.root)).toBe("one");
    expect(await checkout.bootstrap()).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(builds(checkout.calls())).toBe(1);

    writeFileSync(join(checkout.root, "web/src/main.tsx"), "two");
    await checkout.bootstrap();
    expect(page(checkout.root)).toBe("two");
    renameSync(join(checkout.root, "web/vite.config.ts"), join(checkout.root, "web/other.ts"));
    writeFileSync(join(checkout.root, "web/vite.config.ts"), "");
    await checkout.bootstrap();
    expect(builds(checkout.calls())).toBe(3);
    appendFileSync(join(checkout.root, "package-lock.json"), "\n");
    await checkout.bootstrap();
    expect(builds(checkout.calls())).toBe(4);
    rmSync(join(checkout.root, "web/dist"), { recursive: true });
    await checkout.bootstrap();
    expect(page(checkout.root)).toBe("two");
  });

  test("keeps the old console if it fails, and is tried again", async () => {
    const checkout = makeCheckout();
    checkout.console(WORKING_BUILD);
    await checkout.bootstrap();
    checkout.console('throw new Error("a hole in the source");');
    writeFileSync(join(checkout.root, "web/src/main.tsx"), "two");
    const failed = await checkout.bootstrap();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("a hole in the source");
    expect((await checkout.errand("start")).code).toBe(7);
    expect(page(checkout.root)).toBe("one");
    checkout.console(WORKING_BUILD);
    writeFileSync(join(checkout.root, "web/src/main.tsx"), "two");
    await checkout.bootstrap();
    expect(page(checkout.root)).toBe("two");
  });

  test("happens for the service, but not for other commands", async () => {
    const checkout = makeCheckout();
    checkout.console(WORKING_BUILD);
    await checkout.errand("show");
    expect(builds(checkout.calls())).toBe(0);
    await checkout.errand("start");
    expect(page(checkout.root)).toBe("one");
  });
});

describe("ensuring a browser", () => {
  test("fails without one", async () => {
    expect((await makeCheckout().bootstrap(["--browser"])).code).toBe(1);
  });

  test("remembers the browser it found until that is deleted", async () => {
    const checkout = makeCheckout();
    const browser = writeProgram(join(checkout.base, "my browser"));
    checkout.browserSearch(`console.log(${JSON.stringify(browser)});`);
    const searches = () => checkout.calls().filter((call) => call === "browser search").length;

    expect((await checkout.bootstrap(["--browser"])).code).toBe(0);
    expect(await checkout.bootstrap(["--browser"])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(searches()).toBe(1);

    chmodSync(browser, 0o644);
    await checkout.bootstrap(["--browser"]);
    expect(searches()).toBe(2);
  });

  test("uses a configured browser without a search, and needs none for a remote one", async () => {
    const checkout = makeCheckout();
    const browser = writeProgram(join(checkout.base, "chosen"));
    expect((await checkout.bootstrap(["--browser"], { ERRAND_BROWSER_PATH: browser })).code).toBe(0);
    expect((await checkout.bootstrap(["--browser"], { ERRAND_BROWSER_CDP_URL: "http://127.0.0.1:9222" })).code).toBe(0);
    expect(checkout.calls()).toEqual(["npm ci"]);
  });

  test("does not replace a missing configured browser with the remembered one", async () => {
    const checkout = makeCheckout();
    checkout.browserSearch(`console.log(${JSON.stringify(writeProgram(join(checkout.base, "found")))});`);
    await checkout.bootstrap(["--browser"]);
    checkout.browserSearch("process.exitCode = 1;");
    expect(
      (await checkout.bootstrap(["--browser"], { ERRAND_BROWSER_PATH: join(checkout.base, "missing") })).code,
    ).toBe(1);
  });

  test("names a configured browser that is missing", async () => {
    const missing = join(temporaryFolder(), "missing");
    const checkout = makeCheckout();
    const search = [join(ROOT, "scripts/ensure-browser.ts")];
    const { code, stdout, stderr } = await checkout.start(process.execPath, search, {
      ERRAND_BROWSER_PATH: missing,
      ERRAND_BROWSER_CDP_URL: "",
    }).finished;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(missing);
  });
});
