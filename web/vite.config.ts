import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Build: `vite build web`. Development: `vite web` next to a service on the default port. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [react()],
  build: { outDir: "dist", emptyOutDir: true, target: "es2022", modulePreload: { polyfill: false } },
  server: { proxy: { "/console/api": "http://127.0.0.1:8787", "/assets": "http://127.0.0.1:8787" } },
});
