import { Anchor, Card, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import type { Artifact, ArtifactKind } from "../../../../src/contract/execution.ts";
import { artifactUrl } from "../../api/executions.ts";
import { CopyButton } from "../../components/copy.tsx";
import { countOf } from "../../components/count.ts";
import { Icon } from "../../components/icons.tsx";
import { Fact, Scrollable } from "../../components/page.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { cleanText, UntrustedText, UntrustedUrl } from "../../components/untrusted-text.tsx";
import { writeFilter } from "./list-filter.ts";
import { describeCost, type Trace } from "./trace.ts";

export function ExecutionFacts({ data, trace }: { data: ConsoleExecution; trace: Trace }) {
  const { execution, application, connection, may_run_again } = data;
  return (
    <Card withBorder component="section" aria-labelledby="facts-title">
      <Title order={2} size="h5" id="facts-title" mb="sm">
        Details
      </Title>
      <dl className="facts">
        <Fact name="Application">
          {may_run_again ? (
            <Anchor component={Link} href={`/applications/${application.id}`} inherit>
              <UntrustedText>{application.name}</UntrustedText>
            </Anchor>
          ) : (
            <UntrustedText>{application.name}</UntrustedText>
          )}
        </Fact>
        <Fact name="User">
          <Anchor component={Link} href={`/executions?${writeFilter({ connection_id: connection.id })}`} inherit>
            <UntrustedText>{connection.user_email}</UntrustedText>
          </Anchor>
        </Fact>
        {execution.start_url !== null && (
          <Fact name="Start page">
            <UntrustedUrl>{execution.start_url}</UntrustedUrl>
          </Fact>
        )}
        <Fact name="Created">
          <RelativeTime at={execution.created_at} />
        </Fact>
        <Fact name="Steps">{trace.steps.length}</Fact>
        {trace.cost !== null && (
          <Fact name="Model">
            <UntrustedText>{trace.cost.model}</UntrustedText>
            <br />
            {describeCost(trace.cost)}
          </Fact>
        )}
        <Fact name="ID">
          <Code className="wrap-anywhere">{execution.id}</Code>
          <br />
          <CopyButton value={execution.id} label="Copy ID" />
        </Fact>
        {execution.output_schema !== null && (
          <Fact name="Requested data">
            <details>
              <summary>JSON Schema</summary>
              <Scrollable label="JSON Schema" className="data-json">
                <UntrustedText>{JSON.stringify(execution.output_schema, null, 2)}</UntrustedText>
              </Scrollable>
            </details>
          </Fact>
        )}
      </dl>
    </Card>
  );
}

const ABOUT: Record<ArtifactKind, string> = {
  download: "Downloaded from the site, never opened",
  page: "The last page as text",
  network: "Requests that may have changed something",
  provenance: "Where each extracted value was found",
  screenshot: "Screenshot",
};
const UNITS = ["B", "kB", "MB", "GB"];

/** Files kept from the errand. Downloads come first. Screenshots are collapsed: the timeline shows them. */
export function FilesCard({ executionId, artifacts }: { executionId: string; artifacts: readonly Artifact[] }) {
  const [showsScreenshots, setShowsScreenshots] = useState(false);
  const screenshots = artifacts.filter(({ kind }) => kind === "screenshot");
  const downloads = artifacts.filter(({ kind }) => kind === "download");
  const others = artifacts.filter(({ kind }) => kind !== "screenshot" && kind !== "download");
  if (artifacts.length === 0) return null;
  return (
    <Card withBorder component="section" aria-labelledby="files-title">
      <Title order={2} size="h5" id="files-title" mb="sm">
        Files
      </Title>
      <Stack component="ul" gap="sm" className="plain-list">
        {[...downloads, ...others, ...(showsScreenshots ? screenshots : [])].map((artifact) => (
          <li key={artifact.id}>
            <FileLine executionId={executionId} artifact={artifact} />
          </li>
        ))}
      </Stack>
      {!showsScreenshots && screenshots.length > 0 && (
        <Anchor component="button" type="button" size="sm" mt="sm" ta="start" onClick={() => setShowsScreenshots(true)}>
          Show {countOf(screenshots.length, "screenshot")}
        </Anchor>
      )}
    </Card>
  );
}

function FileLine({ executionId, artifact: { id, kind, name, bytes } }: { executionId: string; artifact: Artifact }) {
  return (
    <Group gap="xs" wrap="nowrap" align="start" className="file-line">
      <Icon name="download" size={16} />
      <div>
        <Anchor href={artifactUrl(executionId, id)} download={cleanText(name)} size="sm">
          <UntrustedText>{name}</UntrustedText>
        </Anchor>
        <Text size="xs" c="dimmed">
          {ABOUT[kind]} · {formatBytes(bytes)}
        </Text>
      </div>
    </Group>
  );
}

function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1_000 ** power;
  return `${amount.toFixed(power === 0 || amount >= 100 ? 0 : 1)} ${UNITS[power]}`;
}
