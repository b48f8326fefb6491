import { Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ConsoleRecipe, RecipeVersion } from "../../../../src/contract/console/recipes.ts";
import { Panel } from "../../components/page.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { type DiffLine, diffContents } from "./content-diff.ts";
import { ORIGIN_WORDS, Slotted } from "./recipe-words.tsx";

/** All versions, newest first, each with its difference to the one before. */
export function Versions({ recipe: { id, version, versions } }: { recipe: ConsoleRecipe }) {
  return (
    <Panel title="Versions">
      <ol className="plain-list ruled" aria-label="Versions">
        {versions.map((one, index) => (
          <li key={one.version} className="recipe-version">
            <Group gap="xs" align="baseline">
              <Text fw={600} size="sm">
                Version {one.version}
              </Text>
              {one.version === version && (
                <Badge variant="default" tt="none" size="sm">
                  Current
                </Badge>
              )}
              <Text size="sm" c="dimmed">
                {ORIGIN_WORDS[one.origin]} <RelativeTime at={one.created_at} />
              </Text>
              {one.execution_id !== null && (
                <Anchor component={Link} href={`/executions/${one.execution_id}`} size="sm">
                  View the errand
                </Anchor>
              )}
              {one.version !== version && (
                <Anchor component={Link} href={`/recipes/${id}/edit?from=${one.version}`} size="sm">
                  Edit from here
                </Anchor>
              )}
            </Group>
            <Difference after={one} before={versions[index + 1]} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

interface DifferenceProps {
  after: RecipeVersion;
  before: RecipeVersion | undefined;
}

function Difference({ after, before }: DifferenceProps) {
  if (before === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {after.version === 1 ? "The first version." : "The version before is no longer kept."}
      </Text>
    );
  }
  const parts = diffContents(before, after);
  if (parts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        The same as version {before.version}.
      </Text>
    );
  }
  return (
    <details className="recipe-diff">
      <summary>Changes since version {before.version}</summary>
      <Stack gap="sm" mt="xs">
        {parts.map(({ title, lines }) => (
          <div key={title}>
            <Text size="xs" c="dimmed" mb={2}>
              {title}
            </Text>
            <ul className="plain-list diff-lines" aria-label={title}>
              {lines.map((line, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: versions never change
                <Line key={index} line={line} />
              ))}
            </ul>
          </div>
        ))}
      </Stack>
    </details>
  );
}

const MARKS: Record<DiffLine["change"], { sign: string; word: string }> = {
  same: { sign: " ", word: "" },
  added: { sign: "+", word: "Added: " },
  removed: { sign: "−", word: "Removed: " },
};

function Line({ line: { change, text } }: { line: DiffLine }) {
  const { sign, word } = MARKS[change];
  return (
    <li className="diff-line" data-change={change}>
      <span aria-hidden="true">{sign}</span>
      <span>
        {word !== "" && <span className="visually-hidden">{word}</span>}
        <Slotted>{text}</Slotted>
      </span>
    </li>
  );
}
