import { type Command, InvalidArgumentError } from "commander";
import { DEMO_PORT, openDemoShop } from "../app/demo-shop.ts";
import { JSON_OPTION } from "./options.ts";
import { printResult } from "./output.ts";
import { untilSignal } from "./signals.ts";

interface DemoOptions {
  host: string;
  port: number;
  json?: boolean;
}

export function addDemoCommand(program: Command): void {
  program
    .command("demo")
    .description("start the demo shop, a small test site to run errands on")
    .option("--port <port>", "port to listen on; 0 picks a free one", parsePort, DEMO_PORT)
    .option("--host <address>", "network address to listen on", "127.0.0.1")
    .option(...JSON_OPTION)
    .action(async (options: DemoOptions) => {
      const stop = untilSignal();
      const { DEMO_ACCOUNTS, DEMO_PASSWORD } = await import("../../demo/people/demo-accounts.ts");
      const { shop, movedFrom } = await openDemoShop({
        host: options.host,
        port: options.port,
        // The shop sends no mail. What it would send, such as a one-time code, is printed here.
        onMail: ({ to, subject, text }) => process.stderr.write(`Mail to ${to}: ${subject}\n${text}\n`),
      });
      await using _open = shop;
      const accounts = DEMO_ACCOUNTS.map(({ email }) => email);
      printResult(options.json, { url: shop.url, pid: process.pid, accounts, password: DEMO_PASSWORD }, [
        `The demo shop is running at ${shop.url}`,
        ...(movedFrom === null ? [] : [`Something else uses port ${movedFrom}, so it is on another one.`]),
        `Sign in as ${accounts.join(" or ")} with the password ${DEMO_PASSWORD}, or create an account. Press Ctrl-C to stop.`,
      ]);
      await stop;
    });
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError("It must be a whole number from 0 to 65535.");
  return port;
}
