import { Code, Text } from "@mantine/core";
import type { RecipeContent } from "../../../../src/contract/console/recipes.ts";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { describeWords } from "./content-diff.ts";
import { KIND_WORDS, Slotted } from "./recipe-words.tsx";

/** The steps in words, numbered. */
export function RecipeSteps({ content: { steps, variables } }: { content: RecipeContent }) {
  return (
    <ol className="recipe-steps" aria-label="Steps">
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same step can be there twice
        <li key={index}>
          <Slotted variables={variables}>{step}</Slotted>
        </li>
      ))}
    </ol>
  );
}

export function RecipeVariables({ variables }: Pick<RecipeContent, "variables">) {
  if (variables.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None: every run does exactly the same.
      </Text>
    );
  }
  return (
    <dl className="recipe-variables">
      {variables.map(({ name, kind, max_words }) => (
        <div key={name}>
          <dt>
            <span className="slot">{`<${name}>`}</span>
          </dt>
          <dd>
            {KIND_WORDS[kind]}
            {max_words !== null && `, ${describeWords(max_words)}`}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What a run sends to the site, in order. */
export function RecipeWrites({ writes }: Pick<RecipeContent, "writes">) {
  if (writes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing: it only reads.
      </Text>
    );
  }
  return (
    <ol className="plain-list recipe-writes" aria-label="Sends">
      {writes.map((write, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same request can be there twice
        <li key={index}>
          <Code className="wrap-anywhere">
            <UntrustedText>{write}</UntrustedText>
          </Code>
        </li>
      ))}
    </ol>
  );
}
