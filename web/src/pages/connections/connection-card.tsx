import { Avatar, Card, Title } from "@mantine/core";
import { useId } from "react";
import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { Fact } from "../../parts/fact.tsx";
import { cleanText, ForeignText } from "../../parts/foreign-text.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ConnectionActions } from "./connection-actions.tsx";
import { ConnectionStanding } from "./connection-standing.tsx";
import { HostList } from "./host-list.tsx";
import { LastRun } from "./last-run.tsx";

const MAY = {
  all: "Open pages, read what you can see there, and act in your name: fill in forms, send messages, place orders.",
  read_only: "Open pages and read what you can see there. It changes nothing.",
};

/** One application that may act for whoever is looking, in their words. */
export function ConnectionCard({ connection }: { connection: ConsoleConnection }) {
  const { application, signed_in_at, created_at, last_execution } = connection;
  const titleId = useId();
  return (
    <Card component="li" withBorder padding="lg" aria-labelledby={titleId}>
      <div className="connection-head">
        <Avatar radius="md" color="teal" aria-hidden="true" className="keeps-width">
          {[...cleanText(application.name).trim()][0]?.toUpperCase()}
        </Avatar>
        <div className="record-main">
          <Title order={2} size="h4" id={titleId} className="wrap-anywhere">
            <ForeignText>{application.name}</ForeignText>
          </Title>
          <ConnectionStanding connection={connection} voice="user" />
        </div>
        <ConnectionActions connection={connection} voice="user" />
      </div>
      <dl className="connection-facts">
        <Fact name="It may">{MAY[application.access]}</Fact>
        <Fact name="Where">
          <HostList hosts={application.hosts} />
        </Fact>
        <Fact name="Since">
          <Moment at={created_at} />
        </Fact>
        <Fact name="Last run">
          <LastRun execution={last_execution} />
        </Fact>
        <Fact name="Your sign-in">
          {signed_in_at === null ? (
            "None is saved: it acts as a stranger to the site."
          ) : (
            <>
              Saved <Moment at={signed_in_at} />, sealed. The site knows you when it runs; your password is not kept.
            </>
          )}
        </Fact>
      </dl>
    </Card>
  );
}
