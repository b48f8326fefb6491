import { Anchor, Card, Code, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Artifact, ArtifactKind } from "../../../../src/contract/artifact.ts";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import { artifactUrl } from "../../api/executions.ts";
import { CopyButton } from "../../components/copy.tsx";
import { Icon } from "../../components/icons.tsx";
import { Scrollable } from "../../components/page.tsx";
import { Moment } from "../../components/time.tsx";
import { cleanText, UntrustedText, UntrustedUrl } from "../../components/untrusted-text.tsx";
import { writeFilter } from "./list-filter.ts";
import { describeCost, type Run } from "./trace.ts";

/** What else there is to know about it. */
export function ExecutionFacts({ seen, run }: { seen: ConsoleExecution; run: Run }) {
  const { execution, application, connection, may_run_again } = seen;
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
          <Fact name="Starts at">
            <UntrustedUrl>{execution.start_url}</UntrustedUrl>
          </Fact>
        )}
        <Fact name="Created">
          <Moment at={execution.created_at} />
        </Fact>
        <Fact name="Steps">{run.steps.length}</Fact>
        {run.cost !== null && (
          <Fact name="Model">
            <UntrustedText>{run.cost.model}</UntrustedText>
            <br />
            {describeCost(run.cost)}
          </Fact>
        )}
        <Fact name="Id">
          <Code className="wrap-anywhere">{execution.id}</Code>
          <br />
          <CopyButton value={execution.id} label="Copy id" />
        </Fact>
        {execution.output_schema !== null && (
          <Fact name="Data asked for">
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const ABOUT: Record<ArtifactKind, string> = {
  download: "Sent by the site. It was never opened.",
  page: "The last page, as the agent read it",
  network: "Every request that may have changed something",
  provenance: "Where each extracted value stood",
  screenshot: "A picture",
};
const units = ["B", "kB", "MB", "GB"];

/** What the run has kept: downloads first, pictures only on request, since the timeline shows them. */
export function FilesCard({ executionId, artifacts }: { executionId: string; artifacts: readonly Artifact[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const pictures = artifacts.filter(({ kind }) => kind === "screenshot");
  const downloads = artifacts.filter(({ kind }) => kind === "download");
  const others = artifacts.filter(({ kind }) => kind !== "screenshot" && kind !== "download");
  if (artifacts.length === 0) return null;
  return (
    <Card withBorder component="section" aria-labelledby="files-title">
      <Title order={2} size="h5" id="files-title" mb="sm">
        Files
      </Title>
      <Stack component="ul" gap="sm" className="plain-list">
        {[...downloads, ...others, ...(isWhole ? pictures : [])].map((artifact) => (
          <li key={artifact.id}>
            <FileLine executionId={executionId} artifact={artifact} />
          </li>
        ))}
      </Stack>
      {!isWhole && pictures.length > 0 && (
        <Anchor component="button" type="button" size="sm" mt="sm" ta="start" onClick={() => setIsWhole(true)}>
          {pictures.length === 1 ? "and a picture" : `and ${pictures.length} pictures`}
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
          {ABOUT[kind]}, {tellSize(bytes)}
        </Text>
      </div>
    </Group>
  );
}

function tellSize(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1_000 ** power;
  return `${amount.toFixed(power === 0 || amount >= 100 ? 0 : 1)} ${units[power]}`;
}
