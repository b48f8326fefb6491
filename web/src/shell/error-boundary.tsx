import { Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** Where one is: elsewhere is another page, which may well be sound. */
  location: string;
  children: ReactNode;
}

/** A page that breaks takes neither the menu nor the other pages with it. */
export class ErrorBoundary extends Component<BoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate({ location }: BoundaryProps): void {
    if (this.state.error !== null && location !== this.props.location) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? this.props.children : <BrokenPage error={error} />;
  }
}

function BrokenPage({ error }: { error: Error }) {
  return (
    <Stack py={48} maw={560} mx="auto" role="alert">
      <Title order={1} size="h3">
        This page has broken
      </Title>
      <Text>
        That is a mistake in Errand, not yours. After an update the page may only be too old: loading it again helps
        then.
      </Text>
      <Code block className="wrap-anywhere">
        {error.message}
      </Code>
      <Group>
        <Button onClick={() => window.location.reload()}>Load the page again</Button>
        <Button variant="default" component="a" href="/console/">
          Go to the start
        </Button>
      </Group>
    </Stack>
  );
}
