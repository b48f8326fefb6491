import { type Command, Option } from "commander";
import { type Application, toApplicationWire } from "../applications/application.ts";
import { withOperations } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, listOption, toCommandOptions } from "./options.ts";
import { printResult } from "./output.ts";

interface CreateOptions extends CommonOptions {
  name: string;
  type: Application["type"];
  redirectUri: string[];
  homeUrl?: string;
  signInUrl?: string;
  signedInUrl?: string;
  signedInText?: string;
  signedOutText?: string;
  allowedHost: string[];
  readOnly?: boolean;
  approval: Application["approval"];
  requirePkce?: boolean;
  mcpClients?: boolean;
  storedCredentials?: boolean;
  recipes: boolean;
}

export function addAppCommands(program: Command): void {
  const app = program.command("app").description("register and manage applications");
  addCreate(app);
  addList(app);
  addRotateSecret(app);
}

function addCreate(app: Command): void {
  app
    .command("create")
    .description("register an application")
    .requiredOption("--name <name>", "name that users see on the consent page")
    .addOption(
      new Option("--type <type>", "public (browser or device, no secret) or confidential (server, with a secret)")
        .choices(["public", "confidential"])
        .makeOptionMandatory(),
    )
    .addOption(listOption("--redirect-uri <url>", "where users return to after they agree; repeatable"))
    .option("--home-url <url>", "the site it works on; errands start here by default")
    .option("--sign-in-url <url>", "the site's sign-in page; users who connect sign in there, in a live browser")
    .option("--signed-in-url <url>", "a page that shows whether the user is signed in (default: learned)")
    .option("--signed-in-text <text>", "text on that page if the user is signed in (default: learned)")
    .option("--signed-out-text <text>", "text on that page if the user is signed out (default: learned)")
    .addOption(
      listOption("--allowed-host <host>", "another host that errands may visit, such as *.shop.example; repeatable"),
    )
    .option("--read-only", "errands may read, but change nothing")
    .addOption(
      new Option("--approval <when>", "commits: ask before anything is bought, sent, published or deleted")
        .choices(["never", "commits"])
        .default("never"),
    )
    .option("--require-pkce", "reject authorization requests without PKCE")
    .option("--stored-credentials", "let users store their password, so that an expired sign-in renews itself")
    .option("--no-recipes", "never learn recipes from errands or run errands with them (docs/recipes.md)")
    .option("--mcp-clients", "let users connect MCP clients that are not registered here (docs/mcp.md)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CreateOptions) => {
      const { application, clientSecret } = await withOperations(options, ({ applications }) =>
        applications.register({
          name: options.name,
          type: options.type,
          redirectUris: options.redirectUri,
          homeUrl: options.homeUrl ?? null,
          signInUrl: options.signInUrl ?? null,
          signedInUrl: options.signedInUrl ?? null,
          signedInText: options.signedInText ?? null,
          signedOutText: options.signedOutText ?? null,
          allowedHosts: options.allowedHost,
          access: options.readOnly === true ? "read_only" : "all",
          approval: options.approval,
          requirePkce: options.requirePkce === true,
          mcpClients: options.mcpClients === true,
          storedCredentials: options.storedCredentials === true,
          recipes: options.recipes,
        }),
      );
      printResult(
        options.json,
        { ...toApplicationWire(application), ...(clientSecret === null ? {} : { client_secret: clientSecret }) },
        [
          `Created "${application.name}" (${application.type}).`,
          `  client id      ${application.id}`,
          ...(clientSecret === null ? [] : [`  client secret  ${clientSecret}   (shown only once; keep it safe)`]),
          `Next: errand connect --application ${application.id} --user you@example.com${toCommandOptions(options)}`,
        ],
      );
    });
}

function addList(app: Command): void {
  app
    .command("list")
    .description("list all applications")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CommonOptions) => {
      const applications = await withOperations(options, (operations) => operations.applications.list());
      printResult(
        options.json,
        { applications: applications.map(toApplicationWire) },
        applications.length === 0
          ? [`No applications yet. Create one with errand app create${toCommandOptions(options)} (see --help).`]
          : applications.map(({ id, type, name }) => `${id}  ${type.padEnd(12)}  ${name}`),
      );
    });
}

function addRotateSecret(app: Command): void {
  app
    .command("rotate-secret")
    .description("give a confidential application a new secret; the previous one stays valid until the next rotation")
    .requiredOption("--application <id>", "the application's id")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CommonOptions & { application: string }) => {
      const clientSecret = await withOperations(options, ({ applications }) =>
        applications.rotateSecret(options.application),
      );
      printResult(options.json, { client_secret: clientSecret }, [
        `  client secret  ${clientSecret}   (shown only once; keep it safe)`,
        "The previous secret stays valid until the next rotation.",
      ]);
    });
}
