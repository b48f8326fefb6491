import swagger from "@fastify/swagger";
import type { App } from "../app.ts";

/** Collects every route's schema as OpenAPI 3.1: the same schemas that validate. */
export async function addOpenApi(app: App, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    hideUntagged: true,
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Errand",
        version: "1",
        description: "Runs browser errands for people: a prompt in, a verified result out.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: publicUrl }],
      tags: [
        { name: "Executions", description: "Create, list, read, follow and cancel errands on a connection." },
        { name: "Webhooks", description: "Be told what happens, with signed messages, instead of asking." },
        { name: "OAuth", description: "Connect a user, and end a connection's token." },
      ],
      components: {
        securitySchemes: {
          connection: { type: "http", scheme: "bearer", description: "The connection access token." },
          client: { type: "http", scheme: "basic", description: "Confidential applications: client id and secret." },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json["$id"] ?? `def-${index}`) },
  });
}
