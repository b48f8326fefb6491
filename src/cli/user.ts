import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { deriveSecrets, loadMasterKey } from "../config/master-keys.ts";
import { CallerError } from "../lib/errors.ts";
import { withStorage } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION } from "./options.ts";
import { printResult } from "./output.ts";

export function addUserCommands(program: Command): void {
  program
    .command("user")
    .description("manage user accounts")
    .command("set-password")
    .description("set a user's password (read from standard input) and end all their sessions")
    .requiredOption("--user <email>", "the user's email address")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample: errand user set-password --user ann@example.com < password.txt")
    .action(async (options: CommonOptions & { user: string }) => {
      if (process.stdin.isTTY) process.stderr.write("Type the new password, then press Enter and Ctrl-D:\n");
      const password = (await text(process.stdin)).replace(/\r?\n$/, "");
      const { createPeople } = await import("../accounts/people.ts");
      const outcome = await withStorage(options, ({ database }, { secretKey, dataDir, publicUrl }) => {
        const { session: secret } = deriveSecrets(loadMasterKey(secretKey, dataDir));
        return createPeople({ database: database.kysely, secret, publicUrl }).setPassword(options.user, password);
      });
      if (!outcome.ok) throw new CallerError("INVALID_REQUEST", outcome.reason);
      printResult(options.json, { user_id: outcome.userId }, [
        `${options.user} can now sign in with the new password.`,
      ]);
    });
}
