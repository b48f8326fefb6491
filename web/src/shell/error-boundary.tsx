import { Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** The error is cleared when the user goes to another page. */
  location: string;
  children: ReactNode;
}

/** Keeps the menu and the other pages working when a page crashes. */
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
        This page crashed
      </Title>
      <Text>This is a bug in Errand. If Errand was just updated, reloading the page may fix it.</Text>
      <Code block className="wrap-anywhere">
        {error.message}
      </Code>
      <Group>
        <Button onClick={() => window.location.reload()}>Reload page</Button>
        <Button variant="default" component="a" href="/console/">
          Go to home
        </Button>
      </Group>
    </Stack>
  );
}
