import { type Static, Type } from "typebox";

/**
 * The language of everything that runs without a model. A plan is a list of steps; each is an object with one key, the kind
 * of step. docs/steps.md explains each of them.
 */

const text = (description: string, maxLength = 500) => Type.String({ minLength: 1, maxLength, description });
const closed = { additionalProperties: false };

const Within = Type.Object(
  {
    row: Type.Optional(
      Type.Union([
        text("A row of a table or an entry of a list: a text that stands in it."),
        Type.Integer({ minimum: -100, maximum: 1000, description: "1 is the first row of the list, -1 the last." }),
      ]),
    ),
    section: Type.Optional(text("What stands under this heading, or in a region of this name.")),
    dialog: Type.Optional(Type.Union([Type.Boolean(), text("The name of the dialog.")])),
    form: Type.Optional(text("The name of the form, or of a field or button in it.")),
  },
  { ...closed, minProperties: 1, description: "Where on the page." },
);
export type Within = Static<typeof Within>;

const FullTarget = Type.Object(
  {
    role: Type.Optional(text("What it is: link, button, tab, field, text area, checkbox, list, result …", 40)),
    name: Type.Optional(text("Its name as the page shows it.")),
    within: Type.Optional(Within),
    nth: Type.Optional(Type.Integer({ minimum: -100, maximum: 1000, description: "1 is the first, -1 the last." })),
  },
  { ...closed, minProperties: 1 },
);
/** Which element is meant. Read from the page when the step runs, strictly: see find-target.ts. */
export type Target = Static<typeof FullTarget>;

const Target = Type.Union([text("The name of the element."), FullTarget]);

const Value = Type.Union([Type.String({ maxLength: 100_000 }), Type.Number(), Type.Boolean()]);

/** What a cell is compared with. Each comparison names its column; without one, the only column that fits the value. */
const Comparison = Type.Object(
  {
    column: Type.Optional(text("The name of the column, in any case.", 200)),
    is: Type.Optional(Value),
    is_not: Type.Optional(Value),
    contains: Type.Optional(Value),
    does_not_contain: Type.Optional(Value),
    starts_with: Type.Optional(Value),
    ends_with: Type.Optional(Value),
    less_than: Type.Optional(Value),
    at_most: Type.Optional(Value),
    more_than: Type.Optional(Value),
    at_least: Type.Optional(Value),
    before: Type.Optional(Value),
    after: Type.Optional(Value),
    from: Type.Optional(Value),
    to: Type.Optional(Value),
  },
  { ...closed, minProperties: 1 },
);
export type Comparison = Static<typeof Comparison>;

const as = Type.Optional(text("The name of the value in the answer.", 100));

const Read = Type.Object(
  {
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
  },
  closed,
);
export type ReadStep = Static<typeof Read>;

const Collect = Type.Object(
  {
    as,
    list: Type.Optional(text("The name of the table or list, or what its entries are called: products.")),
    columns: Type.Optional(Type.Array(text("A column.", 200), { maxItems: 50 })),
    where: Type.Optional(Type.Array(Comparison, { maxItems: 20 })),
    order: Type.Optional(
      Type.Object({ by: text("A column.", 200), direction: Type.Enum(["ascending", "descending"]) }, closed),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    nth: Type.Optional(Type.Integer({ minimum: -100, maximum: 1000, description: "Only this one: 1 is the first." })),
    pages: Type.Optional(Type.Enum(["this", "all"], { description: "Default: all pages of the list." })),
    count: Type.Optional(Type.Boolean({ description: "Answers with how many there are." })),
  },
  closed,
);
export type CollectStep = Static<typeof Collect>;

const Expect = Type.Object(
  {
    text: Type.Optional(text("Text that the page shows.", 1000)),
    no_text: Type.Optional(text("Text that the page does not show.", 1000)),
    field: Type.Optional(Target),
    value: Type.Optional(Value),
    row: Type.Optional(text("A row or entry that exists.")),
    no_row: Type.Optional(text("A row or entry that does not exist.")),
    url: Type.Optional(text("What the URL contains.", 1000)),
  },
  { ...closed, minProperties: 1 },
);
export type ExpectStep = Static<typeof Expect>;

export const MAX_STEPS = 200;

export const Step = Type.Cyclic(
  {
    Step: Type.Union([
      Type.Object({ goto: text("A URL, or a path on the site.", 2000) }, closed),
      Type.Object({ back: Type.Literal(true) }, closed),
      Type.Object({ reload: Type.Literal(true) }, closed),
      Type.Object({ click: Target }, closed),
      Type.Object({ double_click: Target }, closed),
      Type.Object({ open: Target }, closed),
      Type.Object(
        { fill: Type.Object({ target: Target, value: Value, submit: Type.Optional(Type.Boolean()) }, closed) },
        closed,
      ),
      Type.Object(
        {
          edit: Type.Object(
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
            { ...closed, minProperties: 2 },
          ),
        },
        closed,
      ),
      Type.Object({ select: Type.Object({ target: Type.Optional(Target), value: Value }, closed) }, closed),
      Type.Object({ check: Target }, closed),
      Type.Object({ uncheck: Target }, closed),
      Type.Object(
        { press: Type.Union([text("A key.", 40), Type.Object({ key: text("A key.", 40), target: Target }, closed)]) },
        closed,
      ),
      Type.Object({ hover: Target }, closed),
      Type.Object(
        {
          upload: Type.Object(
            { target: Target, name: text("The file's name.", 200), content: Type.String({ maxLength: 1_000_000 }) },
            closed,
          ),
        },
        closed,
      ),
      Type.Object({ scroll: Type.Enum(["down", "up", "bottom", "top"]) }, closed),
      Type.Object(
        {
          wait_for: Type.Object(
            {
              text: Type.Optional(text("Text that should appear.")),
              gone: Type.Optional(text("Text that should disappear.")),
              seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 60 })),
            },
            { ...closed, minProperties: 1 },
          ),
        },
        closed,
      ),
      Type.Object({ dialog: Type.Enum(["accept", "dismiss"]), text: Type.Optional(Type.String()) }, closed),
      Type.Object(
        { sign_in: Type.Object({ user: text("The user name."), password: text("The password.") }, closed) },
        closed,
      ),
      Type.Object({ read: Read }, closed),
      Type.Object({ collect: Collect }, closed),
      Type.Object({ expect: Expect }, closed),
      Type.Object({ if: Expect, steps: Type.Array(Type.Ref("Step"), { minItems: 1, maxItems: MAX_STEPS }) }, closed),
      Type.Object(
        {
          for_each: Type.Object(
            {
              list: Type.Optional(text("The table or list whose links are opened.")),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
            },
            closed,
          ),
          steps: Type.Array(Type.Ref("Step"), { minItems: 1, maxItems: MAX_STEPS }),
        },
        closed,
      ),
      Type.Object(
        {
          repeat_until: Type.Union([
            Type.Object({ gone: Target }, closed),
            Type.Object({ text: text("Text that appears.") }, closed),
          ]),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
          steps: Type.Array(Type.Ref("Step"), { minItems: 1, maxItems: MAX_STEPS }),
        },
        closed,
      ),
    ]),
  },
  "Step",
);
export type Step = Static<typeof Step>;

export const StepFile = Type.Object(
  {
    start_url: Type.Optional(text("Where to start.", 2000)),
    steps: Type.Array(Step, { minItems: 1, maxItems: MAX_STEPS }),
  },
  closed,
);
export type StepFile = Static<typeof StepFile>;

export function toTarget(target: string | Target): Target {
  return typeof target === "string" ? { name: target } : target;
}
