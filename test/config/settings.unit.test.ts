import { describe, expect, it } from "vitest";
import { ConfigError, readConfig } from "../../src/config/config.ts";

describe("settings", () => {
  it("have defaults for everything", () => {
    const config = readConfig({}, "/srv/errand");
    expect(config).toMatchObject({
      host: "127.0.0.1",
      port: 8787,
      publicUrl: "http://127.0.0.1:8787",
      dataDir: "/srv/errand/data",
      databaseUrl: null,
      executionPrice: 1,
      createsPerMinute: 600,
      readsPerMinute: 3000,
      rateBurst: 100,
      signInsPerMinute: 10,
      allowHosts: [],
      warnings: [],
    });
  });

  it("report all invalid values at once, by name", () => {
    const env = {
      ERRAND_PORT: "eighty",
      ERRAND_PUBLIC_URL: "https://errand.example/path",
      ERRAND_SECRET_KEY: "short",
      ERRAND_OTHER_SECRET_KEYS: `${"k".repeat(32)},short`,
      ERRAND_LOG_LEVEL: "loud",
      DATABASE_URL: "mysql://localhost/x",
      ERRAND_CONCURRENCY: "0",
      ERRAND_ALLOW_HOSTS: "127.0.0.1:4010, http://shop.internal/, *.10.0.0.1, :80",
      ERRAND_DEMO: "yes",
      ERRAND_ARTIFACTS_S3_BUCKET: "a b",
      ERRAND_ARTIFACTS_S3_ENDPOINT: "https://key:secret@s3.example.com",
      ERRAND_ARTIFACTS_S3_PREFIX: "../elsewhere",
      ERRAND_ARTIFACTS_S3_FORCE_PATH_STYLE: "yes",
    };
    expect(() => readConfig(env, "/")).toThrow(ConfigError);
    try {
      readConfig(env, "/");
    } catch (error) {
      const { problems } = error as ConfigError;
      expect(problems.find((problem) => problem.startsWith("ERRAND_ALLOW_HOSTS"))).toMatch(
        /has http:\/\/shop\.internal\/, \*\.10\.0\.0\.1, :80$/,
      );
      expect(problems.map((problem) => problem.split(" ")[0]).sort()).toEqual(Object.keys(env).sort());
    }
  });

  it.each(["ab/cd", "12/34", "a#b", "12#b", "a?b", "50%off"])(
    "say how to encode a database password such as %s, without repeating it",
    (password) => {
      const read = (given: string) =>
        readConfig({ DATABASE_URL: `postgresql://errand:${given}@postgres:5432/errand` }, "/");
      expect(() => read(password)).toThrow(/DATABASE_URL must be .* percent-encoded/);
      expect(() => read(password)).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining(`:${password}@`) }),
      );
      expect(read(encodeURIComponent(password)).databaseUrl).toContain("@postgres:5432/errand");
    },
  );

  it.each([
    "postgresql:///errand?host=/var/run/postgresql&user=me@corp",
    "postgres://me@db.example.com/errand?application_name=a@b",
  ])("accept a database URL such as %s", (url) => {
    expect(readConfig({ DATABASE_URL: url }, "/").databaseUrl).toBe(url);
  });

  it.each(["ERRAND_SECRET_KEY", "ERRAND_OTHER_SECRET_KEYS"])(
    "never repeat a secret in an error message: %s",
    (name) => {
      expect(() => readConfig({ [name]: "hunter2" }, "/")).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining("hunter2") }),
      );
    },
  );

  it.each([
    [{ REGION: "eu-west-1" }, "ERRAND_ARTIFACTS_S3_BUCKET must be set, because ERRAND_ARTIFACTS_S3_REGION is"],
    [
      { BUCKET: "kept", ACCESS_KEY_ID: "hunter2" },
      "ERRAND_ARTIFACTS_S3_SECRET_ACCESS_KEY must be set, because ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID is",
    ],
    [
      { BUCKET: "kept", SECRET_ACCESS_KEY: "hunter2" },
      "ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID must be set, because ERRAND_ARTIFACTS_S3_SECRET_ACCESS_KEY is",
    ],
  ])("require all settings of a bucket: %j", (given, problem) => {
    const env = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [`ERRAND_ARTIFACTS_S3_${name}`, value]),
    );
    expect(() => readConfig(env, "/")).toThrow(expect.objectContaining({ problems: [problem] }));
  });

  it("use path-style bucket URLs with an endpoint, unless configured otherwise", () => {
    const bucketOf = (env: Record<string, string>) =>
      readConfig({ ERRAND_ARTIFACTS_S3_BUCKET: "kept", ...env }, "/").artifactBucket;
    const endpoint = { ERRAND_ARTIFACTS_S3_ENDPOINT: "https://s3.example.com" };
    expect(readConfig({}, "/").artifactBucket).toBeNull();
    expect(bucketOf({})).toMatchObject({ bucket: "kept", prefix: "", isPathStyle: false, credentials: null });
    expect(bucketOf(endpoint)).toMatchObject({ isPathStyle: true });
    expect(bucketOf({ ...endpoint, ERRAND_ARTIFACTS_S3_FORCE_PATH_STYLE: "false" })).toMatchObject({
      isPathStyle: false,
    });
    expect(bucketOf({ ERRAND_ARTIFACTS_S3_PREFIX: "a/b" })).toMatchObject({ prefix: "a/b/" });
  });

  it("accept several secrets separated by commas", () => {
    const [first, second] = ["k".repeat(32), "l".repeat(40)];
    expect(readConfig({ ERRAND_OTHER_SECRET_KEYS: `${first}, ${second},` }, "/").otherSecretKeys).toEqual([
      first,
      second,
    ]);
  });

  it("treat an empty variable as unset, and warn about unknown names", () => {
    const config = readConfig({ ERRAND_PORT: " ", ERRAND_PROT: "1" }, "/");
    expect(config.port).toBe(8787);
    expect(config.warnings).toEqual([expect.stringContaining("ERRAND_PROT")]);
  });

  it("use loopback in the default public URL of a service that listens everywhere", () => {
    expect(readConfig({ ERRAND_HOST: "0.0.0.0", ERRAND_PORT: "80" }, "/").publicUrl).toBe("http://127.0.0.1:80");
    expect(readConfig({ ERRAND_HOST: "::" }, "/").publicUrl).toBe("http://[::1]:8787");
    expect(readConfig({ ERRAND_PUBLIC_URL: "https://errand.example/" }, "/").publicUrl).toBe("https://errand.example");
  });
});
