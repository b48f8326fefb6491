import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { addAppCommands } from "../commands/app.ts";
import { addBackupCommand } from "../commands/backup.ts";
import { addConnectCommand } from "../commands/connect.ts";
import { addConnectionCommands } from "../commands/connection.ts";
import { addCreditsCommands } from "../commands/credits.ts";
import { addDemoCommand } from "../commands/demo.ts";
import { addDoctorCommand } from "../commands/doctor.ts";
import { addKeyCommands } from "../commands/key.ts";
import { addMigrateCommand } from "../commands/migrate.ts";
import { reportFailure } from "../commands/report-failure.ts";
import { addRestoreCommand } from "../commands/restore.ts";
import { addRunCommand } from "../commands/run.ts";
import { addStartCommand } from "../commands/start.ts";
import { addUserCommands } from "../commands/user.ts";
import { addWebhookCommands } from "../commands/webhook.ts";

/** Runs one command to its end and leaves its exit code in `process.exitCode`. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const json = args.includes("--json");
  try {
    await createProgram(json).parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = reportFailure(error, json);
  }
}

function createProgram(json: boolean): Command {
  const program = new Command("errand")
    .description("Runs browser errands for people: a prompt in, a verified result out.")
    .version(packageJson.version)
    .showHelpAfterError('(add "--help" to see how it is used)')
    .addHelpText("after", "\nExit codes: 0 done, 1 it failed, 2 the command or the settings are wrong.")
    .exitOverride();
  if (json) program.configureOutput({ writeErr: () => {} });
  for (const add of [
    addStartCommand,
    addRunCommand,
    addMigrateCommand,
    addBackupCommand,
    addRestoreCommand,
    addAppCommands,
    addConnectCommand,
    addConnectionCommands,
    addWebhookCommands,
    addCreditsCommands,
    addUserCommands,
    addKeyCommands,
    addDemoCommand,
    addDoctorCommand,
  ]) {
    add(program);
  }
  return program;
}
