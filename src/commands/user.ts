import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { deriveSecrets, loadMasterKey } from "../config/secrets.ts";
import { CallerError } from "../lib/caller-error.ts";
import { openStorage } from "../storage/open-storage.ts";
import { loadConfig } from "./load-config.ts";
import { createProcessLogger } from "./log-output.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { showProgress } from "./progress.ts";

export function addUserCommands(program: Command): void {
  program
    .command("user")
    .description("help people with their accounts")
    .command("set-password")
    .description("give a person a new password, read from standard input, and end all their sessions")
    .requiredOption("--user <email>", "the person's e-mail address")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample: errand user set-password --user ann@example.com < password.txt")
    .action(async (options: CommonOptions & { user: string }) => {
      if (process.stdin.isTTY) process.stderr.write("Type the new password, then Enter and Ctrl-D:\n");
      const password = (await text(process.stdin)).replace(/\r?\n$/, "");
      const config = loadConfig(options);
      const logger = createProcessLogger(config.logLevel);
      const { createPeople } = await import("../accounts/people.ts");
      await using storage = await openStorage({ ...config, poolSize: 2, logger, onProgress: showProgress });
      const { session: secret } = deriveSecrets(loadMasterKey(config.secretKey, config.dataDir));
      const people = createPeople({ database: storage.database.kysely, secret, publicUrl: config.publicUrl });
      const outcome = await people.setPassword(options.user, password);
      if (!outcome.ok) throw new CallerError("INVALID_REQUEST", outcome.reason);
      printResult(options.json, { user_id: outcome.userId }, [
        `${options.user} can sign in with the new password now.`,
      ]);
    });
}
