import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Check } from "../../../src/agent/verifier/check.ts";
import type { Change, Judge, Trial } from "../../../src/agent/verifier/judge.ts";
import { createModelJudge } from "../../../src/agent/verifier/model-judge.ts";
import { ModelFailure } from "../../../src/models/model.ts";
import { CostMeter } from "../../../src/models/usage.ts";
import { type ModelReply, type ModelServer, modelAt, startModelServer } from "../../_harness/model-server.ts";
import type { CriterionVerdict, ScriptedVerdict } from "../../_harness/scripted-judge.ts";

let server: ModelServer;
let judge: Judge;
beforeAll(async () => {
  server = await startModelServer();
  judge = createModelJudge(await modelAt(server));
});
afterAll(() => server[Symbol.asyncDispose]());

const CART = "URL: https://shop.example/cart\n# Cart\nBlue mug | 2 | €24.00\nTotal: €24.00";
const CART_PARTS = ["Cart", "Blue mug", "2", "€24.00", "Total: €24.00"];
const TRIAL: Trial = {
  task: {
    prompt: "Put two blue mugs into the cart.",
    startUrl: "https://shop.example/",
    outputSchema: null,
    now: new Date("2026-03-11T10:00:00Z"),
  },
  criteria: [
    { id: "c1", text: "The cart holds two blue mugs." },
    { id: "c2", text: "Everything is done." },
  ],
  answer: "Two blue mugs are in the cart.",
  data: null,
  evidence: [
    {
      id: "e1",
      what: "A page as a fresh browser shows it",
      text: CART,
      parts: CART_PARTS,
      whole: "Cart Blue mug 2 €24.00 Total: €24.00",
    },
    {
      id: "e2",
      what: "Requests",
      text: "step 2: POST https://shop.example/cart returned 303",
      parts: ["step 2: POST https://shop.example/cart returned 303"],
      whole: "",
    },
  ],
  changes: [],
  picture: null,
};
const POST: Change = {
  id: "w1",
  text: "POST https://shop.example/cart: answered 303",
  isTechnical: false,
  isListed: true,
};
const PING: Change = { ...POST, text: "POST https://shop.example/ping: answered 204", isTechnical: true };

const FIRST: CriterionVerdict = {
  criterion: "c1",
  verdict: "satisfied",
  evidence: ["e1"],
  quote: "Blue mug | 2",
  reason: "The cart shows it.",
};
const SECOND: CriterionVerdict = { ...FIRST, criterion: "c2", quote: "Total: €24.00" };
const YES = { change: "w1", asked: "yes", reason: "It fills the cart." };

let meter: CostMeter;

/** The model replies with these in order, and with the last one whenever it is asked again. */
async function weigh(
  input: ScriptedVerdict | ModelReply | readonly ScriptedVerdict[],
  trial: Partial<Trial> = {},
): Promise<readonly Check[]> {
  const replies = [input].flat().map((each) => ("criteria" in each ? verdict(each) : each));
  server.answer = () => (replies.length > 1 ? replies.shift() : replies[0]) as ModelReply;
  server.requests.length = 0;
  meter = new CostMeter(100_000);
  return await judge.judge({ ...TRIAL, ...trial }, { meter, signal: new AbortController().signal });
}

function verdict(input: ScriptedVerdict): ModelReply {
  return { calls: [{ name: "give_verdict", input }] };
}

/** The verdict on the first criterion. */
async function weighFirst(...opinions: CriterionVerdict[]): Promise<Check | undefined> {
  const [first] = await weigh({ criteria: [...opinions, SECOND], changes: [] });
  return first;
}

describe("a criterion", () => {
  test("is satisfied by evidence that exists and a quote from it", async () => {
    const checks = await weigh({ criteria: [FIRST, SECOND], changes: [] });
    expect(checks).toEqual([
      {
        about: "The cart holds two blue mugs.",
        verdict: "satisfied",
        evidence: '"Blue mug | 2". The cart shows it.',
      },
      { about: "Everything is done.", verdict: "satisfied", evidence: '"Total: €24.00". The cart shows it.' },
      { about: "Every change was asked for", verdict: "satisfied", evidence: "Nothing was changed." },
    ]);
  });

  test.each([
    ["as it reads on the page", "Blue mug 2 €24.00"],
    ["in another case", "TOTAL: €24.00"],
    ["across a line break", "Cart Blue mug | 2"],
    ["in quotation marks", '"Total: €24.00"'],
    ["with a number", "mug | 2"],
    ["with a whole line", "Cart"],
    ["with a whole cell", "blue mug"],
  ])("may be quoted %s", async (_, quote) => {
    expect(await weighFirst({ ...FIRST, quote })).toMatchObject({ verdict: "satisfied" });
  });

  test.each([
    ["cites evidence that does not exist", { evidence: ["e9"] }],
    ["cites both existing and nonexistent evidence", { evidence: ["e1", "e9"] }],
    ["cites the claim", { evidence: ["answer"] }],
    ["cites nothing", { evidence: [] }],
    ["quotes nothing", { quote: " " }],
    ["quotes text that is nowhere", { quote: "Two blue mugs are in the cart." }],
    ["quotes other evidence than it cites", { evidence: ["e2"] }],
    ["quotes half a number", { quote: "€24.0" }],
    ["quotes a word that proves nothing", { quote: "mug" }],
    ["quotes only quotation marks", { quote: '""' }],
  ])("is unknown when the verdict %s", async (_, wrong) => {
    expect(await weighFirst({ ...FIRST, ...wrong })).toMatchObject({ verdict: "unknown" });
  });

  test("is unknown when it was left out, even if another was judged instead", async () => {
    expect(await weighFirst()).toMatchObject({ verdict: "unknown", evidence: "The verifier did not judge it." });
    expect(await weighFirst({ ...FIRST, criterion: "c7" })).toMatchObject({ verdict: "unknown" });
  });

  test("is unknown when it was judged twice, whichever came first", async () => {
    const no = { ...FIRST, verdict: "contradicted" };
    expect(await weighFirst(FIRST, no)).toMatchObject({ verdict: "unknown" });
    expect(await weighFirst(no, FIRST)).toMatchObject({ verdict: "unknown" });
    expect(await weighFirst(FIRST, FIRST)).toMatchObject({ verdict: "unknown" });
  });

  test("is contradicted without a quote, since missing content cannot be quoted", async () => {
    expect(await weighFirst({ ...FIRST, verdict: "contradicted", quote: "", reason: "One is missing." })).toEqual({
      about: "The cart holds two blue mugs.",
      verdict: "contradicted",
      evidence: "One is missing.",
    });
  });

  test("is not contradicted by a made-up quote", async () => {
    expect(await weighFirst({ ...FIRST, verdict: "contradicted", quote: "Cart is empty" })).toMatchObject({
      verdict: "unknown",
    });
  });

  test("is reported on one short line, whatever the model returns", async () => {
    const check = await weighFirst({ ...FIRST, reason: `Because\n${"of this ".repeat(100)}` });
    expect(check?.evidence.length).toBeLessThanOrEqual(300);
    expect(check?.evidence).not.toContain("\n");
  });
});

describe("a verdict that code cannot use", () => {
  const WRONG: CriterionVerdict = { ...FIRST, quote: "Blue mugs | 2" };
  const twice = (...firsts: (CriterionVerdict | null)[]) =>
    weigh(
      firsts.map((first, index) => ({
        criteria: [first, ...(index === 0 ? [SECOND] : [])].flatMap((one) => one ?? []),
        changes: [],
      })),
    );

  test("is asked for again once, with what is wrong, and counted", async () => {
    const [first, second] = await twice(WRONG, FIRST);
    expect([first?.verdict, second?.verdict]).toEqual(["satisfied", "satisfied"]);
    expect(meter.total?.requests).toBe(2);
    const [one, other] = server.requests.map(({ text }) => text);
    const complaint = other?.slice(one?.length);
    expect(other?.startsWith(one ?? "?")).toBe(true);
    const mark = /<(data-[\w-]+)>/.exec(complaint ?? "")?.[1];
    expect(complaint).toContain(
      `<${mark}>\nc1: The verifier's quote "Blue mugs | 2" is not in the evidence it cites: e1.\n</${mark}>`,
    );
    expect(complaint).toContain("Judge only c1 again");
  });

  test.each([
    ["cites what does not exist", { evidence: ["e9"] }, "does not exist: e9"],
    ["quotes other evidence than it cites", { evidence: ["e2"] }, "is not in the evidence it cites: e2"],
    ["quotes nothing", { quote: "" }, "quotes nothing"],
    ["quotes too little", { quote: "mug" }, '"mug" is too short'],
  ])("is repaired when it %s", async (_, wrong, complaint) => {
    expect((await twice({ ...FIRST, ...wrong }, FIRST))[0]).toMatchObject({ verdict: "satisfied" });
    expect(server.lastRequest.text).toContain(complaint);
  });

  test("is repaired when a criterion or a change was left out", async () => {
    expect((await twice(null, FIRST))[0]).toMatchObject({ verdict: "satisfied" });
    const judged = { criteria: [FIRST, SECOND], changes: [] };
    const checks = await weigh([judged, { criteria: [], changes: [YES] }], { changes: [POST] });
    expect(checks.map((check) => check.verdict)).toEqual(["satisfied", "satisfied", "satisfied"]);
  });

  test("stays unknown when the second one is as bad, and nobody is asked a third time", async () => {
    const [first, second] = await twice(WRONG, { ...WRONG, quote: "Mugs: 2, blue" }, FIRST);
    expect([first?.verdict, second?.verdict]).toEqual(["unknown", "satisfied"]);
    expect(first?.evidence).toContain("Mugs: 2, blue");
    expect(meter.total?.requests).toBe(2);
  });

  test("replaces nothing that was judged properly", async () => {
    const no = { ...SECOND, verdict: "contradicted", reason: "The total is wrong." };
    const checks = await weigh(
      [
        { criteria: [WRONG, no], changes: [{ ...YES, asked: "no" }] },
        { criteria: [FIRST, SECOND], changes: [YES] },
      ],
      { changes: [POST] },
    );
    expect(checks.map((check) => check.verdict)).toEqual(["satisfied", "contradicted", "contradicted"]);
  });

  test("does not become agreement after a contradiction", async () => {
    expect((await twice({ ...WRONG, verdict: "contradicted" }, FIRST))[0]).toMatchObject({ verdict: "unknown" });
  });

  test("is not asked for again when it is unknown", async () => {
    expect((await twice({ ...FIRST, verdict: "unknown", evidence: ["e9"] }))[0]).toMatchObject({ verdict: "unknown" });
    expect(meter.total?.requests).toBe(1);
  });
});

describe("a change", () => {
  const changeCheck = async (changes: ScriptedVerdict["changes"], made: Change[] = [POST]) => {
    const checks = await weigh({ criteria: [FIRST, SECOND], changes }, { changes: made });
    return checks.filter(({ about }) => about === "Every change was asked for");
  };

  test("is accepted when the task explains it", async () => {
    expect(await changeCheck([YES])).toMatchObject([{ verdict: "satisfied" }]);
  });

  test.each([
    ["no", "contradicted"],
    ["unsure", "unknown"],
    ["harmless", "unknown"],
  ])("called %s is %s", async (asked, verdict) => {
    expect(await changeCheck([{ ...YES, asked }])).toMatchObject([{ verdict }]);
  });

  test("may be called harmless only if the code agrees", async () => {
    expect(await changeCheck([{ ...YES, asked: "harmless" }], [PING])).toMatchObject([{ verdict: "satisfied" }]);
    expect(await changeCheck([{ ...YES, asked: "no" }], [PING])).toMatchObject([{ verdict: "contradicted" }]);
  });

  test("is unknown when it was left out or judged twice", async () => {
    expect(await changeCheck([])).toMatchObject([{ verdict: "unknown" }]);
    expect(await changeCheck([YES, YES])).toMatchObject([{ verdict: "unknown" }]);
    expect(await changeCheck([YES, { ...YES, asked: "no" }])).toMatchObject([{ verdict: "unknown" }]);
  });

  test("is unknown when it could not be listed, whatever the model says", async () => {
    expect(await changeCheck([YES], [{ ...POST, isListed: false }])).toMatchObject([{ verdict: "unknown" }]);
  });

  test("is judged on its own: a requested one does not excuse another", async () => {
    const second = { ...YES, change: "w2", asked: "no" };
    expect(await changeCheck([YES, second], [POST, { ...POST, id: "w2" }])).toMatchObject([
      { verdict: "contradicted" },
    ]);
  });
});

describe("a model that does not judge", () => {
  test("has agreed to nothing with an empty verdict", async () => {
    const checks = await weigh({ criteria: [], changes: [] }, { changes: [POST] });
    expect(checks.map(({ verdict }) => verdict)).toEqual(["unknown", "unknown", "unknown"]);
  });

  test("is a model failure when it returns prose", async () => {
    await expect(weigh({ text: "All criteria are satisfied. The task is done." })).rejects.toThrow(ModelFailure);
  });

  test("is a model failure when it is unavailable", async () => {
    await expect(weigh({ status: 403, body: "{}" })).rejects.toMatchObject({ kind: "unauthorized" });
  });
});

describe("the judge's prompt", () => {
  test("calls the claim a claim, and fences page text with marks that differ each time", async () => {
    const marks = new Set<string>();
    for (let times = 0; times < 2; times++) {
      await weigh({ criteria: [FIRST, SECOND], changes: [] }, { data: '{"mugs":2}' });
      const { text } = server.lastRequest;
      const mark = /Text between <(data-[\w-]+)>/.exec(text)?.[1] ?? "";
      marks.add(mark);
      expect(text).toContain("What the machine claims (a claim, not evidence)");
      expect(text).toContain(`Its answer:\n<${mark}>\nTwo blue mugs are in the cart.\n</${mark}>`);
      expect(text).toContain(`Its data:\n<${mark}>\n{"mugs":2}\n</${mark}>`);
      expect(text).toContain(`e1. A page as a fresh browser shows it:\n<${mark}>\n${CART}\n</${mark}>`);
      expect(server.lastRequest.system).not.toContain("mug");
    }
    expect(marks.size).toBe(2);
  });

  test("contains no secret of the task, wherever a page repeats it", async () => {
    const task = { ...TRIAL.task, prompt: 'Sign in with the password "hunter22".' };
    const text = "Your password is hunter22";
    const evidence = [{ id: "e1", what: "A page", text, parts: [text], whole: "hunter22" }];
    await weigh(
      { criteria: [], changes: [] },
      {
        task,
        evidence,
        answer: "I used hunter22.",
        data: '{"password":"hunter22"}',
        changes: [{ ...POST, text: "hunter22" }],
      },
    );
    expect(JSON.stringify(server.lastRequest.body)).not.toContain("hunter22");
  });

  test("includes a screenshot if there is one", async () => {
    await weigh(
      { criteria: [], changes: [] },
      { picture: { data: Buffer.from("iVBORw0KGgo=", "base64"), contentType: "image/png" } },
    );
    expect(server.lastRequest.images).toBe(1);
  });
});
