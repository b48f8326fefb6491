import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { addAppCommands } from "./app.ts";
import { addBackupCommand } from "./backup.ts";
import { addConnectCommand } from "./connect.ts";
import { addConnectionCommands } from "./connection.ts";
import { addCreditsCommands } from "./credits.ts";
import { addDemoCommand } from "./demo.ts";
import { addDoctorCommand } from "./doctor.ts";
import { reportFailure } from "./failure.ts";
import { addKeyCommands } from "./key.ts";
import { addMcpCommand } from "./mcp.ts";
import { addMigrateCommand } from "./migrate.ts";
import { addRecipeCommands } from "./recipe.ts";
import { addRestoreCommand } from "./restore.ts";
import { addRunCommand } from "./run.ts";
import { addStartCommand } from "./start.ts";
import { addStepsCommand } from "./steps.ts";
import { addUserCommands } from "./user.ts";
import { addWebhookCommands } from "./webhook.ts";

/** Runs one command to its end and leaves its exit code in `process.exitCode`. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const json = args.includes("--json");
  try {
    await createProgram(json).parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = reportFailure(error, json);
  }
}

const EXIT_CODES = `
Exit codes:
  0    success; with run: done and verified
  1    failure; the reason is printed
  2    wrong usage or invalid settings; with steps: something is not understood
  3    with run: the errand failed. With restore: done, but master keys are missing
  4    with run: the user must sign in to the site again
  5    with run: the prompt was not understood
  130  canceled with Ctrl-C

Each command explains its options: errand run --help`;

function createProgram(json: boolean): Command {
  const program = new Command("errand")
    .description("Runs browser errands for people: a prompt in, a verified result out.")
    .version(packageJson.version)
    .showHelpAfterError("(add --help for usage)")
    .addHelpText("after", EXIT_CODES)
    .exitOverride();
  if (json) program.configureOutput({ writeErr: () => {} });
  for (const add of [
    addStartCommand,
    addRunCommand,
    addStepsCommand,
    addRecipeCommands,
    addMcpCommand,
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
