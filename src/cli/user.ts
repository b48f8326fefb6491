import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { deriveSecrets, loadMasterKey } from "../config/master-keys.ts";
import { CallerError } from "../lib/errors.ts";
import { withStorage } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION } from "./options.ts";
import { printResult, toMinute } from "./output.ts";

export function addUserCommands(program: Command): void {
  const user = program.command("user").description("manage user accounts");
  addSetPassword(user);
  addResetPassword(user);
}

function addSetPassword(user: Command): void {
  user
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

function addResetPassword(user: Command): void {
  user
    .command("reset-password")
    .description("print a link with which a user can choose a new password")
    .requiredOption("--user <email>", "the user's email address")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nThe link works once and for an hour. Earlier links of this user stop working.")
    .action(async (options: CommonOptions & { user: string }) => {
      const [{ createPeople }, { createPasswordResets }] = await Promise.all([
        import("../accounts/people.ts"),
        import("../accounts/password-reset.ts"),
      ]);
      const link = await withStorage(options, ({ database: { kysely } }, { secretKey, dataDir, publicUrl }) => {
        const { session: secret } = deriveSecrets(loadMasterKey(secretKey, dataDir));
        const people = createPeople({ database: kysely, secret, publicUrl });
        const onMailFailed = () => {};
        return createPasswordResets({ database: kysely, people, publicUrl, sendMail: null, onMailFailed }).createLink(
          options.user,
        );
      });
      if (link === null) {
        throw new CallerError("INVALID_REQUEST", `There is no account with the email address ${options.user}.`);
      }
      printResult(options.json, { url: link.url, expires_at: link.expiresAt.toISOString() }, [
        link.url,
        `It works once, until ${toMinute(link.expiresAt)} UTC. Send it only to ${options.user}.`,
      ]);
    });
}
