import { Button, type ButtonProps, List, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import { writeReceipt } from "../../../../src/contract/receipt.ts";
import { useRunAgain } from "../../api/executions.ts";
import { Confirm, ErrorAlert } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";

interface RunAgainProps extends ButtonProps {
  data: ConsoleExecution;
  /** Null while they are not known. */
  sideEffects: readonly unknown[] | null;
  label?: string;
}

/** Runs the errand once more. Asks first if the earlier run changed anything, or may have. */
export function RunAgainButton({ data, sideEffects, label = "Run again", ...others }: RunAgainProps) {
  const [, navigate] = useLocation();
  const [isAsking, setIsAsking] = useState(false);
  const again = useRunAgain(data.execution.id);
  const { done } = writeReceipt(sideEffects);
  // Its last actions are unknown.
  const isUncertain = data.execution.terminal?.status === "worker_lost";
  const mustAsk = done.length > 0 || isUncertain;
  const run = () => again.mutate(undefined, { onSuccess: ({ id }) => navigate(`/executions/${id}`) });
  return (
    <>
      <Button
        leftSection={<Icon name="again" size={16} />}
        loading={again.isPending || sideEffects === null}
        onClick={() => (mustAsk ? setIsAsking(true) : run())}
        {...others}
      >
        {label}
      </Button>
      {!mustAsk && again.error !== null && <ErrorAlert error={again.error} />}
      <Confirm
        title="Do this again?"
        action="Run again"
        color="teal"
        isOpen={isAsking}
        isBusy={again.isPending}
        error={again.error}
        onClose={() => setIsAsking(false)}
        onConfirm={run}
      >
        <Stack gap="sm">
          {done.length > 0 && (
            <>
              <Text size="sm">
                The earlier errand changed something. Running it again may do the same a second time:
              </Text>
              <List size="sm" spacing={4} className="wrap-anywhere">
                {done.map(({ text }) => (
                  <List.Item key={text}>
                    <UntrustedText>{text}</UntrustedText>
                  </List.Item>
                ))}
              </List>
            </>
          )}
          {isUncertain && (
            <Text size="sm">
              The earlier errand was interrupted, so its last actions are unknown. Check the site first.
            </Text>
          )}
          <Text size="sm">
            It runs as{" "}
            <strong>
              <UntrustedText>{data.connection.user_email}</UntrustedText>
            </strong>{" "}
            for <UntrustedText>{data.application.name}</UntrustedText>.
          </Text>
        </Stack>
      </Confirm>
    </>
  );
}
