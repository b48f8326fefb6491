import { Command } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { addAppCommands } from "./cli/app.ts";
import { addBackupCommand } from "./cli/backup.ts";
import { addConnectCommand } from "./cli/connect.ts";
import { addConnectionCommands } from "./cli/connection.ts";
import { addCreditsCommands } from "./cli/credits.ts";
import { addDemoCommand } from "./cli/demo.ts";
import { addDoctorCommand } from "./cli/doctor.ts";
import { reportFailure } from "./cli/failure.ts";
import { addKeyCommands } from "./cli/key.ts";
import { addMigrateCommand } from "./cli/migrate.ts";
import { addRestoreCommand } from "./cli/restore.ts";
import { addRunCommand } from "./cli/run.ts";
import { addStartCommand } from "./cli/start.ts";
import { addUserCommands } from "./cli/user.ts";
import { addWebhookCommands } from "./cli/webhook.ts";

const program = new Command("errand")
  .description("Runs browser errands for people: a prompt in, a verified result out.")
  .version(packageJson.version)
  .showHelpAfterError("(add --help for usage)")
  .addHelpText("after", "\nExit codes: 0 success, 1 failure, 2 wrong usage or invalid settings.")
  .exitOverride();
const json = process.argv.includes("--json");
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

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error, json);
}
