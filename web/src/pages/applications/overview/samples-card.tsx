import { Card, Tabs, Text, Title } from "@mantine/core";
import type { ConsoleApplication } from "../../../../../src/contract/console/applications.ts";
import { Code } from "../../../parts/code.tsx";
import { curlSample } from "./curl-sample.ts";
import { typescriptSample } from "./typescript-sample.ts";
import type { AuthLinkForm } from "./use-auth-link.ts";

/** From the link to the result, with the ids of this application filled in. */
export function SamplesCard({ application, form }: { application: ConsoleApplication; form: AuthLinkForm }) {
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby="samples">
      <Title order={2} size="h4" id="samples">
        From your program
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Authorize, exchange the code, create an execution, poll for the result.
      </Text>
      <Tabs defaultValue="curl" keepMounted={false} variant="outline">
        <Tabs.List aria-label="Language of the example">
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
