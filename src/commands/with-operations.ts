import type { Operations } from "../operations.ts";
import type { ConfigOptions } from "./load-config.ts";
import { withStorage } from "./with-storage.ts";

/** As `withStorage`, for work on the domain. */
export async function withOperations<Result>(
  options: ConfigOptions,
  work: (operations: Operations) => Promise<Result>,
): Promise<Result> {
  const { createOperations } = await import("../operations.ts");
  return withStorage(options, ({ database }) => work(createOperations(database)));
}
