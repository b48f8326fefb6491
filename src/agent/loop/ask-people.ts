import type { Observation } from "../../browser/observation/observation.ts";
import type { InteractionRequest, People, PersonRole } from "../gate/people.ts";
import type { Question, Turn } from "../planner/planner.ts";
import type { TaskSecrets } from "../task-secrets.ts";
import type { Ending } from "./ending.ts";

/** People get tired of questions, and a page may try to make the planner ask for something. */
const MAX_QUESTIONS = 3;

interface AskingOptions {
  readonly people: People | null;
  readonly secrets: TaskSecrets;
  /** Keeps a screenshot of the page; null when there is none. */
  readonly takePicture: () => Promise<string | null>;
  readonly signal: AbortSignal;
}

/** Asks the people behind a run, as often as one may. */
export class Asking {
  readonly #options: AskingOptions;
  #questions = 0;
  #hasBeenTakenOver = false;

  constructor(options: AskingOptions) {
    this.#options = options;
  }

  /** For a planner on this page; empty when nobody can be asked. */
  for(observation: Observation): Pick<Turn, "askPerson"> {
    const { people } = this.#options;
    if (people === null || !people.isReachable || this.#questions >= MAX_QUESTIONS) return {};
    return { askPerson: (question) => this.#askQuestion(question, observation) };
  }

  async #askQuestion({ question, options, isSecret }: Question, observation: Observation): Promise<string | null> {
    this.#questions += 1;
    const answer = await this.#ask({ kind: "question", message: question, options, isSecret }, observation);
    if (answer?.kind !== "answered") return null;
    if (isSecret) this.#options.secrets.add(answer.text);
    return answer.text;
  }

  /** A page wants to be sure that a person is there: a person may take over once. Returns who handed back, or null. */
  async letPersonPass({ reason }: Ending, observation: Observation): Promise<PersonRole | null> {
    if (this.#hasBeenTakenOver || this.#options.people?.isReachable !== true) return null;
    this.#hasBeenTakenOver = true;
    const answer = await this.#ask({ kind: "takeover", message: reason, options: [], isSecret: false }, observation);
    return answer?.kind === "handed_back" ? answer.by : null;
  }

  async #ask(
    asked: Pick<InteractionRequest, "kind" | "message" | "options" | "isSecret">,
    { url }: Observation,
  ): Promise<Awaited<ReturnType<People["ask"]>> | null> {
    const { people, takePicture, signal } = this.#options;
    if (people === null) return null;
    const artifactId = await takePicture();
    const picture = artifactId === null ? null : { artifactId, mark: null };
    return await people.ask({ ...asked, url, amount: null, recipient: null, items: [], values: [], picture }, signal);
  }
}
