import { type Command, InvalidArgumentError } from "commander";
import { withOperations } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION } from "./options.ts";
import { printResult } from "./output.ts";

interface CreditsOptions extends CommonOptions {
  application: string;
}

export function addCreditsCommands(program: Command): void {
  const credits = program.command("credits").description("manage the credits of an application's owner");

  credits
    .command("grant")
    .description("add credits to the balance of the application's owner")
    .requiredOption("--application <id>", "the application's id")
    .requiredOption("--amount <number>", "number of credits to add", parseAmount)
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CreditsOptions & { amount: number }) => {
      const balance = await withOperations(options, async ({ applications, credits }) => {
        const { ownerId } = await applications.get(options.application);
        return credits.grant(ownerId, options.amount);
      });
      printResult(options.json, { balance }, [`The balance is now ${balance} credits.`]);
    });

  credits
    .command("balance")
    .description("show the balance of the application's owner")
    .requiredOption("--application <id>", "the application's id")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CreditsOptions) => {
      const balance = await withOperations(options, async ({ applications, credits }) => {
        const { ownerId } = await applications.get(options.application);
        return credits.getBalance(ownerId);
      });
      printResult(options.json, { balance }, [`The balance is ${balance} credits.`]);
    });
}

function parseAmount(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}
