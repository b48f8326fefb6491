import { Anchor, Badge, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { countOf } from "./count-of.ts";

export function ApplicationList({ applications }: { applications: ConsoleApplication[] }) {
  return (
    <ul className="record-rows" aria-label="Applications">
      {applications.map((application) => (
        <li key={application.id} className="record-row application-record">
          <div className="record-main">
            <Anchor
              component={Link}
              href={`/applications/${application.id}`}
              fw={600}
              className="record-link wrap-anywhere"
            >
              <ForeignText>{application.name}</ForeignText>
            </Anchor>
            <Text size="sm" c="dimmed" className="wrap-anywhere">
              {describeSites(application)}
            </Text>
          </div>
          <div className="record-rest">
            <div className="record-badges">
              <Badge variant="default" tt="capitalize">
                {application.type}
              </Badge>
              {application.access === "read_only" && (
                <Badge variant="default" tt="none">
                  Read only
                </Badge>
              )}
            </div>
            <Text size="sm" c="dimmed">
              {countOf(application.connections, "connection")}
            </Text>
            <Text size="sm" c="dimmed">
              {countOf(application.recent_executions, "execution")} in 24 hours
            </Text>
          </div>
        </li>
      ))}
    </ul>
  );
}

const SHOWN_SITES = 3;

function describeSites({ home_url, sign_in_url, allowed_hosts }: ConsoleApplication): string {
  const addresses = [home_url, sign_in_url].flatMap((address) => URL.parse(address ?? "")?.host ?? []);
  const hosts = [...new Set([...addresses, ...allowed_hosts])];
  if (hosts.length === 0) return "Any site that a prompt names";
  const more = hosts.length - SHOWN_SITES;
  return `${hosts.slice(0, SHOWN_SITES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
