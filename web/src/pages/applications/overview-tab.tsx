import { Anchor, Card, SimpleGrid, Stack, Tabs, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { Code } from "../../components/copy.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { AuthLinkCard, type AuthLinkForm, useAuthLink } from "./authorization-link.tsx";
import { curlSample, typescriptSample } from "./code-samples.ts";

export function OverviewTab({ application }: { application: ConsoleApplication }) {
  const form = useAuthLink(application);
  return (
    <Stack gap="lg">
      <Figures application={application} />
      <AuthLinkCard application={application} form={form} />
      <SamplesCard application={application} form={form} />
    </Stack>
  );
}

function Figures({ application }: { application: ConsoleApplication }) {
  const { id, connections, recent_executions, created_at } = application;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Figure name="Connections">
        <Anchor component={Link} href={`/applications/${id}/connections`} inherit>
          {connections.toLocaleString("en")}
        </Anchor>
      </Figure>
      <Figure name="Errands in 24 hours">
        <Anchor component={Link} href={`/applications/${id}/executions`} inherit>
          {recent_executions.toLocaleString("en")}
        </Anchor>
      </Figure>
      <Figure name="Access">{application.access === "read_only" ? "Read-only" : "Read and write"}</Figure>
      <Figure name="Created">
        <RelativeTime at={created_at} />
      </Figure>
    </SimpleGrid>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Card withBorder padding="sm">
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={600} component="div">
        {children}
      </Text>
    </Card>
  );
}

/** Code for the whole flow, with this application's values filled in. */
function SamplesCard({ application, form }: { application: ConsoleApplication; form: AuthLinkForm }) {
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby="samples">
      <Title order={2} size="h4" id="samples">
        Use it from your program
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Authorize, exchange the code for a token, create an execution and poll for its result.
      </Text>
      <Tabs defaultValue="curl" keepMounted={false} variant="outline">
        <Tabs.List aria-label="Language">
          <Tabs.Tab value="curl">curl</Tabs.Tab>
          <Tabs.Tab value="typescript">TypeScript</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="curl" pt="sm">
          <Code>{curlSample(application, form.parts, form.link)}</Code>
        </Tabs.Panel>
        <Tabs.Panel value="typescript" pt="sm">
          <Code>{typescriptSample(application, form.parts)}</Code>
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}
