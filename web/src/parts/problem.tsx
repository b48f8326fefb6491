import { Alert, Button, Center, List, Stack, Text } from "@mantine/core";
import { ConsoleError } from "../api/console-error.ts";

/** Something went wrong: what the service said, and another try. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const details = error instanceof ConsoleError ? error.details : [];
  return (
    <Alert color="red" title="This did not work" role="alert">
      <Stack gap="xs" align="start">
        <Text size="sm">
          {error.message}
          {error instanceof ConsoleError &&
            error.code === "INSUFFICIENT_CREDITS" &&
            " Whoever runs this installation can grant more, on the credits page."}
        </Text>
        {details.length > 0 && (
          <List size="sm">
            {details.map(({ path, message }) => (
              <List.Item key={`${path} ${message}`}>
                {path}: {message}
              </List.Item>
            ))}
          </List>
        )}
        {onRetry !== undefined && (
          <Button size="xs" variant="light" color="red" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

export function ProblemPage(props: { error: Error; onRetry: () => void }) {
  return (
    <Center h="60vh" p="md">
      <Problem {...props} />
    </Center>
  );
}
