import { Card, Stack, Text, Title } from "@mantine/core";
import type { ExecutionResult } from "../../../../../src/contract/execution.ts";
import { ForeignAddress } from "../../../parts/foreign-address.tsx";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import type { Check } from "../timeline/run.ts";
import { VerdictLine } from "./verdict-line.tsx";

/** The answer in words, where it ended, and that it was checked. */
export function ResultCard({ result, checks }: { result: ExecutionResult; checks: readonly Check[] }) {
  const { final_text, final_title, final_url, evidence } = result;
  return (
    <Card withBorder component="section" aria-labelledby="result-title" className="good-card">
      <Stack gap="sm">
        <Title order={2} size="h4" id="result-title">
          Result
        </Title>
        <Text size="lg" className="pre-wrap">
          <ForeignText>{final_text === "" ? "Done." : final_text}</ForeignText>
        </Text>
        <Text size="sm" c="dimmed">
          It ended on{" "}
          {final_title !== "" && (
            <>
              <ForeignText>{final_title}</ForeignText>,{" "}
            </>
          )}
          <ForeignAddress>{final_url}</ForeignAddress>
        </Text>
        <VerdictLine hasAgreed={evidence.verifier.agreed} reason={evidence.verifier.reason} checks={checks} />
      </Stack>
    </Card>
  );
}
