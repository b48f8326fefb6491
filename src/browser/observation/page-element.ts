import type { ElementHandle, Frame, JSHandle } from "playwright-core";

/** Runs in the page, so it may only use its parameters and locals. */
type InPage<From, Argument, Result> = (from: From, argument: Argument) => Result | Promise<Result>;

/** Something that was begun in the page, and goes on there until it is ended. */
interface Begun<Now, End> {
  readonly now: Now;
  end(): End;
}

/**
 * An element of a document. It is in a box, because Playwright sends its whole library of selectors to a document as soon as
 * it has a handle of an element there, which takes longer than reading the page.
 */
export class PageElement {
  readonly #box: JSHandle<{ readonly element: Element }>;
  /** Of its document. */
  readonly frame: Frame;
  #slots = 0;

  private constructor(box: JSHandle, frame: Frame) {
    this.#box = box;
    this.frame = frame;
  }

  /** The element that an object of the page finds, or the word that it says instead. */
  static async take<From, Argument>(
    from: JSHandle<From>,
    frame: Frame,
    find: InPage<From, Argument, Element | string | null>,
    argument: Argument,
  ): Promise<PageElement | string> {
    return await PageElement.#take(from, frame, compose(find, "from", true), argument);
  }

  evaluate<Result>(run: InPage<Element, undefined, Result>): Promise<Result>;
  evaluate<Argument, Result>(run: InPage<Element, Argument, Result>, argument: Argument): Promise<Result>;
  evaluate<Result>(run: InPage<Element, never, Result>, argument?: unknown): Promise<Result> {
    return this.#box.evaluate(compose(run, "from.element"), argument);
  }

  /** For a result that stays in the page. */
  evaluateHandle<Result>(run: InPage<Element, undefined, Result>): Promise<JSHandle<Result>> {
    return this.#box.evaluateHandle(compose(run, "from.element"), undefined);
  }

  /** For a function that begins something in the page. Returns what it says at once, and ends it with a second message. */
  async begin<Now, End>(run: InPage<Element, undefined, Begun<Now, End>>): Promise<Begun<Now, Promise<End>>> {
    this.#slots += 1;
    const slot = `end ${this.#slots}`;
    const body = `const { now, end } = (${run})(from.element); from[argument] = end; return now;`;
    const now: Now = await this.#box.evaluate(toFunction(body), slot);
    return { now, end: () => this.#box.evaluate(toFunction("return from[argument]();"), slot) };
  }

  /** Another element of the same document. */
  async find(find: InPage<Element, undefined, Element | null>): Promise<PageElement | null> {
    const found = await PageElement.#take(this.#box, this.frame, compose(find, "from.element", true), undefined);
    return typeof found === "string" ? null : found;
  }

  static async #take(from: JSHandle, frame: Frame, find: InPage<unknown, unknown, unknown>, argument: unknown) {
    const found = await from.evaluateHandle(find, argument);
    // Of anything but an object, the text of a handle is the value.
    const [, word] = /^no (.*)/.exec(String(found)) ?? [];
    return word ?? new PageElement(found, frame);
  }

  focus(): Promise<void> {
    return this.evaluate((element) => {
      if (!element.isConnected) throw new Error("The element is not attached to the document.");
      (element as HTMLElement).focus();
    });
  }

  /** For what only Playwright can do. */
  async toHandle(): Promise<ElementHandle<Element>> {
    return await this.#box.evaluateHandle(({ element }) => element);
  }

  async dispose(): Promise<void> {
    await this.#box.dispose();
  }
}

/** The function as it is sent to the page, for an object instead of an element. */
function compose(run: InPage<never, never, unknown>, from: "from" | "from.element", isBoxed = false) {
  const call = `(${run})(${from}, argument)`;
  return toFunction(
    isBoxed
      ? `const element = ${call}; return element === null || typeof element === "string" ? "no " + element : { element };`
      : `return ${call};`,
  );
}

function toFunction(body: string) {
  return new Function("from", "argument", body) as InPage<unknown, unknown, never>;
}
