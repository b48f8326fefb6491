import type { Visitors } from "../../console/visitor.ts";
import type { App, AppDependencies } from "../app.ts";
import { createConsoleGuards } from "./console-guards.ts";

/** What the console's own interface works with. */
export interface ConsoleDependencies {
  visitors: Visitors;
}

/** The console's own interface: a person's cookie in place of a connection's token, and nothing but what they may see. */
export function addConsoleRoutes(scope: App, { people, publicUrl, console }: AppDependencies): void {
  const guards = createConsoleGuards(scope, { people, visitors: console.visitors, publicUrl });
  void guards;
}
