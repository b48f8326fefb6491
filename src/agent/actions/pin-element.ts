import type { BrowserSession, PinnedElement } from "../../browser/session/browser-session.ts";
import { ActionFailed } from "./action.ts";
import { quote, toPlain } from "./plain-text.ts";

/** The element behind a ref, if it is the one that the planner believes it is. */
export async function pinElement(
  session: BrowserSession,
  { ref, label }: { ref: string; label: string | undefined },
): Promise<PinnedElement> {
  const element = await session.pin(ref);
  if (label !== undefined && !isSameLabel(label, element.name)) {
    throw new ActionFailed(
      "stale",
      `${ref} is the ${element.role} ${quote(element.name)} and not ${quote(label)}. Look again and use the right ref.`,
    );
  }
  return element;
}

/** Names are long and planners shorten them, so one may contain the other. What has no name may be called anything. */
function isSameLabel(believed: string, actual: string): boolean {
  const [ours, theirs] = [believed, actual].map((text) => toPlain(text.replace(/…\s*$/, "")));
  if (ours === undefined || theirs === undefined || ours === "" || theirs === "") return true;
  return ours.includes(theirs) || theirs.includes(ours);
}
