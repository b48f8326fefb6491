import type { Command } from "commander";
import { parseEmail } from "../accounts/person.ts";
import type { Application } from "../applications/application.ts";
import type { Connection, Connections } from "../connections/connections.ts";
import { CallerError } from "../lib/errors.ts";
import { mcpResource } from "../oauth/mcp-tokens.ts";
import { withOperations } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, loadConfig, toCommandOptions } from "./options.ts";
import { printResult } from "./output.ts";

export function addConnectCommand(program: Command): void {
  program
    .command("connect")
    .description("connect a user to an application without the OAuth flow, and print an access token")
    .requiredOption("--application <id>", "the application's id")
    .requiredOption("--user <email>", "the user's email address; the user is created if necessary")
    .option("--mcp <name>", "print a token for /mcp instead, for the MCP client of this name (docs/mcp.md)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      `
If the user is already connected, the connection stays the same and the new token replaces the old one.
Each MCP client has a token of its own, which only a new one for the same name replaces.`,
    )
    .action(async (options: CommonOptions & { application: string; user: string; mcp?: string }) => {
      const email = parseEmail(options.user);
      if (email === null) throw new CallerError("INVALID_REQUEST", `${options.user} is not an email address.`);
      const { publicUrl } = loadConfig(options);
      const { result, signIn } = await withOperations(
        options,
        async ({ applications, connections, mcpTokens, people }) => {
          const connectMcpClient = async (name: string, connection: Connection) => {
            const client = { id: name, name, resource: mcpResource(publicUrl, null) };
            return { connection, accessToken: await mcpTokens.issue(connection.id, client) };
          };
          const application = await applications.get(options.application);
          const person = await people.findOrCreate(email);
          const { connection, accessToken } =
            options.mcp === undefined
              ? await connections.connect(application.id, person.id)
              : await connectMcpClient(options.mcp, await connections.open(application.id, person.id));
          return {
            result: {
              access_token: accessToken,
              connection_id: connection.id,
              user_id: person.id,
              application_id: application.id,
            },
            signIn: (await needsSignIn(connections, application, connection, email))
              ? { state: connection.state, authorization_url: buildAuthorizationUrl(application, publicUrl) }
              : null,
          };
        },
      );
      printResult(options.json, { ...result, ...signIn }, [
        `Connected ${email}.`,
        `  access token   ${result.access_token}   (shown only once; keep it safe)`,
        `  connection     ${result.connection_id}`,
        `  user           ${result.user_id}`,
        ...(signIn === null ? [] : explainSignIn(signIn, result.connection_id, options)),
      ]);
    });
}

function buildAuthorizationUrl({ id, redirectUris }: Application, publicUrl: string): string {
  const [redirectUri] = redirectUris;
  const link = new URL("/v1/oauth/authorize", publicUrl);
  link.searchParams.set("response_type", "code");
  link.searchParams.set("client_id", id);
  if (redirectUri !== undefined) link.searchParams.set("redirect_uri", redirectUri);
  return link.href;
}

/** A token alone does not sign the user in to the site. */
async function needsSignIn(
  connections: Connections,
  { id: applicationId, signInUrl }: Application,
  { id, state }: Connection,
  userEmail: string,
): Promise<boolean> {
  if (state !== "ACTIVE" || signInUrl === null) return state !== "ACTIVE";
  const listed = await connections.list({ applicationId, userEmail });
  return listed.some((connection) => connection.id === id && connection.signedInAt === null);
}

function explainSignIn(
  { state, authorization_url }: { state: Connection["state"]; authorization_url: string },
  connectionId: string,
  options: CommonOptions,
): string[] {
  return [
    state === "ACTIVE"
      ? "The user has not signed in to the site yet, so errands run signed out. Send them to"
      : "The user is signed out of the site, so errands fail until they sign in again. Send them to",
    `  ${authorization_url}`,
    "or to the application's own authorization link, which also carries its state and PKCE challenge. Or import a sign-in:",
    `  errand connection import-sign-in --connection ${connectionId} --storage-state <file>${toCommandOptions(options)}`,
  ];
}
