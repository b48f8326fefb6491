/** A server that takes messages and believes none that Errand has not signed. */
export const VERIFY_SAMPLE = `// npm install standardwebhooks
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.ERRAND_WEBHOOK_SECRET);

createServer(async (request, response) => {
  // As it came: JSON that is written anew has another signature.
  const body = await text(request);
  let message;
  try {
    message = webhook.verify(body, request.headers);
  } catch {
    return response.writeHead(400).end();
  }
  // Answer soon, and work afterwards.
  response.writeHead(204).end();
  // A message can come twice. By its id you know it.
  const id = request.headers["webhook-id"];
  console.log(id, message.type, message.data);
}).listen(Number(process.env.PORT ?? 3000));
`;
