import { Button, Group, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { StepsReading } from "../../../../src/contract/console/executions.ts";
import { stepsQuery } from "../../api/executions.ts";
import { countOf } from "../../components/count.ts";
import { Icon } from "../../components/icons.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";

const TYPING_PAUSE_MS = 300;

interface StepsPreviewProps {
  prompt: string;
  onReplace: (prompt: string) => void;
}

/** What Errand will do with the prompt, shown while it is being typed. Only where no model is configured. */
export function StepsPreview({ prompt, onReplace }: StepsPreviewProps) {
  const [typed] = useDebouncedValue(prompt.trim(), TYPING_PAUSE_MS);
  const { data } = useQuery(stepsQuery(typed));
  const reading = typed === "" ? undefined : data;
  return (
    <div className="steps-preview">
      <Text size="xs" c="dimmed" role="status">
        {reading === undefined
          ? "No language model is configured: say step by step what to do. Errand shows here what it understands."
          : summarize(reading)}
      </Text>
      {reading !== undefined && reading.steps.length > 0 && (
        <ol className="steps-read" aria-label="Steps">
          {reading.steps.map(({ does }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same step can be there twice
            <li key={index}>
              <UntrustedText>{does}</UntrustedText>
            </li>
          ))}
        </ol>
      )}
      {reading?.problem != null && <Problem problem={reading.problem} prompt={prompt} onReplace={onReplace} />}
    </div>
  );
}

function summarize({ steps, problem }: StepsReading): string {
  const count = countOf(steps.length, "step");
  if (problem === null) return `Understood: ${count}. Errand does exactly this, without a language model.`;
  return steps.length === 0 ? "Not understood yet." : `Understood so far: ${count}.`;
}

interface ProblemProps extends StepsPreviewProps {
  problem: NonNullable<StepsReading["problem"]>;
}

function Problem({ problem: { clause, reason, suggestion }, prompt, onReplace }: ProblemProps) {
  // A shortened or masked clause is not in the prompt, and then nothing can be replaced.
  const canReplace = suggestion !== null && clause !== null && prompt.includes(clause);
  return (
    <Stack gap={6} align="start" className="steps-problem">
      <Group gap={8} wrap="nowrap" align="start">
        <Icon name="warning" size={16} />
        <Text size="sm">
          {clause !== null && (
            <>
              “<UntrustedText>{clause}</UntrustedText>” isn't understood.{" "}
            </>
          )}
          <UntrustedText>{reason}</UntrustedText>
        </Text>
      </Group>
      {suggestion !== null && (
        <Group gap={8}>
          <Text size="sm">
            Did you mean “<UntrustedText>{suggestion}</UntrustedText>”?
          </Text>
          {canReplace && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => onReplace(prompt.replace(clause, () => suggestion))}
            >
              Use this
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}
