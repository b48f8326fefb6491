import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import type { ConnectionDeed } from "../../api/connections.ts";
import { cleanText } from "../../parts/foreign-text.tsx";

/** To whom it is said: somebody whose application it is, or somebody for whom the application acts. */
export type Voice = "owner" | "user";

interface Wording {
  label: string;
  question: string;
  /** Exactly what becomes of it, one sentence to a line. */
  consequences: readonly string[];
  action: string;
  done: string;
}

interface Deed {
  id: ConnectionDeed;
  isPossible(connection: ConsoleConnection): boolean;
  say(connection: ConsoleConnection): Record<Voice, Wording>;
}

/** From the mildest to the one that leaves nothing. */
export const DEEDS: readonly Deed[] = [
  {
    id: "require-sign-in",
    isPossible: ({ state }) => state === "ACTIVE",
    say: ({ user, application }) => ({
      owner: {
        label: "Ask for re-authorization",
        question: "Ask for re-authorization?",
        consequences: [
          `Nothing new runs for ${cleanText(user.email)} until they have gone through the authorization link once more.`,
          "What waits ends without having run, and costs nothing. What runs right now goes on.",
          "The token, the saved sign-in and the history stay.",
        ],
        action: "Ask for it",
        done: "Nothing runs until they have agreed again.",
      },
      user: {
        label: "Pause until I agree again",
        question: "Pause it until you agree again?",
        consequences: [
          `${cleanText(application.name)} can do nothing new for you until you connect it again.`,
          "What it is doing right now goes on to its end; what waits is dropped.",
          "Your saved sign-in and the history stay.",
        ],
        action: "Pause it",
        done: "It is paused until you connect it again.",
      },
    }),
  },
  {
    id: "delete-token",
    isPossible: ({ has_token }) => has_token,
    say: ({ user, application }) => ({
      owner: {
        label: "Revoke the token",
        question: "Revoke the token?",
        consequences: [
          `Your application's token for ${cleanText(user.email)} stops working at once: it can neither create nor read executions.`,
          "What waits or runs right now goes on.",
          "The authorization link gives a new token, with the same connection and history.",
        ],
        action: "Revoke it",
        done: "The token is revoked.",
      },
      user: {
        label: "Take its access away",
        question: "Take its access away?",
        consequences: [
          `${cleanText(application.name)} loses its key to you at once: it sees no results, and nothing new runs any more until you connect it again.`,
          "What it is doing right now goes on to its end; what waits is dropped.",
          "If you connect it again, it goes on where it was.",
        ],
        action: "Take it away",
        done: "Nothing runs any more until you connect it again.",
      },
    }),
  },
  {
    id: "delete-sign-in",
    isPossible: ({ signed_in_at }) => signed_in_at !== null,
    say: ({ user }) => ({
      owner: {
        label: "Delete the saved sign-in",
        question: "Delete the saved sign-in?",
        consequences: [
          `Errand forgets how the site knows ${cleanText(user.email)}. It cannot be brought back.`,
          "What waits is canceled, and what runs is stopped.",
          "They have to go through the authorization link and sign in to the site once more. The history stays.",
        ],
        action: "Delete the sign-in",
        done: "The saved sign-in is deleted.",
      },
      user: {
        label: "Forget my sign-in",
        question: "Forget your sign-in?",
        consequences: [
          "Errand forgets how the site knows you. Nobody can bring it back, and nothing can act as you there.",
          "What waits is canceled, and what runs is stopped.",
          "To use it again you connect it and sign in to the site once more. On the site itself you stay as you are.",
        ],
        action: "Forget it",
        done: "Your sign-in is forgotten.",
      },
    }),
  },
  {
    id: "delete",
    isPossible: () => true,
    say: ({ user, application }) => ({
      owner: {
        label: "Delete the connection",
        question: "Delete the connection?",
        consequences: [
          `Everything of ${cleanText(user.email)} with this application goes: the token, the saved sign-in, and every execution with its results and screenshots.`,
          "What waits or runs ends at once. If something was running, look at the site for what it did.",
          "Nobody can bring it back. Your credits and the ledger stay. They can connect again, from the beginning.",
        ],
        action: "Delete the connection",
        done: "The connection is deleted.",
      },
      user: {
        label: "Remove it completely",
        question: "Remove it completely?",
        consequences: [
          `${cleanText(application.name)} can do nothing for you any more, and your sign-in is forgotten.`,
          "Everything it has done for you is deleted here: results and screenshots. What it did on the site stays done.",
          "Nobody can bring it back. You can connect it again, from the beginning.",
        ],
        action: "Remove it",
        done: "It is removed.",
      },
    }),
  },
];
