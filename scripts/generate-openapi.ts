import { join } from "node:path";
import { createApp } from "../src/http/app.ts";
import type { AppDependencies } from "../src/http/dependencies.ts";
import { HTTP_TIMEOUTS } from "../src/http/server-options.ts";
import { systemClock } from "../src/lib/clock.ts";
import { createLogger } from "../src/lib/logger.ts";
import { writeOrCheck } from "./check-generated.ts";

const limit = { perMinute: 1, burst: 1 };

// No request is handled here, so the dependencies of the handlers are not needed.
const dependencies = {
  console: {},
  clock: systemClock,
  logger: createLogger("silent", process.stderr),
  publicUrl: "http://127.0.0.1:8787",
  limits: { create: limit, read: limit, signIn: limit },
  timeouts: HTTP_TIMEOUTS,
} as AppDependencies;

const app = await createApp(dependencies);
writeOrCheck(join(import.meta.dirname, "../docs/openapi.json"), `${JSON.stringify(app.swagger(), null, 2)}\n`);
await app.close();
