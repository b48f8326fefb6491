import type { AnswerInteraction, Interaction } from "../contract/interaction.ts";
import type { Interactions } from "../executions/interactions.ts";
import type { ConsoleExecutions } from "./executions.ts";
import type { Visitor } from "./visitor.ts";

/** What a waiting errand asks. The user whose account it is and the application's owner may answer. */
export interface ConsoleInteractions {
  /** Null when it asks nothing. */
  findOpen(visitor: Visitor, executionId: string): Promise<Interaction | null>;
  answer(visitor: Visitor, executionId: string, answer: AnswerInteraction): Promise<Interaction>;
  /** As whom the visitor answers; null when the execution is none of theirs. */
  findRole(visitor: Visitor, executionId: string): Promise<"user" | "owner" | null>;
}

interface Dependencies {
  executions: Pick<ConsoleExecutions, "getVisible" | "maySee">;
  interactions: Pick<Interactions, "findOpen" | "answer" | "toWire">;
}

export function createConsoleInteractions({ executions, interactions }: Dependencies): ConsoleInteractions {
  async function getVisible(visitor: Visitor, executionId: string) {
    const visible = await executions.getVisible(visitor, executionId);
    const isUser = visible.userEmail === visitor.person.email;
    return { ...visible, role: isUser ? ("user" as const) : ("owner" as const) };
  }

  return {
    async findOpen(visitor, executionId) {
      const { connectionId, id } = await getVisible(visitor, executionId);
      const open = await interactions.findOpen(connectionId, id);
      return open && interactions.toWire(open);
    },

    async answer(visitor, executionId, answer) {
      const { connectionId, id, role } = await getVisible(visitor, executionId);
      return interactions.toWire(await interactions.answer(connectionId, id, answer, role));
    },

    async findRole(visitor, executionId) {
      if (!(await executions.maySee(visitor, executionId))) return null;
      return (await getVisible(visitor, executionId)).role;
    },
  };
}
