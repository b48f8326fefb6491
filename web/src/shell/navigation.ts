import type { Me } from "../../../src/contract/console/account.ts";
import type { IconName } from "./icon.tsx";

interface Destination {
  path: string;
  label: string;
  icon: IconName;
  isFor(me: Me): boolean;
}

const isOwner = (me: Me) => me.owner !== null;
const isAnybody = () => true;

/** Where one can go, in the order of the menu. */
export const DESTINATIONS: readonly Destination[] = [
  { path: "/", label: "Home", icon: "home", isFor: isAnybody },
  { path: "/executions", label: "Executions", icon: "executions", isFor: isAnybody },
  { path: "/applications", label: "Applications", icon: "applications", isFor: isOwner },
  { path: "/connections", label: "What may act for me", icon: "connections", isFor: isAnybody },
  { path: "/credits", label: "Credits", icon: "credits", isFor: isOwner },
  { path: "/settings", label: "Settings", icon: "settings", isFor: isAnybody },
];

/** Whether a destination is where one is, or somewhere below it. */
export function isAt(path: string, location: string): boolean {
  if (path === "/") return location === "/" || location === "";
  return location === path || location.startsWith(`${path}/`);
}
