import { type Command, InvalidArgumentError } from "commander";
import { withOperations } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";

interface CreditsOptions extends CommonOptions {
  application: string;
}

export function addCreditsCommands(program: Command): void {
  const credits = program.command("credits").description("what an application's owner can spend on executions");

  credits
    .command("grant")
    .description("add to the balance of the application's owner")
    .requiredOption("--application <id>", "the application's id")
    .requiredOption("--amount <number>", "how many credits to add", parseAmount)
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CreditsOptions & { amount: number }) => {
      const balance = await withOperations(options, async ({ applications, credits }) => {
        const { ownerId } = await applications.get(options.application);
        return credits.grant(ownerId, options.amount);
      });
      printResult(options.json, { balance }, [`The balance is now ${balance}.`]);
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
      printResult(options.json, { balance }, [`The balance is ${balance}.`]);
    });
}

function parseAmount(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}
