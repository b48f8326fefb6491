import { Badge } from "@mantine/core";
import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import type { Voice } from "./connection-deeds.ts";

type Standing = "active" | "no-token" | "waiting";

const WORDS: Record<Voice, Record<Standing, string>> = {
  owner: { active: "Active", "no-token": "No token in use", waiting: "Nothing runs until they connect again" },
  user: {
    active: "May act for you",
    "no-token": "No token in use",
    waiting: "Can do nothing until you connect again",
  },
};
const COLORS: Record<Standing, string> = { active: "teal", "no-token": "gray", waiting: "yellow" };

/** How a connection stands, in a few words. */
export function ConnectionStanding({ connection, voice }: { connection: ConsoleConnection; voice: Voice }) {
  const standing = standingOf(connection);
  return (
    <Badge color={COLORS[standing]} variant="light" tt="none" className="connection-standing">
      {WORDS[voice][standing]}
    </Badge>
  );
}

function standingOf({ state, has_token }: ConsoleConnection): Standing {
  if (state === "REAUTHORIZATION_REQUIRED") return "waiting";
  return has_token ? "active" : "no-token";
}
