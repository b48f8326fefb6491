import type { PersonStore } from "../accounts/person.ts";
import { type Applications, createApplications } from "../applications/applications.ts";
import { type Connections, createConnections } from "../connections/connections.ts";
import { type Credits, createCredits } from "../executions/credits.ts";
import { createMcpTokens, type McpTokens } from "../oauth/mcp-tokens.ts";
import type { Database } from "../storage/database.ts";
import { createPersonStore } from "../storage/sql/accounts.ts";
import { createApplicationStore } from "../storage/sql/applications.ts";
import { createConnectionStore } from "../storage/sql/connections.ts";
import { createCreditStore } from "../storage/sql/credits.ts";
import { createMcpTokenStore } from "../storage/sql/mcp-tokens.ts";

/** The domain services that both the API and the command line use. */
export interface Operations {
  applications: Applications;
  connections: Connections;
  credits: Credits;
  mcpTokens: McpTokens;
  people: PersonStore;
}

export function createOperations(database: Database): Operations {
  return {
    applications: createApplications({ store: createApplicationStore(database) }),
    connections: createConnections({ store: createConnectionStore(database) }),
    credits: createCredits({ store: createCreditStore(database) }),
    mcpTokens: createMcpTokens({ store: createMcpTokenStore(database) }),
    people: createPersonStore(database),
  };
}
