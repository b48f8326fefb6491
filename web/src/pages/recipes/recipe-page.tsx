import "../connections/connections.css";
import "../executions/execution-page.css";
import "./recipes.css";
import { Alert, Anchor, Button, Card, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link, useParams } from "wouter";
import type { ConsoleRecipe, RecipeExecution } from "../../../../src/contract/console/recipes.ts";
import { ConsoleError } from "../../api/client.ts";
import { recipeQuery, useChangeRecipe } from "../../api/recipes.ts";
import { CopyButton } from "../../components/copy.tsx";
import { ErrorAlert, ErrorPage, LoadingPage } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { Empty, Fact, PageTitle, Panel, Scrollable } from "../../components/page.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { cleanText, UntrustedText, UntrustedUrl } from "../../components/untrusted-text.tsx";
import { OutcomeBadge } from "../executions/outcome.tsx";
import { RecipeActions } from "./recipe-actions.tsx";
import { RecipeSteps, RecipeVariables, RecipeWrites } from "./recipe-content.tsx";
import {
  describeUsers,
  formatCount,
  formatSeconds,
  ORIGIN_WORDS,
  RecipeOutcomeBadge,
  RecipeStateBadge,
  RecipesOffReason,
  Slotted,
} from "./recipe-words.tsx";
import { Statistics } from "./statistics.tsx";
import { Versions } from "./versions.tsx";

export function RecipePage() {
  const { id = "" } = useParams();
  const { data, error, refetch } = useQuery(recipeQuery(id));
  if (error instanceof ConsoleError && (error.status === 404 || error.status === 403)) return <RecipeNotFound />;
  if (data !== undefined) return <LoadedRecipe key={id} recipe={data} />;
  return error === null ? <LoadingPage /> : <ErrorPage error={error} onRetry={() => void refetch()} />;
}

export function RecipeNotFound() {
  return (
    <>
      <PageTitle title="Recipe" />
      <Empty title="Recipe not found">
        It may have been deleted, or you may not have access to it.{" "}
        <Anchor component={Link} href="/recipes" underline="always">
          View all recipes
        </Anchor>
      </Empty>
    </>
  );
}

const TAB_TITLE_LENGTH = 60;

function LoadedRecipe({ recipe }: { recipe: ConsoleRecipe }) {
  useEffect(() => {
    document.title = `${cleanText(recipe.template).slice(0, TAB_TITLE_LENGTH)} · Errand`;
  }, [recipe.template]);
  return (
    <>
      <Header recipe={recipe} />
      <div className="execution-columns">
        <Stack gap="lg" miw={0}>
          {recipe.turned_off !== null && (
            <Alert color="gray" title="Recipes are turned off" role="status">
              <RecipesOffReason by={recipe.turned_off} applicationId={recipe.application.id} />
            </Alert>
          )}
          {recipe.state !== "active" && <UnusedNotice recipe={recipe} />}
          <Panel title="Steps">
            <RecipeSteps content={recipe} />
          </Panel>
          <div className="recipe-pair">
            <Panel title="Variables">
              <RecipeVariables variables={recipe.variables} />
            </Panel>
            <Panel title="What it sends">
              <RecipeWrites writes={recipe.writes} />
            </Panel>
          </div>
          <Statistics title="Runs and savings" statistics={recipe.statistics} days={recipe.days} />
          <LastErrands recipe={recipe} />
          <Versions recipe={recipe} />
        </Stack>
        <Stack component="aside" gap="lg" aria-label="About this recipe" className="execution-aside">
          <Details recipe={recipe} />
        </Stack>
      </div>
    </>
  );
}

function Header({ recipe }: { recipe: ConsoleRecipe }) {
  const { state, template, variables, application, version, updated_at } = recipe;
  return (
    <header className="execution-header">
      <Anchor component={Link} href="/recipes" size="sm" className="back-link">
        <Icon name="left" size={14} /> Recipes
      </Anchor>
      <div className="execution-heading">
        <div className="execution-prompt">
          <RecipeStateBadge state={state} />
          <Title order={1} size="h3" fw={600} className="pre-wrap">
            <Slotted variables={variables}>{template}</Slotted>
          </Title>
        </div>
        <RecipeActions recipe={recipe} />
      </div>
      <Group gap="xs" className="execution-about">
        <span>
          <UntrustedText>{application.name}</UntrustedText> for <UntrustedText>{describeUsers(recipe)}</UntrustedText>
        </span>
        <span aria-hidden="true">·</span>
        <span>version {version}</span>
        <span aria-hidden="true">·</span>
        <span>
          changed <RelativeTime at={updated_at} />
        </span>
      </Group>
    </header>
  );
}

/** Why it is not used, with a button that changes that. */
function UnusedNotice({ recipe: { id, state } }: { recipe: ConsoleRecipe }) {
  const change = useChangeRecipe(id);
  return (
    <Alert
      color={state === "set_aside" ? "yellow" : "gray"}
      title={state === "set_aside" ? "This recipe was set aside" : "This recipe is disabled"}
      role="status"
    >
      <Stack gap="sm" align="start">
        <Text size="sm">
          {state === "set_aside"
            ? "It failed several times in a row and isn't used any more. Its last errands show at which step. Edit it or check the site, then enable it again."
            : "Errands of this kind run as if there were no recipe, until you enable it."}
        </Text>
        {change.error !== null && <ErrorAlert error={change.error} />}
        <Button
          size="xs"
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate({ state: "active" })}
        >
          Enable
        </Button>
      </Stack>
    </Alert>
  );
}

function LastErrands({ recipe: { executions, version, variables } }: { recipe: ConsoleRecipe }) {
  return (
    <Panel title="Last errands">
      {executions.length === 0 ? (
        <Text size="sm" c="dimmed">
          No errand has run with this recipe yet.
        </Text>
      ) : (
        <ul className="plain-list ruled" aria-label="Last errands">
          {executions.map((execution) => (
            <li key={execution.id}>
              <ErrandLink execution={execution} variables={variables} isOld={execution.version !== version} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface ErrandLinkProps {
  execution: RecipeExecution;
  variables: ConsoleRecipe["variables"];
  /** Whether it ran with an earlier version. */
  isOld: boolean;
}

function ErrandLink({ execution, variables, isOld }: ErrandLinkProps) {
  const { id, version, status, terminal, outcome, values, created_at } = execution;
  // In the order of the template. An earlier version may have had other variables.
  const names = [...new Set([...variables.map(({ name }) => name), ...Object.keys(values)])];
  const said = names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]] as const]));
  return (
    <Link href={`/executions/${id}`} className="list-link recipe-errand">
      <span className="recipe-errand-values">
        {said.length === 0 && "No variables"}
        {said.map(([name, value]) => (
          <span key={name}>
            <Text span inherit c="dimmed">
              {name}:
            </Text>{" "}
            <UntrustedText>{value}</UntrustedText>{" "}
          </span>
        ))}
      </span>
      <Group gap="xs" className="recipe-errand-outcome">
        {outcome !== null && <RecipeOutcomeBadge outcome={outcome} />}
        <OutcomeBadge status={status} terminal={terminal} />
      </Group>
      <Text span size="xs" c="dimmed">
        <RelativeTime at={created_at} />
        {isOld && ` · version ${version}`}
      </Text>
    </Link>
  );
}

function Details({ recipe }: { recipe: ConsoleRecipe }) {
  const { application, start_url, origin, learned_from, output_schema, created_at } = recipe;
  return (
    <Card withBorder component="section" aria-labelledby="facts-title">
      <Title order={2} size="h5" id="facts-title" mb="sm">
        Details
      </Title>
      <dl className="facts">
        <Fact name="Application">
          <Anchor component={Link} href={`/applications/${application.id}`} inherit>
            <UntrustedText>{application.name}</UntrustedText>
          </Anchor>
        </Fact>
        <Fact name="Used for">
          <UntrustedText>{describeUsers(recipe)}</UntrustedText>
        </Fact>
        <Fact name="Start page">{start_url === null ? "The home page" : <UntrustedUrl>{start_url}</UntrustedUrl>}</Fact>
        <Fact name="Current version">{ORIGIN_WORDS[origin]}</Fact>
        {learned_from !== null && (
          <Fact name="The run it was learned from">
            {learned_from.tokens === 0 ? "No model" : `${formatCount(learned_from.tokens)} tokens`},{" "}
            {formatSeconds(learned_from.seconds)}
          </Fact>
        )}
        <Fact name="Created">
          <RelativeTime at={created_at} />
        </Fact>
        <Fact name="ID">
          <Code className="wrap-anywhere">{recipe.id}</Code>
          <br />
          <CopyButton value={recipe.id} label="Copy ID" />
        </Fact>
        {output_schema !== null && (
          <Fact name="Requested data">
            <details>
              <summary>JSON Schema</summary>
              <Scrollable label="JSON Schema" className="data-json">
                <UntrustedText>{JSON.stringify(output_schema, null, 2)}</UntrustedText>
              </Scrollable>
            </details>
          </Fact>
        )}
      </dl>
    </Card>
  );
}
