import type { Observation } from "../../browser/observation/observation.ts";
import { textOf, walk } from "../../browser/observation/tree.ts";
import type { ActionReport } from "../actions/action-report.ts";

const CHALLENGE =
  /verify(ing)? (that )?you are (a )?human|are you a (robot|human)|(i'm|i am) not a robot|checking your browser|unusual traffic|complete the (security check|captcha)|prove (that )?you are (a )?human|press (&|and) hold|human verification|\bcaptcha\b/i;
const CAPTCHA_FRAME = /captcha|turnstile|challenge/i;
const REFUSING_STATUS: ReadonlySet<number> = new Set([403, 429, 503]);
/** A wall says little else; an article about captchas says much. */
const WALL_MAX_CHARACTERS = 1_500;

/** Why a page is a wall against robots, or null. We do not get around one: the run ends and says so. */
export function findBotWall(observation: Observation, reports: readonly ActionReport[]): string | null {
  const text = `${observation.title} ${textOf(observation.root)}`;
  const challenge = CHALLENGE.exec(text)?.[0];
  const status = reports.flatMap(({ events }) => events.requests).findLast(({ isNavigation }) => isNavigation)?.status;
  if (challenge !== undefined && text.length <= WALL_MAX_CHARACTERS) {
    return `The site asks for proof that a person is there: "${challenge}".`;
  }
  if (challenge !== undefined && status !== undefined && status !== null && REFUSING_STATUS.has(status)) {
    return `The site answered ${status} and asks for proof that a person is there: "${challenge}".`;
  }
  const hasCaptchaFrame = walk(observation.root).some(
    ({ node }) => node.role === "iframe" && CAPTCHA_FRAME.test(node.name),
  );
  return hasCaptchaFrame && text.length <= WALL_MAX_CHARACTERS
    ? "The site shows a captcha in place of the page."
    : null;
}
