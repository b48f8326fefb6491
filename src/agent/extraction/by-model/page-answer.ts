import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import type { Tool } from "../../../models/model.ts";

const TEXT = Type.String({ maxLength: 2_000 });
const ASKED = Type.String({
  maxLength: 300,
  description: "The words of the task or of the schema that ask for this, word for word.",
});

const VALUE = Type.Object({
  leaf: Type.String({ maxLength: 20, description: 'Which value: "v1".' }),
  item: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      description: "Only for items that are in no table or list, or are parts of cells: which item, from 1.",
    }),
  ),
  value: Type.Union([TEXT, Type.Number(), Type.Boolean(), Type.Null()], {
    description: "In the type that is asked for; null when the page does not say it.",
  }),
  quote: Type.Optional(
    Type.Union([TEXT, Type.Null()], {
      description: "The words of the page that state it, copied exactly, with sign, currency and unit, and no more.",
    }),
  ),
  ref: Type.Optional(
    Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
      description: 'For a URL: the ref of its link, or "page" for the URL of this page itself.',
    }),
  ),
});

const COMPARISONS = [
  "equals",
  "differs",
  "contains",
  "starts_with",
  "ends_with",
  "below",
  "at_most",
  "above",
  "at_least",
  "before",
  "after",
  "is_true",
  "is_false",
] as const;

const CONDITION = Type.Object({
  column: Type.String({ maxLength: 20, description: 'A column of these records: "c2".' }),
  is: Type.Enum([...COMPARISONS]),
  value: Type.Optional(
    Type.String({ maxLength: 300, description: "What to compare with; days as YYYY-MM-DD, both days included." }),
  ),
  asked: ASKED,
});

const RECORDS = Type.Object({
  target: Type.String({
    maxLength: 20,
    description: 'What they are for: a list ("l1"), or an object ("o1") that is one row of them.',
  }),
  records: Type.String({ maxLength: 20, description: 'Which table or list of the page: "r1".' }),
  columns: Type.Array(
    Type.Object({
      leaf: Type.String({ maxLength: 20 }),
      column: Type.String({ maxLength: 20, description: 'The column that has it: "c1".' }),
    }),
    { maxItems: 100 },
  ),
  where: Type.Optional(
    Type.Array(CONDITION, { maxItems: 10, description: "Which rows, where the task does not ask for all." }),
  ),
  order: Type.Optional(
    Type.Object({
      column: Type.String({ maxLength: 20 }),
      direction: Type.Union([Type.Literal("ascending"), Type.Literal("descending")]),
      asked: ASKED,
    }),
  ),
  limit: Type.Optional(Type.Object({ count: Type.Integer({ minimum: 1, maximum: 100_000 }), asked: ASKED })),
});

const ANSWER = Type.Object({
  values: Type.Array(VALUE, { maxItems: 400, description: "Single values, each with its quote." }),
  records: Type.Array(RECORDS, { maxItems: 40, description: "Which columns of a table or list have which values." }),
});

/** What a model says about a page. Nothing of it counts before it has been checked against the page. */
export type PageAnswer = Static<typeof ANSWER>;
export type AnsweredRecords = PageAnswer["records"][number];
export type AnsweredCondition = Static<typeof CONDITION>;
export type Comparison = AnsweredCondition["is"];

export const FILL_TOOL: Tool = {
  name: "fill",
  description: "Says where on the page the wanted values and lists are.",
  input: { ...ANSWER },
};

export function isPageAnswer(input: unknown): input is PageAnswer {
  return Value.Check(ANSWER, input);
}
