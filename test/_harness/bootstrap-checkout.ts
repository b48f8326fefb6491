import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder, writeProgram } from "./programs.ts";

export const ROOT = join(import.meta.dirname, "../..");
const TOOLS = [
  "awk",
  "cat",
  "cksum",
  "cmp",
  "cp",
  "dirname",
  "find",
  "grep",
  "ln",
  "mkdir",
  "mv",
  "paste",
  "ps",
  "readlink",
  "rm",
  "rmdir",
  "sh",
  "sleep",
  "tr",
  "uname",
];

interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder with the few programs that the scripts use, as the only one in PATH. */
function toolFolder(folder: string): string {
  mkdirSync(folder);
  for (const tool of TOOLS) {
    const found = (process.env.PATH ?? "").split(delimiter).find((entry) => existsSync(join(entry, tool)));
    if (found !== undefined) symlinkSync(join(found, tool), join(folder, tool));
  }
  return folder;
}

/** A checkout whose npm, browser search and program are fakes that record their calls. */
export function makeCheckout() {
  const base = temporaryFolder();
  const root = join(base, "checkout");
  const tools = toolFolder(join(base, "tools"));
  const calls = join(base, "calls");
  const state = join(root, "node_modules/.errand-bootstrap");
  const children: ChildProcess[] = [];
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
  });

  for (const script of ["bin/errand", "scripts/bootstrap"]) {
    mkdirSync(dirname(join(root, script)), { recursive: true });
    copyFileSync(join(ROOT, script), join(root, script));
  }
  writeFileSync(join(root, "package.json"), "{}");
  writeFileSync(join(root, "package-lock.json"), "{}");
  mkdirSync(join(root, "src"));
  writeFileSync(
    join(root, "src/main.ts"),
    "const { argv, execArgv, pid } = process; console.log(JSON.stringify({ args: argv.slice(2), execArgv, cwd: process.cwd(), pid })); process.exitCode = 7;",
  );

  const checkout = {
    base,
    root,
    state,
    /** What the fake npm does. It must install a pinned Node. */
    npm(script: string): void {
      writeProgram(join(tools, "npm"), `#!/bin/sh\necho "npm $1" >>"${calls}"\n${script}\n`);
    },
    browserSearch(code: string): void {
      const record = `require("node:fs").appendFileSync(${JSON.stringify(calls)}, "browser search\\n");`;
      writeFileSync(join(root, "scripts/ensure-browser.ts"), `${record}\n${code}\n`);
    },
    /** The files of a console, and what its build does with the output folder. */
    console(build: string): void {
      const record = `require("node:fs").appendFileSync(${JSON.stringify(calls)}, "build\\n");`;
      const into = 'const into = process.argv[process.argv.indexOf("--outDir") + 1];';
      const vite = join(base, "vite.js");
      writeFileSync(vite, `${record}\n${into}\n${build}\n`);
      checkout.npm(`${WORKING_NPM}; mkdir -p node_modules/vite/bin; ln -sf "${vite}" node_modules/vite/bin/vite.js`);
      mkdirSync(join(root, "web/src"), { recursive: true });
      writeFileSync(join(root, "web/vite.config.ts"), "");
      writeFileSync(join(root, "web/src/main.tsx"), "one");
    },
    removeNpm(): void {
      rmSync(join(tools, "npm"));
    },
    calls(): string[] {
      return existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
    },
    start(program: string, args: string[] = [], env: Record<string, string> = {}) {
      const child = spawn(program, args, {
        cwd: base,
        env: { PATH: tools, HOME: base, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      children.push(child);
      const output = { stdout: "", stderr: "" };
      child.stdout.on("data", (chunk) => (output.stdout += chunk));
      child.stderr.on("data", (chunk) => (output.stderr += chunk));
      const finished = new Promise<Finished>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (code) => resolve({ code, ...output }));
      });
      return { pid: child.pid, output, finished };
    },
    bootstrap(args: string[] = [], env: Record<string, string> = {}): Promise<Finished> {
      return checkout.start(join(root, "scripts/bootstrap"), args, env).finished;
    },
    errand(...args: string[]): Promise<Finished> {
      return checkout.start(join(root, "bin/errand"), args).finished;
    },
  };
  checkout.npm(WORKING_NPM);
  checkout.browserSearch('throw new Error("no browser here");');
  return checkout;
}

export const WORKING_NPM = `mkdir -p node_modules/node/bin && ln -sf "${process.execPath}" node_modules/node/bin/node`;
