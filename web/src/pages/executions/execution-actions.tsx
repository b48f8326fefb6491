import { Button, Group } from "@mantine/core";
import { useLocation } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import { useCancel, useRunAgain } from "../../api/executions.ts";
import { Problem } from "../../parts/problem.tsx";
import { Icon } from "../../shell/icon.tsx";

/** Stop it while it goes on; once more when it is over. */
export function ExecutionActions({ seen: { execution, may_run_again } }: { seen: ConsoleExecution }) {
  const [, navigate] = useLocation();
  const cancel = useCancel(execution.id);
  const again = useRunAgain(execution.id);
  const isOver = execution.terminal !== null;
  // A run that is told to stop ends a moment later; until then the wish stands.
  const isStopping = cancel.isPending || (cancel.isSuccess && !isOver);
  const error = again.error ?? (isOver ? null : cancel.error);
  return (
    <>
      <Group gap="sm">
        {!isOver && (
          <Button
            variant="default"
            leftSection={<Icon name="stop" size={16} />}
            loading={isStopping}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        )}
        {isOver && may_run_again && (
          <Button
            leftSection={<Icon name="again" size={16} />}
            loading={again.isPending}
            onClick={() => again.mutate(undefined, { onSuccess: ({ id }) => navigate(`/executions/${id}`) })}
          >
            Run again
          </Button>
        )}
      </Group>
      {isStopping && (
        <span className="visually-hidden" role="status">
          Canceling
        </span>
      )}
      {error !== null && <Problem error={error} />}
    </>
  );
}
