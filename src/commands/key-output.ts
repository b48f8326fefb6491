import type { Forgetting, Rotation } from "./rotate-key.ts";

/** For a help text and for whoever expected a new key. */
export const STEPS_WITH_SETTINGS = [
  "  1. add the new key to ERRAND_OTHER_SECRET_KEYS everywhere, and restart one by one",
  "  2. swap the two: the new one is ERRAND_SECRET_KEY, the old one is the other; restart one by one",
  "  3. errand key rotate",
  "  4. remove the old one everywhere, and restart one by one",
];

export function describeRotation({ keyId, keyFile, rewrapped, webhooks, unreadable, left }: Rotation): string[] {
  const outOfReach = [...unreadable, ...webhooks.unreadable];
  return [
    ...(keyFile === null
      ? [`The master key is set as ERRAND_SECRET_KEY, and stays as it is: ${keyId}.`]
      : [
          `The new master key ${keyId} stands first in ${keyFile}. Keep a copy of that file.`,
          "If Errand runs on other machines with copies of it, give them the new one now.",
          "Cookies are signed with it from the next restart on: people sign in to Errand again then.",
        ]),
    `${countSignIns(rewrapped)} wrapped with it now, and the secrets of ${countWebhooks(webhooks.resealed)}.`,
    ...(left === 0
      ? []
      : [
          `${left} more are not: a process still seals with another key. Restart it with the new one, then run this again.`,
        ]),
    ...(outOfReach.length === 0 ? [] : [`Out of reach: ${outOfReach.length}.`]),
    ...outOfReach.map(({ reason }) => `  ${reason}`),
  ];
}

export function describeForgetting({ keyFile }: Rotation, forgetting: Forgetting | null): string[] {
  if (forgetting === null) {
    return keyFile === null
      ? ["To change it, in this order (this was the third step):", ...STEPS_WITH_SETTINGS]
      : ["The old keys are still there, for backups of the database: --forget-old drops them."];
  }
  switch (forgetting.outcome) {
    case "forgotten":
      return [`${forgetting.keys === 1 ? "One old key is" : `${forgetting.keys} old keys are`} dropped.`];
    case "still used":
      return [
        `No key was dropped: ${forgetting.keyIds.join(", ")} are still in use. Run this again; what cannot be opened can be ` +
          "deleted with `errand connection delete-sign-in`, or replaced with `errand webhook rotate-secret`.",
      ];
  }
}

function countSignIns(count: number): string {
  return count === 1 ? "One saved sign-in is" : `${count} saved sign-ins are`;
}

function countWebhooks(count: number): string {
  return count === 1 ? "one webhook" : `${count} webhooks`;
}
