import { Box, Center, Group, Paper, Text } from "@mantine/core";
import { artifactAddress } from "../../../api/executions.ts";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import type { RunStep } from "./read-run.ts";

type PicturedStep = RunStep & { screenshot: string };

interface LivePictureProps {
  executionId: string;
  /** The newest step with a picture. */
  step: PicturedStep | null;
  startUrl: string | null;
}

/** The browser of the run, as it was after the last step. */
export function LivePicture({ executionId, step, startUrl }: LivePictureProps) {
  return (
    <Paper withBorder radius="md" className="browser-frame">
      <Group px="sm" py={8} gap="sm" wrap="nowrap" className="browser-bar">
        <Box className="browser-dots" aria-hidden="true" />
        <Text size="xs" c="dimmed" truncate>
          <ForeignText>{step?.url ?? startUrl ?? ""}</ForeignText>
        </Text>
      </Group>
      <div className="browser-view">
        {step === null ? (
          <Center h="100%">
            <Text c="dimmed" size="sm">
              The browser appears here.
            </Text>
          </Center>
        ) : (
          <img
            src={artifactAddress(executionId, step.screenshot)}
            alt={`The page after step ${step.number}: ${step.words}`}
          />
        )}
      </div>
    </Paper>
  );
}
