/**
 * Which folder of src may import from which: read a row as "files in <folder> may import from <folders>".
 * A folder may always import from itself, and `*` means from everywhere. Every other import, and every folder without a
 * row, fails `npm run check`. `.` is src itself, and `..` is the project's folder.
 */
const TABLE: Record<string, string> = {
  // Packages are installed without the service.
  "../packages/sdk/src": "",

  // Leaves. They import nothing of ours.
  lib: "",
  contract: "",
  "contract/console": "contract",

  // The domain: rules, and the stores that they need as interfaces. No SQL, no HTTP, no browser.
  accounts: "lib",
  applications: "lib",
  connections: "connections/vault lib",
  "connections/vault": "lib",
  "connections/sign-in": "applications connections/vault contract lib",
  oauth: "applications connections connections/vault contract lib",
  recipes: "lib",
  executions: "contract lib recipes",
  webhooks: "contract executions lib",
  console: "accounts applications connections connections/vault contract contract/console executions lib recipes",
  jobs: "lib",
  config: "lib models",

  // PostgreSQL and files: the implementations of the stores.
  storage: "executions jobs lib storage/embedded storage/sql",
  "storage/sql":
    "accounts applications connections connections/sign-in connections/vault console contract executions lib oauth recipes storage webhooks",
  "storage/embedded": "lib",
  "storage/artifacts": "executions lib",
  backup: "executions lib storage storage/sql",

  // MCP tools over the same domain. They see no HTTP, either: the command line serves them, too.
  mcp: "connections contract executions lib",

  // HTTP never sees storage, workers, agents, browsers or models.
  http: "accounts applications connections connections/sign-in console contract executions http/console http/plugins http/routes lib oauth webhooks",
  "http/routes": "accounts connections/sign-in contract executions http http/pages http/plugins lib mcp oauth webhooks",
  "http/console": "console contract contract/console executions http http/pages http/plugins http/routes lib",
  "http/plugins": "applications connections contract http http/pages lib oauth",
  "http/pages": "accounts applications contract lib",

  // Browsers and models know nothing of executions.
  models: "lib",
  "browser/egress": "lib",
  "browser/state": "lib",
  "browser/observation": "browser/observation/in-page lib",
  "browser/observation/in-page": "browser/observation",
  "browser/observation/rendering": "browser/observation lib",
  "browser/session": "browser/egress browser/observation browser/observation/in-page browser/state lib",
  "browser/live": "browser/egress browser/observation browser/session browser/state lib",
  "browser/pool": "browser/egress browser/live browser/session lib",

  // The agent. What verifies imports nothing from what plans or extracts with a model.
  agent: "lib",
  "agent/grounding": "browser/observation lib",
  "agent/actions": "agent browser/observation browser/observation/in-page browser/session lib",
  "agent/extraction": "agent/grounding browser/observation lib",
  "agent/extraction/by-model": "agent agent/extraction agent/grounding browser/observation lib models",
  "agent/planner": "agent/actions agent/grounding browser/observation contract models",
  "agent/planner/model":
    "agent agent/actions agent/extraction agent/extraction/by-model agent/grounding agent/planner browser/observation browser/observation/rendering browser/session contract models",
  "agent/steps":
    "agent/actions agent/extraction agent/grounding agent/planner agent/steps/english browser/observation browser/session contract lib",
  "agent/steps/english": "agent/extraction agent/steps",
  "agent/verifier":
    "agent agent/actions agent/extraction agent/grounding browser/observation browser/session lib models",
  "agent/gate":
    "agent agent/actions agent/extraction agent/grounding agent/verifier browser/observation browser/session lib models",
  "agent/recipes":
    "agent agent/actions agent/extraction agent/gate agent/grounding agent/planner agent/steps agent/verifier browser/observation browser/session lib models recipes",
  "agent/loop":
    "agent agent/actions agent/extraction agent/gate agent/grounding agent/planner agent/recipes agent/steps agent/verifier browser/observation browser/session connections/sign-in contract lib models recipes",
  worker:
    "agent/actions agent/gate agent/loop agent/planner agent/verifier connections/sign-in connections/vault contract executions lib recipes",

  // Wiring: app composes everything, and the command line runs it.
  app: "*",
  cli: "*",
  ".": ".. cli",
};

export const ALLOWED: Readonly<Record<string, readonly string[] | undefined>> = Object.fromEntries(
  Object.entries(TABLE).map(([folder, allowed]) => [folder, allowed.split(" ").filter(Boolean)]),
);
