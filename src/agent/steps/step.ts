import { type Static, type TOptional, type TProperties, type TSchema, Type } from "typebox";

/**
 * The language of everything that runs without a model. A plan is a list of steps; each is an object with one key, the kind
 * of step. docs/steps.md explains each of them.
 */

const text = (description: string, maxLength = 500) => Type.String({ minLength: 1, maxLength, description });
const object = <Fields extends TProperties>(fields: Fields, options: { minProperties?: number } = {}) =>
  Type.Object(fields, { additionalProperties: false, ...options });
const position = (description: string) => Type.Integer({ minimum: -100, maximum: 1000, description });

const Within = object(
  {
    row: Type.Optional(
      Type.Union([
        text("A row of a table or an entry of a list: a text that stands in it."),
        position("1 is the first row of the list, -1 the last."),
      ]),
    ),
    section: Type.Optional(text("What stands under this heading, or in a region of this name.")),
    dialog: Type.Optional(Type.Union([Type.Boolean(), text("The name of the dialog.")])),
    form: Type.Optional(text("The name of the form, or of a field or button in it.")),
  },
  { minProperties: 1 },
);
export type Within = Static<typeof Within>;

const FullTarget = object(
  {
    role: Type.Optional(text("What it is: link, button, tab, field, text area, checkbox, list, result …", 40)),
    name: Type.Optional(text("Its name as the page shows it.")),
    within: Type.Optional(Within),
    nth: Type.Optional(position("1 is the first, -1 the last.")),
  },
  { minProperties: 1 },
);
/** Which element is meant. Read from the page when the step runs, strictly: see find-target.ts. */
export type Target = Static<typeof FullTarget>;

const Target = Type.Union([text("The name of the element."), FullTarget]);

const Value = Type.Union([Type.String({ maxLength: 100_000 }), Type.Number(), Type.Boolean()]);

const TEXT_TESTS = ["is", "is_not", "contains", "does_not_contain", "starts_with", "ends_with"] as const;
export const AMOUNT_TESTS = ["less_than", "at_most", "more_than", "at_least"] as const;
export const DATE_TESTS = ["before", "after", "from", "to"] as const;
const TESTS = [...TEXT_TESTS, ...AMOUNT_TESTS, ...DATE_TESTS] as const;
/** What a cell is compared with. Each comparison names its column; without one, the only column that fits the value. */
const Comparison = object(
  {
    column: Type.Optional(text("The name of the column, in any case.", 200)),
    ...(Object.fromEntries(TESTS.map((test) => [test, Type.Optional(Value)])) as Record<Test, TOptional<typeof Value>>),
  },
  { minProperties: 1 },
);
type Test = (typeof TESTS)[number];
export type Comparison = Static<typeof Comparison>;

const as = Type.Optional(text("The name of the value in the answer.", 100));

const Read = object({
  as,
  label: Type.Optional(text("The value that stands beside this label.")),
  row: Type.Optional(text("The row of a table or the entry of a list that goes by this name.")),
  column: Type.Optional(text("The column of that row.")),
  list: Type.Optional(text("The table or list that has the row.")),
  field: Type.Optional(Target),
  heading: Type.Optional(Type.Boolean({ description: "The main heading of the page." })),
  after: Type.Optional(text("The rest of the line that begins with this text.")),
  number_of: Type.Optional(text("The number that the page states for this, such as people: 'seats 6 people'.")),
  verb: Type.Optional(text("With number_of: the verb that may stand before the number, such as seat.", 40)),
  when: Type.Optional(text("The date of what happens to the row, or to what the page is about: end.", 40)),
  who: Type.Optional(
    text("The person who does this with the row, or with what the page is about: own, assigned to.", 40),
  ),
  past: Type.Optional(Type.Literal(true, { description: "With when: what has happened, and is not only planned." })),
  whether: Type.Optional(text("The state of the row, or of what the page is about, as yes or no: enabled.", 40)),
});
export type ReadStep = Static<typeof Read>;

const Collect = object({
  as,
  list: Type.Optional(text("The name of the table or list, or what its entries are called: products.")),
  columns: Type.Optional(Type.Array(text("A column.", 200), { maxItems: 50 })),
  where: Type.Optional(Type.Array(Comparison, { maxItems: 20 })),
  order: Type.Optional(object({ by: text("A column.", 200), direction: Type.Enum(["ascending", "descending"]) })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  nth: Type.Optional(position("Only this one: 1 is the first.")),
  pages: Type.Optional(Type.Enum(["this", "all"], { description: "Default: all pages of the list." })),
  count: Type.Optional(Type.Boolean({ description: "Answers with how many there are." })),
});
export type CollectStep = Static<typeof Collect>;

const Expect = object(
  {
    text: Type.Optional(text("Text that the page shows.", 1000)),
    no_text: Type.Optional(text("Text that the page does not show.", 1000)),
    field: Type.Optional(Target),
    value: Type.Optional(Value),
    row: Type.Optional(text("A row or entry that exists.")),
    no_row: Type.Optional(text("A row or entry that does not exist.")),
    url: Type.Optional(text("What the URL contains.", 1000)),
  },
  { minProperties: 1 },
);
export type ExpectStep = Static<typeof Expect>;

export const MAX_STEPS = 200;

/** A step with one key and nothing else. */
function kind<Kind extends string, Schema extends TSchema>(name: Kind, schema: Schema) {
  return object({ [name]: schema } as { [K in Kind]: Schema });
}

const steps = Type.Array(Type.Ref("Step"), { minItems: 1, maxItems: MAX_STEPS });

export const Step = Type.Cyclic(
  {
    Step: Type.Union([
      kind("goto", text("A URL, or a path on the site.", 2000)),
      kind("back", Type.Literal(true)),
      kind("reload", Type.Literal(true)),
      kind("click", Target),
      kind("double_click", Target),
      kind("open", Target),
      kind("fill", object({ target: Target, value: Value, submit: Type.Optional(Type.Boolean()) })),
      kind(
        "edit",
        object(
          {
            target: Target,
            replace: Type.Optional(text("The text to replace.", 10_000)),
            with: Type.Optional(Type.String({ maxLength: 10_000 })),
            all: Type.Optional(Type.Boolean({ description: "Every occurrence. Without it there must be just one." })),
            insert: Type.Optional(text("The text to insert.", 10_000)),
            after: Type.Optional(text("Where to insert it.", 10_000)),
            append: Type.Optional(text("The text to add at the end.", 10_000)),
            clear: Type.Optional(Type.Literal(true)),
          },
          { minProperties: 2 },
        ),
      ),
      kind("select", object({ target: Type.Optional(Target), value: Value })),
      kind("check", Target),
      kind("uncheck", Target),
      kind("press", Type.Union([text("A key.", 40), object({ key: text("A key.", 40), target: Target })])),
      kind("hover", Target),
      kind(
        "upload",
        object({ target: Target, name: text("The file's name.", 200), content: Type.String({ maxLength: 1_000_000 }) }),
      ),
      kind("scroll", Type.Enum(["down", "up", "bottom", "top"])),
      kind(
        "wait_for",
        object(
          {
            text: Type.Optional(text("Text that should appear.")),
            gone: Type.Optional(text("Text that should disappear.")),
            seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 60 })),
          },
          { minProperties: 1 },
        ),
      ),
      object({ dialog: Type.Enum(["accept", "dismiss"]), text: Type.Optional(Type.String()) }),
      kind("sign_in", object({ user: text("The user name."), password: text("The password.") })),
      kind("read", Read),
      kind("collect", Collect),
      kind("expect", Expect),
      object({ if: Expect, steps }),
      object({
        for_each: object({
          list: Type.Optional(text("The table or list whose links are opened.")),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
        }),
        steps,
      }),
      object({
        repeat_until: Type.Union([object({ gone: Target }), object({ text: text("Text that appears.") })]),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
        steps,
      }),
    ]),
  },
  "Step",
);
export type Step = Static<typeof Step>;

/** The key that says what a step does. */
export type Kind = Step extends infer One
  ? One extends One
    ? Exclude<keyof One, "steps" | "limit" | "text">
    : never
  : never;
export type StepOf<K extends Kind> = Extract<Step, Record<K, unknown>>;

export const StepFile = object({
  start_url: Type.Optional(text("Where to start.", 2000)),
  steps: Type.Array(Step, { minItems: 1, maxItems: MAX_STEPS }),
});
export type StepFile = Static<typeof StepFile>;

export function toTarget(target: string | Target): Target {
  return typeof target === "string" ? { name: target } : target;
}
