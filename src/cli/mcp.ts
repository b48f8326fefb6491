import type { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { describeError } from "../lib/errors.ts";
import { type ConfigOptions, DATA_DIR_OPTION } from "./options.ts";
import { untilSignal } from "./signals.ts";

interface McpOptions extends ConfigOptions {
  application?: string;
}

export function addMcpCommand(program: Command): void {
  program
    .command("mcp")
    .description("serve MCP on standard input and output, for assistants on this machine")
    .option("--application <id>", 'run errands for this application (default: "Command line", created if necessary)')
    .option(...DATA_DIR_OPTION)
    .addHelpText(
      "after",
      `
Uses the installation on this machine, as errand run does: next to a running service, which then runs the errands, or
alone. It needs no token. For a service on another machine, connect the assistant to its URL with /mcp (docs/mcp.md).

Standard output carries only the protocol. Messages go to standard error. It ends when standard input is closed.`,
    )
    .action(serve);
}

async function serve(options: McpOptions): Promise<void> {
  const stopped = untilSignal();
  // Loaded lazily, so that other commands start fast.
  const [
    { serveStdio, StdioServerTransport },
    { createErrandServer },
    { openRunContext },
    { createOutputSchemaChecker },
  ] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("../mcp/server.ts"),
    import("./run-context.ts"),
    import("../executions/output-schema-checker.ts"),
  ]);
  const say = (text: string) => process.stderr.write(`${text}\n`);
  await using outputSchemas = createOutputSchemaChecker();
  await using context = await openRunContext({
    ...options,
    prompt: "",
    // Whoever uses the assistant can open the page on which the errand asks.
    isAttended: true,
    onDatabaseUnavailable: () => say("Cannot reach the database; waiting for it to come back."),
    findOutputSchemaProblem: outputSchemas.findProblem,
  });
  const { executions, interactions, artifacts, connection, operations, config } = context;
  const application = await operations.applications.get(connection.applicationId);
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  const attend = async (id: string) => {
    await context.attend(id).catch((error) => say(describeError(error)));
    running.delete(id);
  };
  const domain = {
    executions,
    interactions,
    artifacts,
    findConnection: operations.connections.get,
    publicUrl: config.publicUrl,
    version: packageJson.version,
    hasModel: config.models.planner !== null,
    stopping: stopping.signal,
    onCreated: (id: string) => void running.set(id, attend(id)),
    countChange: () => {},
    onFailure: (error: unknown) => say(describeError(error)),
  };
  const transport = new StdioServerTransport();
  const closed = new Promise<void>((resolve) => process.stdin.once("end", resolve).once("close", resolve));
  const server = serveStdio(() => createErrandServer(domain, { connectionId: connection.id, application }), {
    transport,
    onerror: (error) => say(describeError(error)),
  });
  await Promise.race([closed, stopped]);
  await server.close();
  stopping.abort();
  // Nobody is left who waits for them. Each ends as canceled before the context is closed.
  const ending = [...running];
  await Promise.allSettled(ending.map(([id]) => executions.cancel(connection.id, id)));
  await Promise.allSettled(ending.map(([, ended]) => ended));
}
