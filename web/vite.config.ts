import { readFile } from "node:fs/promises";
import { join } from "node:path";
import scalar from "@scalar/fastify-api-reference";
import react from "@vitejs/plugin-react";
import { fastify } from "fastify";
import { defineConfig, type Plugin } from "vite";

/** Build: `vite build web`. Development: `vite web` next to a service on the default port. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [react(), apiReference()],
  build: { outDir: "dist", emptyOutDir: true, target: "es2022", modulePreload: { polyfill: false } },
  server: { proxy: { "/console/api": "http://127.0.0.1:8787", "/assets": "http://127.0.0.1:8787" } },
});

/**
 * Adds the script of the API reference (/docs): Scalar, and the call that starts it. Scalar's plugin for Fastify is the
 * smallest package with the whole script, and serves it in one piece.
 */
function apiReference(): Plugin {
  return {
    name: "errand:api-reference",
    apply: "build",
    async generateBundle() {
      const app = fastify();
      await app.register(scalar, { routePrefix: "/docs", configuration: { url: "/openapi.json" } });
      const { statusCode, body } = await app.inject("/docs/js/scalar.js");
      await app.close();
      if (statusCode !== 200) throw new Error(`Scalar's plugin has no script at /docs/js/scalar.js: ${statusCode}`);
      const start = await readFile(join(import.meta.dirname, "reference/start.js"), "utf8");
      this.emitFile({ type: "asset", name: "reference.js", source: `${body}\n${start}` });
    },
  };
}
