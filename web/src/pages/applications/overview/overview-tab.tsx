import { Anchor, Card, SimpleGrid, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ConsoleApplication } from "../../../../../src/contract/console/applications.ts";
import { Moment } from "../../../parts/moment.tsx";
import { AuthLinkCard } from "./auth-link-card.tsx";
import { SamplesCard } from "./samples-card.tsx";
import { useAuthLink } from "./use-auth-link.ts";

export function OverviewTab({ application }: { application: ConsoleApplication }) {
  const form = useAuthLink(application);
  return (
    <Stack gap="lg">
      <Facts application={application} />
      <AuthLinkCard application={application} form={form} />
      <SamplesCard application={application} form={form} />
    </Stack>
  );
}

function Facts({ application }: { application: ConsoleApplication }) {
  const { id, connections, recent_executions, created_at } = application;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Fact name="Connections">
        <Anchor component={Link} href={`/applications/${id}/connections`} inherit>
          {connections.toLocaleString("en")}
        </Anchor>
      </Fact>
      <Fact name="Executions in 24 hours">
        <Anchor component={Link} href={`/applications/${id}/executions`} inherit>
          {recent_executions.toLocaleString("en")}
        </Anchor>
      </Fact>
      <Fact name="May do">{application.access === "read_only" ? "Look only" : "Look and act"}</Fact>
      <Fact name="Registered">
        <Moment at={created_at} />
      </Fact>
    </SimpleGrid>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
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
