import {
  type ApplicationConnection,
  ApplicationConnectionPage,
  BalanceEnvelope,
  ConnectionEnvelope,
  ListConnectionsQuery,
} from "../../contract/connection.ts";
import { ApplicationPath } from "../../contract/execution-request.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { connectionOf, type Guards, managedApplicationIdOf, ownerKeyOf } from "../plugins/authentication.ts";
import { CONNECTION_ERRORS, errorResponses } from "../plugins/errors.ts";

/** The connection of the caller's token. */
export function addConnectionRoute(app: App, { connections, console }: AppDependencies, { mayRead }: Guards): void {
  app.get(
    "/v1/connection",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        tags: ["Executions"],
        security: [{ connection: [] }, { oauth: [] }],
        operationId: "getConnection",
        summary: "Get the token's connection",
        description: "Whether an execution can be created: the state of the connection, and whether there are credits.",
        response: { 200: ConnectionEnvelope, ...errorResponses(...CONNECTION_ERRORS) },
      },
    },
    async (request, reply) => {
      const { id, applicationId, userId, state } = connectionOf(request);
      const { approval, balance } = await connections.getTerms(id);
      reply.header("cache-control", "private, no-store");
      return {
        connection: {
          id,
          application_id: applicationId,
          user_id: userId,
          state,
          approval,
          execution_credits: console.executionPrice,
          has_credits: balance >= console.executionPrice,
        },
      };
    },
  );
}

const OWNER = { tags: ["Applications"], security: [{ owner: [] }] };

/** What an owner can look up about an application with an API key. */
export function addOwnerRoutes(app: App, { console, credits }: AppDependencies, { mayRead }: Guards): void {
  app.get(
    "/v1/applications/:applicationId/connections",
    {
      onRequest: mayRead,
      schema: {
        ...OWNER,
        operationId: "listConnections",
        summary: "List an application's connections",
        description: "The users who have connected it, newest first.",
        params: ApplicationPath,
        querystring: ListConnectionsQuery,
        response: {
          200: ApplicationConnectionPage,
          ...errorResponses(...OWNER_ERRORS, "INVALID_REQUEST", "INVALID_CURSOR"),
        },
      },
    },
    async (request, reply) => {
      const { user_email: text, ...page } = request.query;
      const query = { ...page, ...(text === undefined ? {} : { text }) };
      const { ownerId } = ownerKeyOf(request);
      const found = await console.connections.listOfApplication(ownerId, managedApplicationIdOf(request), query);
      reply.header("cache-control", "private, no-store");
      return { connections: found.connections.map(toWire), has_more: found.has_more };
    },
  );

  app.get(
    "/v1/applications/:applicationId/balance",
    {
      onRequest: mayRead,
      schema: {
        ...OWNER,
        operationId: "getBalance",
        summary: "Get the owner's balance",
        description: "All applications of an owner share one balance.",
        params: ApplicationPath,
        response: { 200: BalanceEnvelope, ...errorResponses(...OWNER_ERRORS) },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "private, no-store");
      const balance = await credits.getBalance(ownerKeyOf(request).ownerId);
      return { balance: { credits: balance, execution_credits: console.executionPrice } };
    },
  );
}

const OWNER_ERRORS = ["UNAUTHENTICATED", "NOT_FOUND", "RATE_LIMITED", "INTERNAL", "UNAVAILABLE"] as const;

type ListedConnections = Awaited<
  ReturnType<AppDependencies["console"]["connections"]["listOfApplication"]>
>["connections"];

function toWire({
  id,
  user,
  state,
  signed_in_at,
  last_execution,
  created_at,
}: ListedConnections[number]): ApplicationConnection {
  return { id, user_id: user.id, user_email: user.email, state, signed_in_at, last_execution, created_at };
}
