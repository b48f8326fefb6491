import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PluginOption } from "vite";

const PAGES = join(import.meta.dirname, "pages");
const ENTRY = "virtual:page";
const CACHE = join(import.meta.dirname, "../../node_modules/.cache/errand-pages");

/** The folder with index.html of this page. It is built once for these sources and packages. */
export async function bundlePage(name: string): Promise<string> {
  const [source] = globSync(`${name}.{ts,tsx,vue,svelte}`, { cwd: PAGES });
  if (source === undefined) throw new Error(`There is no page ${name} in test/spa/pages.`);
  const folder = join(CACHE, `${name}-${await hashOfSources(source)}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  await buildInChild(source, unfinished);
  // Another test worker may have been faster. Its build is as good.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true, force: true }));
  return folder;
}

/** The page, what pages share, their packages and this file. */
async function hashOfSources(source: string): Promise<string> {
  const shared = globSync("_*", { cwd: PAGES }).sort();
  const files = [...[source, ...shared].map((file) => join(PAGES, file)), import.meta.filename];
  files.push(join(import.meta.dirname, "package-lock.json"));
  const hash = createHash("sha256");
  for (const file of files) hash.update(await readFile(file)).update("\0");
  return hash.digest("hex").slice(0, 16);
}

/** Vitest sets NODE_ENV, which decides what the libraries are built as. */
async function buildInChild(source: string, folder: string): Promise<void> {
  const args = [import.meta.filename, source, folder];
  const child = spawn(process.execPath, args, { env: { ...process.env, NODE_ENV: "production" } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk) => (said += chunk));
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("close", resolve);
  if ((await promise) !== 0) throw new Error(`The page ${source} could not be built:\n${said}`);
}

async function build(source: string, folder: string): Promise<void> {
  const vite = await import("vite");
  await vite.build({
    configFile: false,
    root: PAGES,
    base: "./",
    logLevel: "error",
    publicDir: false,
    plugins: [entry(source), await pluginFor(source)],
    oxc: { jsx: { runtime: "automatic" } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      cssCodeSplit: false,
      target: "es2022",
      chunkSizeWarningLimit: 50_000,
      rolldownOptions: { input: ENTRY, output: { entryFileNames: "page.js" } },
    },
  });
  await mkdir(folder, { recursive: true });
  const styles = globSync("**/*.css", { cwd: folder }).map((file) => `<link rel="stylesheet" href="./${file}">`);
  await writeFile(
    join(folder, "index.html"),
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${source.replace(/\..*/, "")}</title>${styles.join("")}
     <body><div id="root"></div><script type="module" src="./page.js"></script></body></html>`,
  );
}

/** A script renders itself. A Vue or Svelte file is a component that has to be mounted. */
function entry(source: string): PluginOption {
  const file = JSON.stringify(join(PAGES, source));
  const code = source.endsWith(".vue")
    ? `import { createApp } from "vue"; import Page from ${file}; createApp(Page).mount("#root");`
    : source.endsWith(".svelte")
      ? `import { mount } from "svelte"; import Page from ${file}; mount(Page, { target: document.getElementById("root") });`
      : `import ${file};`;
  return {
    name: "errand:entry",
    resolveId: (id) => (id === ENTRY ? `\0${ENTRY}` : null),
    load: (id) => (id === `\0${ENTRY}` ? code : null),
  };
}

/** Loaded by name: the root package does not know the packages of the pages. */
async function pluginFor(source: string): Promise<PluginOption> {
  if (source.endsWith(".vue")) {
    const plugin = "@vitejs/plugin-vue";
    return ((await import(plugin)) as { default(): PluginOption }).default();
  }
  if (source.endsWith(".svelte")) {
    const plugin = "@sveltejs/vite-plugin-svelte";
    return ((await import(plugin)) as { svelte(options: object): PluginOption }).svelte({ configFile: false });
  }
  return [];
}

if (import.meta.main) await build(process.argv[2] ?? "", process.argv[3] ?? "");
