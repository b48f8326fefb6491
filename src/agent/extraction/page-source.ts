import type { Observation } from "../../browser/observation/observation.ts";

/** A page to read from. Several are one list over several pages, or pages that were visited one after the other. */
export type PageSource = Pick<Observation, "url" | "root">;
