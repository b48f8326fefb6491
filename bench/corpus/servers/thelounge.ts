/** Runs the chat client together with the chat network that it connects to. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { npmPackage } from "../packages.ts";
import { type Network, serveIrc } from "./irc.ts";

const [folder = "", ircPort = "0"] = process.argv.slice(2);
const file = join(folder, "network.json");
serveIrc(JSON.parse(readFileSync(file, "utf8")) as Network, Number(ircPort), file);

const load = createRequire(`${npmPackage("thelounge")}/`);
// It would ask the internet for a new version, and fail when there is no connection.
const changelog = load("./dist/server/plugins/changelog") as { default: { checkForUpdates: unknown } };
changelog.default.checkForUpdates = () => {};
process.env["THELOUNGE_HOME"] = folder;
process.argv = [process.execPath, "thelounge", "start"];
load("./index.js");
