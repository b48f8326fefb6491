import type { Config } from "../config/config.ts";

export type Role = "api" | "worker";

interface Started {
  config: Config;
  roles: readonly Role[];
  demoUrl: string | null;
  /** Null once somebody owns the installation. */
  setupCode: string | null;
  /** Of a worker that has no other interface. */
  healthUrl: string | null;
}

/** What a person sees who has started the service. */
export function describeStart({ config, roles, demoUrl, setupCode, healthUrl }: Started): string[] {
  const { publicUrl, dataDir, concurrency } = config;
  const isApi = roles.includes("api");
  const isWorker = roles.includes("worker");
  const atATime = concurrency === 1 ? "one execution" : `${concurrency} executions`;
  return [
    "",
    isApi ? `  Errand is running at ${publicUrl}` : "  A worker of Errand is running",
    "",
    ...(isApi ? describeConsole(publicUrl, setupCode) : []),
    ...(isApi ? [`  Reference    ${publicUrl}/docs`] : []),
    isWorker
      ? `  Worker       runs ${atATime} at a time`
      : "  Worker       none in this process: executions wait for one (errand start --roles worker)",
    ...(healthUrl === null ? [] : [`  Health       ${healthUrl}/readyz, and figures for Prometheus at /metrics`]),
    ...(demoUrl === null ? [] : [`  Demo shop    ${demoUrl}`]),
    `  Data         ${dataDir}`,
    "",
    ...(demoUrl === null ? [] : [...firstErrand(demoUrl), ""]),
    ...(isApi ? [...OWN_APPLICATION, ""] : []),
    "  bin/errand doctor says whether all is well. Ctrl-C stops.",
    "",
  ];
}

/** The same, for a program. */
export function startFacts({ config, roles, demoUrl, setupCode, healthUrl }: Started): object {
  const url = roles.includes("api") ? config.publicUrl : null;
  return {
    url,
    console_url: url === null ? null : `${url}/console`,
    setup_code: setupCode,
    pid: process.pid,
    data_dir: config.dataDir,
    roles,
    demo_url: demoUrl,
    health_url: healthUrl,
  };
}

function describeConsole(publicUrl: string, setupCode: string | null): string[] {
  return [
    `  Console      ${publicUrl}/console`,
    ...(setupCode === null
      ? []
      : [
          "               nobody owns this installation yet: open the console to make it yours",
          `               from another machine that takes the setup code ${setupCode}`,
        ]),
  ];
}

function firstErrand(demoUrl: string): string[] {
  return [
    "  A first errand, from another terminal instead of the console:",
    `    bin/errand run "Search for kettle and tell me the price of the Brindle Kettle" --start-url ${demoUrl}/`,
  ];
}

const OWN_APPLICATION = [
  "  Your own application:",
  "    bin/errand app create --name Demo --type public --redirect-uri http://127.0.0.1:9999/callback",
  "    bin/errand connect --application <id> --user you@example.com",
];
