import type { IncomingMessage, ServerResponse } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance, RawServerDefault } from "fastify";
import type { Registry } from "prom-client";
import type { PasswordResets } from "../accounts/password-reset.ts";
import type { People } from "../accounts/people.ts";
import type { Applications } from "../applications/applications.ts";
import type { OwnerKeys } from "../applications/owner-keys.ts";
import type { Connections } from "../connections/connections.ts";
import type { SignIns } from "../connections/sign-in/sign-ins.ts";
import type { ConsoleApplications } from "../console/applications.ts";
import type { ConsoleConnections } from "../console/connections.ts";
import type { ConsoleCredits } from "../console/credits.ts";
import type { ConsoleExecutions, StepsReader } from "../console/executions.ts";
import type { FirstErrands } from "../console/first-errand.ts";
import type { InstallationStatus, Owners, Setup } from "../console/installation.ts";
import type { ConsoleInteractions } from "../console/interactions.ts";
import type { ConsoleRecipes } from "../console/recipes.ts";
import type { Visitors } from "../console/visitor.ts";
import type { Artifacts } from "../executions/artifacts.ts";
import type { Credits } from "../executions/credits.ts";
import type { Executions } from "../executions/executions.ts";
import type { Interactions } from "../executions/interactions.ts";
import type { LiveLinks } from "../executions/live-link.ts";
import type { LiveViews } from "../executions/live-view.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { RateLimit } from "../lib/token-bucket.ts";
import type { McpTokens } from "../oauth/mcp-tokens.ts";
import type { OAuth } from "../oauth/oauth.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { OpenResponseLimit } from "./open-response-limit.ts";
import type { HttpTimeouts } from "./server-options.ts";

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, Logger, TypeBoxTypeProvider>;

/** Everything the HTTP interface is built from. Each route takes the part it uses. */
export interface AppDependencies extends HealthDependencies {
  applications: Applications;
  ownerKeys: OwnerKeys;
  connections: Connections;
  credits: Pick<Credits, "getBalance">;
  executions: Executions;
  artifacts: Artifacts;
  live: { links: LiveLinks; views: LiveViews };
  interactions: Interactions;
  webhooks: Webhooks;
  oauth: OAuth;
  mcpTokens: McpTokens;
  /** Of this program. */
  version: string;
  people: People;
  passwordResets: PasswordResets;
  /** Null in a process that has no browsers. */
  signIns: SignIns | null;
  console: ConsoleDependencies;
  clock: Clock;
  formKey: Buffer;
  trustProxy: boolean;
  limits: { create: RateLimit; read: RateLimit; signIn: RateLimit };
  /** How many event streams and waits, and how many downloads, may be open at once. */
  openResponses: { following: OpenResponseLimit; downloading: OpenResponseLimit };
  maxConnections: number;
  /** How many console requests are processed at once. */
  maxConsoleRequests: number;
  timeouts: HttpTimeouts;
}

/** What the health endpoints need, in a worker as well as in the API. */
export interface HealthDependencies {
  logger: Logger;
  /** The URL that people and applications use; also the OAuth issuer. */
  publicUrl: string;
  metrics: {
    /** Metrics of this process beside those in the default registry. */
    registries: readonly Registry[];
    /** Required from callers on other machines. Null: they are rejected. */
    token: string | null;
  };
  /** One check per requirement. The key is the error message for when the check throws. */
  readiness: Record<string, () => Promise<void>>;
  /** Aborts when the service begins to stop: requests that wait for an update respond at once. */
  stopping: AbortSignal;
  /** Whether the error means that the database cannot be reached. */
  isUnavailable(error: unknown): boolean;
}

export interface ConsoleDependencies extends InstallationDependencies {
  visitors: Visitors;
  applications: ConsoleApplications;
  connections: ConsoleConnections;
  executions: ConsoleExecutions;
  interactions: ConsoleInteractions;
  credits: ConsoleCredits;
  recipes: ConsoleRecipes;
}

/** What the console needs for accounts and for the installation itself. */
interface InstallationDependencies {
  setup: Setup;
  owners: Owners;
  status: InstallationStatus;
  firstErrands: FirstErrands;
  executionPrice: number;
  /** Without a model, prompts are read as steps. */
  hasModel: boolean;
  readSteps: StepsReader;
  /** The folder with the built console. */
  folder: string;
}
