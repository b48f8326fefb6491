import { setTimeout as sleep } from "node:timers/promises";
import type { InteractionAnswer, InteractionRequest } from "../../src/agent/gate/people.ts";
import type { Errand, ErrandOutcome } from "../../src/agent/loop/errand.ts";
import type { Interaction } from "../../src/contract/interaction.ts";
import type { Api } from "./api.ts";
import { failedErrand, VERIFIED } from "./worker.ts";

export const ORDER: InteractionRequest = {
  kind: "approval",
  message: "Place the order: 1 × Birchbark Mug, €16.90.",
  url: "https://shop.example/checkout",
  amount: { value: 16.9, currency: "EUR" },
  recipient: "Ada Birch, 4 Mill Lane",
  items: ["1 × Birchbark Mug"],
  values: [
    { name: "Delivery", value: "Standard" },
    { name: "Card", value: "•••• 4242" },
  ],
  options: [],
  isSecret: false,
  picture: null,
};

export const CODE_QUESTION: InteractionRequest = {
  ...ORDER,
  kind: "question",
  message: "The shop has sent a code to your phone. Which one?",
  amount: null,
  recipient: null,
  items: [],
  values: [],
  isSecret: true,
};

/** An errand that asks once and sends only what was approved. */
export interface AskingErrand {
  run(errand: Errand): Promise<ErrandOutcome>;
  /** What went out to the site. */
  readonly sent: string[];
  readonly answers: InteractionAnswer[];
}

/** With the picture, if there is one. */
export function createAskingErrand(
  request: InteractionRequest,
  picture: { data: Buffer; mark: NonNullable<InteractionRequest["picture"]>["mark"] } | null = null,
): AskingErrand {
  const sent: string[] = [];
  const answers: InteractionAnswer[] = [];
  return {
    sent,
    answers,
    async run({ begin, people, signal, reporter }) {
      await begin();
      if (people === null) throw new Error("nobody can be asked");
      const saved =
        picture &&
        (await reporter.saveArtifact({
          kind: "screenshot",
          name: "page.jpg",
          contentType: "image/jpeg",
          data: picture.data,
        }));
      const shown = saved?.id ? { artifactId: saved.id, mark: picture?.mark ?? null } : null;
      const answer = await people.ask({ ...request, picture: shown }, signal);
      answers.push(answer);
      if (answer.kind === "approved") sent.push(request.message);
      if (answer.kind === "declined") return failedErrand({ failure: "approval_declined", code: "APPROVAL_DECLINED" });
      if (answer.kind === "expired") return failedErrand({ failure: "approval_expired", code: "APPROVAL_EXPIRED" });
      return VERIFIED;
    },
  };
}

/** Waits until the execution asks something. Throws when it ends without. */
export async function untilAsked(api: Api, id: string): Promise<Interaction> {
  for (;;) {
    const { interaction } = (await api.interaction(id)).body;
    if (interaction !== null) return interaction;
    const { execution } = (await api.get(id)).body;
    if (execution.terminal !== null) throw new Error(`It asked nothing: ${JSON.stringify(execution)}`);
    await sleep(POLL_MS);
  }
}

const POLL_MS = 50;
