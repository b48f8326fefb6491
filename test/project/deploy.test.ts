import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHousekeeping, createSignInChecks } from "../../src/app/background-jobs.ts";
import { createWebhookJobs } from "../../src/app/webhook-service.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { countConnections } from "../../src/jobs/job-runner.ts";
import { runErrand } from "../_harness/errand.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const EXAMPLES = [
  "Dockerfile",
  "compose.yaml",
  ...readdirSync(join(ROOT, "deploy"), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `deploy/${name}`),
];
const DOCS = readdirSync(join(ROOT, "docs"), { recursive: true })
  .map((name) => `docs/${name}`)
  .filter((path) => path.endsWith(".md"));
const VARIABLES = new Set<string>(Object.values(SETTINGS).map(({ env }) => env));

/** Every list of arguments with which an example starts Errand. */
const STARTS = EXAMPLES.flatMap((path) =>
  [...read(path).matchAll(/(?:args|command|CMD):? (\["start".*?\])/g)].map(([, list = "[]"]) => ({
    path,
    args: JSON.parse(list) as string[],
  })),
);

describe("the deployment examples and their documentation", () => {
  it.each([...EXAMPLES, ...DOCS, "README.md", "CONTRIBUTING.md"])("%s names no setting that does not exist", (path) => {
    // A name with an ellipsis or a star stands for several.
    const named = [...read(path).matchAll(/\b(ERRAND_[A-Z0-9_]+)(…|\*)?/g)];
    const unknown = named.filter(([, name = "", more]) =>
      more === undefined ? !VARIABLES.has(name) : ![...VARIABLES].some((known) => known.startsWith(name)),
    );
    expect(unknown.map(([text]) => text)).toEqual([]);
  });

  it("start both roles", () => {
    const roles = new Set(STARTS.map(({ args }) => args.join(" ")));
    expect(roles).toEqual(new Set(["start", "start --roles api", "start --roles worker"]));
    expect(STARTS.filter(({ path }) => path.endsWith(".yaml"))).toHaveLength(4);
  });

  it("use arguments that the command line accepts", async () => {
    // An invalid setting stops it right after the arguments were parsed, an invalid argument before.
    const refused = { ERRAND_PORT: "no port" };
    const { code, stderr } = await runErrand([...(STARTS[0]?.args ?? []), "--rolls", "x"], refused);
    expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--rolls'")]);
    for (const args of new Set(STARTS.map((start) => start.args.join(" ")))) {
      const answer = await runErrand(args.split(" "), refused);
      expect([answer.code, answer.stderr], args).toEqual([2, expect.stringContaining("ERRAND_PORT must be")]);
    }
  });

  it("keep Kubernetes from setting ERRAND_PORT for a Service called errand", () => {
    const documents = read("deploy/kubernetes.yaml").split("\n---\n");
    const deployments = documents.filter((text) => text.includes("kind: Deployment"));
    expect(deployments).toHaveLength(2);
    for (const text of deployments) expect(text).toMatch(/^ {6}enableServiceLinks: false$/m);
  });

  it.each(["compose.yaml", "deploy/kubernetes.yaml"])("%s gives a process enough time to stop", (path) => {
    const text = read(path);
    const [api = 0, worker = 0] = [...text.matchAll(/(?:terminationGracePeriodSeconds|stop_grace_period): (\d+)/g)].map(
      ([, seconds]) => Number(seconds),
    );
    const shutdown = Number(/ERRAND_SHUTDOWN_SECONDS(?:, value)?: "(\d+)"/.exec(text)?.[1]);
    expect(api).toBeGreaterThan(Number(SETTINGS.shutdownSeconds.fallback) + 5);
    expect(shutdown).toBeGreaterThanOrEqual(Number(SETTINGS.maxMinutes.fallback) * 60);
    expect(worker).toBeGreaterThan(shutdown);
  });

  it.each(["compose.yaml", "deploy/kubernetes.yaml"])(
    "%s contains no secret and shares what must be shared",
    (path) => {
      const text = read(path);
      const shared = ["DATABASE_URL", "ERRAND_SECRET_KEY", "ERRAND_PUBLIC_URL", "ERRAND_ARTIFACTS_S3_BUCKET"];
      const watched = ["ERRAND_METRICS_TOKEN", "ERRAND_OTLP_ENDPOINT"];
      const kept = ["ERRAND_KEEP_EXECUTIONS_DAYS", "ERRAND_KEEP_ARTIFACTS_DAYS"];
      for (const name of [...shared, ...watched, ...kept]) expect(text).toMatch(new RegExp(`${name}(: |=)`));
      expect(text).not.toMatch(/(SECRET_KEY|API_KEY|ACCESS_KEY|PASSWORD|TOKEN): [^$\s]/);
    },
  );

  it("the documentation counts a worker's database connections correctly", () => {
    const options = { config: { signInCheckHours: 1 } } as never;
    const [webhooks, housekeeping, checks] = [createWebhookJobs, createHousekeeping, createSignInChecks].map((create) =>
      countConnections(create(options)),
    );
    const text = read("docs/self-hosting.md").replaceAll(/\s+/g, " ");
    expect(text).toContain(
      `+ ${webhooks} for webhooks, + ${housekeeping} for housekeeping, + ${checks} with \`ERRAND_SIGN_IN`,
    );
    const api = Number(SETTINGS.databasePoolSize.fallback) + 2;
    const worker = api + Number(webhooks) + Number(housekeeping);
    expect(text).toContain(`2 × ${api} + 2 × ${worker} = ${2 * (api + worker)} of PostgreSQL's default of 100`);
  });

  it("KEDA scales the workers on a metric that exists, by as many executions as one runs", () => {
    const [scaler, kubernetes] = [read("deploy/keda.yaml"), read("deploy/kubernetes.yaml")];
    const target = /scaleTargetRef:\n {4}name: (\S+)/.exec(scaler)?.[1];
    expect(kubernetes).toContain(`kind: Deployment\nmetadata:\n  name: ${target}\n`);
    const [, metric = "", states = ""] = /(errand_\w+)\{state=~"([\w|]+)"\}/.exec(scaler) ?? [];
    const described = read("docs/operations.md")
      .split("\n")
      .find((line) => line.startsWith(`| \`${metric}\` |`));
    for (const state of states.split("|")) expect(described).toContain(state);
    const concurrency = /ERRAND_CONCURRENCY, value: "(\d+)"/.exec(kubernetes)?.[1];
    expect(/threshold: "(\d+)"/.exec(scaler)?.[1]).toBe(concurrency);
  });

  it("the proxy lists every api container of compose and checks their health", () => {
    const compose = read("compose.yaml");
    const project = /^name: (\S+)$/m.exec(compose)?.[1];
    const replicas = Number(/^ {2}api:\n(?: {4}.*\n)*? {6}replicas: (\d+)$/m.exec(compose)?.[1]);
    const caddy = read("deploy/Caddyfile");
    expect(/^\t\tto (.+)$/m.exec(caddy)?.[1]?.split(" ")).toEqual(
      Array.from({ length: replicas }, (_, index) => `${project}-api-${index + 1}:8787`),
    );
    expect(caddy).toMatch(/^\t\thealth_uri \/readyz$/m);
    // Caddy does not health-check dynamic upstreams.
    expect(caddy).not.toMatch(/^\t\tdynamic /m);
  });

  it("the image runs as an unprivileged user, with an init that forwards signals, and a health check", () => {
    const text = read("Dockerfile");
    const lines = text.split("\n");
    expect(lines.indexOf("USER node")).toBeGreaterThan(
      lines.findIndex((line) => line.includes("scripts/bootstrap --browser")),
    );
    expect(text).toMatch(/^FROM node:24-/m);
    expect(text).toMatch(/^ENTRYPOINT \["\/usr\/bin\/tini", "--", "\/errand\/bin\/errand"\]$/m);
    expect(text).toContain("ln -s /errand/bin/errand /usr/local/bin/errand");
    expect(text).toMatch(/^HEALTHCHECK .*\\\n.*\/healthz/m);
    // For every role, the health check uses the one port that the image exposes.
    const ports = [...text.matchAll(/ERRAND_(?:WORKER_)?PORT=(\d+)|EXPOSE (\d+)|127\.0\.0\.1:(\d+)/g)];
    expect(new Set(ports.map(([, ...found]) => found.find(Boolean)))).toEqual(new Set(["8787"]));
    expect(read(".dockerignore").split("\n")).toEqual(expect.arrayContaining(["**/.env", "data", ".git"]));
  });
});
