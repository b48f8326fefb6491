/** Serves a site's editor as its documentation says: the bundle, the site's configuration, and the file backend behind it. */
import { createRequire } from "node:module";
import { npmPackage } from "../packages.ts";

interface App {
  use(handler: unknown): void;
  listen(port: number, host: string): void;
}

const [folder = "", port = "0"] = process.argv.slice(2);
process.env["GIT_REPO_DIRECTORY"] = folder;
const load = createRequire(`${npmPackage("decap-server")}/`);
const express = load("express") as (() => App) & { static(folder: string): unknown };
const { registerLocalFs } = load("./dist/middlewares") as {
  registerLocalFs(app: App, options: object): Promise<void>;
};

const app = express();
app.use(express.static(`${folder}/admin`));
app.use(express.static(`${npmPackage("decap-cms")}/dist`));
await registerLocalFs(app, { logLevel: "error" });
app.listen(Number(port), "127.0.0.1");
