import { createServer } from "node:net";

/** A free port, held until it is released. */
export interface ReservedPort {
  readonly port: number;
  release(): Promise<void>;
}

export function reservePort(host = "127.0.0.1"): Promise<ReservedPort> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : 0,
        release: () => new Promise((released) => server.close(() => released())),
      });
    });
    // A reservation must not keep the process alive.
    server.unref();
  });
}

/** A port that is free at this moment. */
export async function findFreePort(host = "127.0.0.1"): Promise<number> {
  const { port, release } = await reservePort(host);
  await release();
  return port;
}
