import type { Person } from "../accounts/person.ts";

/** A person signed in to the console. All their rights follow from this. */
export interface Visitor {
  readonly person: Person;
  /** Null for someone who owns no applications. */
  readonly owner: { readonly id: string; readonly balance: number } | null;
  /** Whether they own the installation. */
  readonly isOperator: boolean;
}

export interface VisitorStore {
  findOwner(userId: string): Promise<{ id: string; balance: number; isFirst: boolean } | null>;
}

export interface Visitors {
  identify(person: Person): Promise<Visitor>;
}

export function createVisitors({ store }: { store: VisitorStore }): Visitors {
  return {
    async identify(person) {
      const owner = await store.findOwner(person.id);
      if (owner === null) return { person, owner: null, isOperator: false };
      return { person, owner: { id: owner.id, balance: owner.balance }, isOperator: owner.isFirst };
    },
  };
}
