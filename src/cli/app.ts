import { type Command, Option } from "commander";
import { type Application, toApplicationWire } from "../applications/application.ts";
import { withOperations } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";

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
  requirePkce?: boolean;
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
    .description("register an application; a confidential one gets a secret, shown once")
    .requiredOption("--name <name>", "what users see when they are asked to agree")
    .addOption(
      new Option("--type <type>", "public: no secret; confidential: has one")
        .choices(["public", "confidential"])
        .makeOptionMandatory(),
    )
    .option("--redirect-uri <address>", "where users go back to after agreeing; may be repeated", collect, [])
    .option("--home-url <address>", "the site it works on: where runs start by default")
    .option(
      "--sign-in-url <address>",
      "where the site's users sign in: whoever connects does so there, in a live browser",
    )
    .option("--signed-in-url <address>", "where it shows whether somebody is signed in (default: learned)")
    .option("--signed-in-text <text>", "what somebody sees there who is signed in (default: learned)")
    .option("--signed-out-text <text>", "what somebody sees there who is not (default: learned)")
    .option("--allowed-host <host>", "a host that runs may visit, such as *.shop.example; may be repeated", collect, [])
    .option("--read-only", "runs may look, and change nothing")
    .option("--require-pkce", "refuse authorization without PKCE")
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
          requirePkce: options.requirePkce === true,
        }),
      );
      printResult(
        options.json,
        { ...toApplicationWire(application), ...(clientSecret === null ? {} : { client_secret: clientSecret }) },
        [
          `Created "${application.name}" (${application.type}).`,
          `  client id      ${application.id}`,
          ...(clientSecret === null ? [] : [`  client secret  ${clientSecret}   (shown once: keep it safe)`]),
          `Next: errand connect --application ${application.id} --user you@example.com`,
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
          ? ['There are no applications yet. "errand app create --help" says how to make one.']
          : applications.map(({ id, type, name }) => `${id}  ${type.padEnd(12)}  ${name}`),
      );
    });
}

function addRotateSecret(app: Command): void {
  app
    .command("rotate-secret")
    .description("give an application a new secret; the newest old one stays valid until the next rotation")
    .requiredOption("--application <id>", "the application's id")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CommonOptions & { application: string }) => {
      const clientSecret = await withOperations(options, ({ applications }) =>
        applications.rotateSecret(options.application),
      );
      printResult(options.json, { client_secret: clientSecret }, [
        `  client secret  ${clientSecret}   (shown once: keep it safe)`,
        "The previous secret stays valid until the next rotation.",
      ]);
    });
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}
