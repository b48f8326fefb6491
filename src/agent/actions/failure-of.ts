import { NavigationFailed, PolicyRefusal, StaleElement } from "../../browser/session/browser-session.ts";
import { ActionFailed, type ActionFailure } from "./action.ts";
import { firstLine, isFromBrowser, isGone, isTimeout } from "./playwright-error.ts";

/** What went wrong, as a planner is told it. Null: not of a kind that an action can end in, so it goes on up. */
export function failureOf(error: unknown): { kind: ActionFailure; message: string } | null {
  if (error instanceof ActionFailed) return { kind: error.kind, message: error.message };
  if (error instanceof StaleElement) return { kind: "stale", message: error.message };
  if (error instanceof PolicyRefusal) return { kind: "policy", message: error.message };
  if (error instanceof NavigationFailed) return { kind: "navigation_failed", message: error.message };
  if (isTimeout(error)) return { kind: "timeout", message: "The page did not let it be done in time." };
  if (isGone(error)) return { kind: "stale", message: "The element went away while it was being used. Look again." };
  if (isFromBrowser(error))
    return { kind: "no_effect", message: `The page did not let it be done: ${firstLine(error)}` };
  return null;
}
