/** Receives the webhooks of an application and prints what happened, once per message. */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { verifyWebhook, type WebhookMessage, WebhookVerificationFailed } from "@errand/sdk";

const { PORT = "3001", WEBHOOK_SECRET = "" } = process.env;

/** A message can arrive more than once. In production, use a table or another store that survives restarts. */
const seen = new Set<string>();

createServer(async (request, response) => {
  try {
    const message = await verifyWebhook(await text(request), request.headers, WEBHOOK_SECRET);
    // Acknowledge first: what takes longer than 15 seconds counts as a failure and is sent again.
    response.writeHead(204).end();
    const id = String(request.headers["webhook-id"]);
    if (!seen.has(id)) console.log(describe(message));
    seen.add(id);
  } catch (error) {
    console.error(String(error));
    response.writeHead(error instanceof WebhookVerificationFailed ? 400 : 500).end();
  }
}).listen(Number(PORT), () => console.log(`Waiting for webhooks on http://127.0.0.1:${PORT}/`));

function describe(message: WebhookMessage): string {
  switch (message.type) {
    case "execution.completed":
      return `Done: ${message.data.execution.result.final_text}`;
    case "execution.failed":
      return `Failed (${message.data.execution.terminal.status}): ${message.data.execution.error.message}`;
    case "execution.interaction_required":
      return `Waiting for a person: ${message.data.interaction.message} ${message.data.interaction.link ?? ""}`;
    case "connection.reauthorization_required":
      return `The user of connection ${message.data.connection_id} has to connect again.`;
    case "credits.low":
      return `Only ${message.data.balance} credits are left.`;
    case "ping":
      return "Ping";
  }
}
