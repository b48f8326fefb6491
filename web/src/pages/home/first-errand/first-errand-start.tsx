import { Anchor, Box, Button, Card, Group, SimpleGrid, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { Link } from "wouter";
import { useStartFirstErrand } from "../../../api/first-errand.ts";
import { PageTitle } from "../../../parts/page-title.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Icon, type IconName } from "../../../shell/icon.tsx";

const WHAT_HAPPENS: readonly { icon: IconName; title: string; words: string }[] = [
  { icon: "applications", title: "It is set up", words: "A demo application is made, and you are connected to it." },
  { icon: "executions", title: "It is carried out", words: "A real browser opens the demo shop; you see each step." },
  { icon: "check", title: "It is checked", words: "An independent verifier looks again before you get the result." },
];

/** One button. Whoever presses it has seen, half a minute later, what all of this is for. */
export function FirstErrandStart({ onStarted }: { onStarted: (id: string) => void }) {
  const start = useStartFirstErrand(onStarted);
  return (
    <Stack gap="xl" maw={860} mx="auto">
      <Card withBorder padding="xl" radius="lg" component="section">
        <Stack gap="lg" align="start">
          <PageTitle
            title="Run your first errand"
            about="A sentence goes in, a browser carries it out, and a checked result comes back. It takes half a minute."
          />
          {start.error !== null && <Problem error={start.error} />}
          <Group gap="lg">
            <Button
              size="lg"
              leftSection={<Icon name="play" />}
              loading={start.isPending}
              onClick={() => start.mutate()}
            >
              Run a first errand on the demo shop
            </Button>
            <Anchor component={Link} href="/applications?new" size="sm">
              I would rather create my application
            </Anchor>
          </Group>
        </Stack>
      </Card>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
        {WHAT_HAPPENS.map(({ icon, title, words }) => (
          <Group key={title} wrap="nowrap" align="start" gap="sm">
            <ThemeIcon variant="light" size="lg" radius="md" aria-hidden="true">
              <Icon name={icon} />
            </ThemeIcon>
            <Box>
              <Title order={2} size="h6">
                {title}
              </Title>
              <Text size="sm" c="dimmed">
                {words}
              </Text>
            </Box>
          </Group>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
