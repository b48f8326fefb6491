import { Button, Card, Grid, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { Execution } from "../../../../../src/contract/execution.ts";
import { useMe } from "../../../api/me.ts";
import { Code } from "../../../parts/code.tsx";
import { writeCurl } from "./write-curl.ts";

/** From here on it is their own application. */
export function WhatNext({ execution, applicationId }: { execution: Execution; applicationId: string }) {
  const { public_url, person } = useMe();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Card withBorder component="section">
          <Stack align="start">
            <Stack gap={6}>
              <Title order={2} size="h5">
                Next: your own application
              </Title>
              <Text size="sm" c="dimmed">
                It gets a link with which people connect, and a token for each of them. Errands then run in a browser
                that is signed in as them.
              </Text>
            </Stack>
            <Button component={Link} href="/applications?new">
              Create your application
            </Button>
          </Stack>
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Card withBorder component="section">
          <Stack gap="sm">
            <Title order={2} size="h5">
              Or the same errand from a terminal
            </Title>
            <Text size="sm" c="dimmed">
              A token first, then the request:
            </Text>
            <Code>{`bin/errand connect --application ${applicationId} --user ${person.email}`}</Code>
            <Code>{writeCurl({ publicUrl: public_url, applicationId, execution })}</Code>
          </Stack>
        </Card>
      </Grid.Col>
    </Grid>
  );
}
