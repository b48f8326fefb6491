import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";

const BUCKET = "errand-artifacts";
/** The only key that this store accepts. It does not check the secret. */
const ACCESS_KEY_ID = "S3RVER";

/** An S3-compatible server on loopback. */
export interface ObjectStore extends AsyncDisposable {
  url: string;
  /** The settings of a service that uses it. */
  settings: Record<string, string>;
  /** The names of all objects. */
  keys(): Promise<string[]>;
  /** Every request, newest last. */
  requests: IncomingMessage[];
  /** Stops the store and cuts its connections. */
  stop(): Promise<void>;
  /** Restarts it on the same port. */
  start(): Promise<void>;
  /** While it is silent, it accepts requests and does not respond. */
  isSilent: boolean;
}

/** Lists in pages of this size, so that few objects fill several pages. */
const PAGE_SIZE = 3;

export async function startObjectStore(): Promise<ObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), "errand-objects-"));
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: BUCKET, configs: [] }] });
  await s3.configureBuckets();
  const answer = s3.callback();
  const requests: IncomingMessage[] = [];
  let server: Server;
  let port = 0;

  async function start(): Promise<void> {
    server = createServer((request, response) => {
      requests.push(request);
      if (store.isSilent) return;
      if (request.url?.includes("?prefix=") === true) request.url += `&max-keys=${PAGE_SIZE}`;
      answer(request, response);
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  }

  async function stop(): Promise<void> {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  const store: ObjectStore = {
    url: "",
    settings: {},
    requests,
    isSilent: false,
    start,
    stop,
    async keys() {
      const files = await readdir(join(directory, BUCKET), { recursive: true });
      return files.filter((file) => file.endsWith("_object")).map((file) => file.replace(/\._S3rver_object$/, ""));
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await start();
  store.url = `http://127.0.0.1:${port}`;
  store.settings = {
    ERRAND_ARTIFACTS_S3_BUCKET: BUCKET,
    ERRAND_ARTIFACTS_S3_ENDPOINT: store.url,
    ERRAND_ARTIFACTS_S3_PREFIX: "kept/here",
    ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID: ACCESS_KEY_ID,
    ERRAND_ARTIFACTS_S3_SECRET_ACCESS_KEY: "the-secret-of-the-store",
  };
  return store;
}
