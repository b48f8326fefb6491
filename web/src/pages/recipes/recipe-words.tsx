import { Anchor, Badge, Code } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type {
  RecipeItem,
  RecipeOrigin,
  RecipeOutcomeKind,
  RecipeState,
  RecipeStatistics,
  RecipesOff,
  VariableKind,
} from "../../../../src/contract/console/recipes.ts";
import { formatDuration } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";

const SLOT = /<([a-z][a-z0-9_]{0,39})>/g;

/** Text of a recipe with its slots highlighted. "<b>" is a slot only if there is a variable b. */
export function Slotted({ children, variables }: { children: string; variables?: readonly { name: string }[] }) {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const { 0: slot, 1: name, index } of children.matchAll(SLOT)) {
    if (variables !== undefined && !variables.some((variable) => variable.name === name)) continue;
    if (index > from) parts.push(<UntrustedText key={from}>{children.slice(from, index)}</UntrustedText>);
    parts.push(
      <span key={`${index} ${slot}`} className="slot">
        {slot}
      </span>,
    );
    from = index + slot.length;
  }
  if (from < children.length) parts.push(<UntrustedText key={from}>{children.slice(from)}</UntrustedText>);
  return <span className="slotted">{parts}</span>;
}

/** The template with values in its slots. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(SLOT, (slot, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? slot) : slot));
}

export const STATE_WORDS: Record<RecipeState, { label: string; color: string }> = {
  active: { label: "Active", color: "teal" },
  disabled: { label: "Disabled", color: "gray" },
  set_aside: { label: "Set aside", color: "yellow" },
};

export function RecipeStateBadge({ state }: { state: RecipeState }) {
  const { label, color } = STATE_WORDS[state];
  return (
    <Badge color={color} variant="light" tt="none" className="keeps-width">
      {label}
    </Badge>
  );
}

export function RecipesOffForInstallation() {
  return (
    <>
      <Code>ERRAND_RECIPES=off</Code> is set for this installation. Nothing runs with a recipe, and nothing is learned.
    </>
  );
}

/** Why nothing runs with a recipe, whatever its state is. */
export function RecipesOffReason({ by, applicationId }: { by: NonNullable<RecipesOff>; applicationId: string }) {
  if (by === "installation") return <RecipesOffForInstallation />;
  return (
    <>
      Nothing runs with it, because recipes are turned off in{" "}
      <Anchor component={Link} href={`/applications/${applicationId}/settings`} inherit underline="always">
        the application's settings
      </Anchor>
      .
    </>
  );
}

export const ORIGIN_WORDS: Record<RecipeOrigin, string> = {
  learned: "Learned from an errand",
  healed: "Learned when a model took over",
  saved: "Saved from an errand",
  edited: "Edited",
  imported: "Imported",
};

export const KIND_WORDS: Record<VariableKind, string> = {
  text: "Text",
  number: "Number",
  date: "Date",
  email: "Email address",
  choice: "One of the site's choices",
};

const OUTCOME_WORDS: Record<RecipeOutcomeKind, { label: string; color: string; about: string }> = {
  replayed: { label: "Without a model", color: "teal", about: "The recipe was followed to its end" },
  healed: { label: "Healed", color: "yellow", about: "The site had changed, and a model took over" },
  failed: { label: "Failed", color: "red", about: "It could not be followed to its end, or was not verified" },
};

/** How a run with a recipe went. */
export function RecipeOutcomeBadge({ outcome }: { outcome: RecipeOutcomeKind }) {
  const { label, color, about } = OUTCOME_WORDS[outcome];
  return (
    <Badge color={color} variant="outline" tt="none" title={about} className="keeps-width">
      {label}
    </Badge>
  );
}

export function describeUsers({ connection }: Pick<RecipeItem, "connection">): string {
  return connection === null ? "all users" : connection.user_email;
}

/** "delivery_date" becomes "Delivery date". */
export function toLabel(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

export function describeSuccess({ runs, failed }: Pick<RecipeStatistics, "runs" | "failed">): string {
  if (runs === 0) return "–";
  // Rounds down: one failure in a thousand is not 100 %.
  return `${Math.floor(((runs - failed) / runs) * 100)} %`;
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1, roundingMode: "floor" });

export function formatCount(count: number): string {
  return count < 10_000 ? count.toLocaleString("en") : compact.format(count);
}

export function formatSeconds(seconds: number): string {
  return seconds === 0 ? "0 s" : formatDuration(seconds * 1_000);
}
