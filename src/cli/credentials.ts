import { createInterface } from "node:readline";
import type { CredentialEntry } from "../connections/sign-in/store-credentials.ts";
import { UsageError } from "./failure.ts";
import { readLines } from "./text-input.ts";

const PROMPTS = {
  userName: "User name",
  password: "Password",
  totpSecret: "One-time code secret, in base32 or as otpauth:// (empty for none)",
} as const;
const MAX_BYTES = 10_000;

/** Asks at a terminal, or reads the three from the lines of standard input. Arguments would be visible to others. */
export async function readCredentials(): Promise<CredentialEntry> {
  if (process.stdin.isTTY === true) {
    const userName = await ask(PROMPTS.userName, { isHidden: false });
    const password = await ask(PROMPTS.password, { isHidden: true });
    return { userName, password, totpSecret: await ask(PROMPTS.totpSecret, { isHidden: true }) };
  }
  const [userName = "", password = "", totpSecret = ""] = await readLines(MAX_BYTES);
  if (password === "") {
    throw new UsageError(
      "Standard input must have the user name, the password and optionally the secret, one per line.",
    );
  }
  return { userName, password, totpSecret };
}

/** What is hidden is not echoed. */
function ask(prompt: string, { isHidden }: { isHidden: boolean }): Promise<string> {
  const { stdin: input, stderr } = process;
  stderr.write(`${prompt}: `);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const typing = createInterface({ input, terminal: true, ...(isHidden ? {} : { output: stderr }) });
  typing.once("line", (line) => {
    resolve(line);
    typing.close();
  });
  typing.once("SIGINT", () => process.emit("SIGINT"));
  typing.once("close", () => {
    if (isHidden) stderr.write("\n");
    reject(new UsageError("Nothing was entered."));
  });
  return promise;
}
