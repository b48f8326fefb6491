import "../connections/connections.css";
import "../applications/applications.css";
import "./recipes.css";
import { Alert, Anchor, Button, Group, NativeSelect, Skeleton, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import type { RecipeItem, RecipeState } from "../../../../src/contract/console/recipes.ts";
import { useMe } from "../../api/account.ts";
import { applicationsQuery } from "../../api/applications.ts";
import { type RecipeFilter, recipesQuery, savingsQuery } from "../../api/recipes.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Empty, Fact, PageTitle } from "../../components/page.tsx";
import { DelayedSearch, MoreRows, NoMatch } from "../../components/searchable-list.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { cleanText, UntrustedText } from "../../components/untrusted-text.tsx";
import {
  describeSuccess,
  describeUsers,
  formatCount,
  formatSeconds,
  RecipeStateBadge,
  RecipesOffForInstallation,
  Slotted,
  STATE_WORDS,
} from "./recipe-words.tsx";
import { Statistics } from "./statistics.tsx";

export function RecipesPage() {
  if (useMe().owner === null) {
    return (
      <>
        <PageTitle title="Recipes" />
        <Empty title="Recipes belong to applications">
          Only the owner of an application sees its recipes. What ran for you is under{" "}
          <Anchor component={Link} href="/executions" underline="always">
            Errands
          </Anchor>
          .
        </Empty>
      </>
    );
  }
  return <OwnRecipes />;
}

function OwnRecipes() {
  const [filter, setFilter] = useFilter();
  const isFiltered = Object.keys(filter).length > 0;
  const query = useInfiniteQuery(recipesQuery(filter));
  const recipes = query.data?.pages.flatMap((page) => page.recipes);
  const isOff = query.data?.pages[0]?.is_on === false;
  const isNone = recipes?.length === 0 && !isFiltered && !query.isPlaceholderData;
  return (
    <>
      <PageTitle
        title="Recipes"
        about="What verified errands did, as steps with variables. Errands of the same kind run without a model."
        actions={
          <Button variant="default" component={Link} href="/recipes/import">
            Import
          </Button>
        }
      />
      {isOff && (
        <Alert color="gray" title="Recipes are turned off" role="status" mb="lg">
          <RecipesOffForInstallation />
        </Alert>
      )}
      {isNone ? (
        <NoRecipes isOff={isOff} />
      ) : (
        <>
          <Savings applicationId={filter.application_id} />
          <Toolbar filter={filter} onChange={setFilter} />
          {recipes === undefined && query.error === null && <LoadingRows />}
          {recipes === undefined && query.error !== null && (
            <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
          )}
          {recipes?.length === 0 && <NoMatch noun="recipe" onClear={() => setFilter({})} />}
          {recipes !== undefined && recipes.length > 0 && (
            <ul className="record-rows" aria-label="Recipes" aria-busy={query.isPlaceholderData}>
              {recipes.map((recipe) => (
                <RecipeRow key={recipe.id} recipe={recipe} />
              ))}
            </ul>
          )}
          <MoreRows
            hasMore={query.hasNextPage}
            isLoading={query.isFetchingNextPage}
            error={query.isFetchNextPageError ? query.error : null}
            onLoad={query.fetchNextPage}
          />
        </>
      )}
    </>
  );
}

/** The filter is in the URL, so that a link leads to the same list. */
function useFilter(): [RecipeFilter, (filter: RecipeFilter) => void] {
  const [parameters, setParameters] = useSearchParams();
  const application_id = parameters.get("application_id") ?? "";
  const state = parameters.get("state") ?? "";
  const text = parameters.get("text") ?? "";
  const filter: RecipeFilter = {
    ...(application_id === "" ? {} : { application_id }),
    ...(isState(state) ? { state } : {}),
    ...(text === "" ? {} : { text }),
  };
  return [filter, (changed) => setParameters({ ...changed }, { replace: true })];
}

function isState(text: string): text is RecipeState {
  return Object.hasOwn(STATE_WORDS, text);
}

function Savings({ applicationId }: { applicationId: string | undefined }) {
  const { data, error, refetch } = useQuery(savingsQuery(applicationId));
  return (
    <div className="recipe-savings">
      {data !== undefined && <Statistics title="Saved so far" statistics={data.total} days={data.days} />}
      {data === undefined && error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton className="recipe-savings-loading" />}
    </div>
  );
}

function Toolbar({ filter, onChange }: { filter: RecipeFilter; onChange: (filter: RecipeFilter) => void }) {
  const applications = useQuery(applicationsQuery).data ?? [];
  const { text: _text, ...withoutText } = filter;
  const { application_id: chosen = "", ...withoutApplication } = filter;
  const { state = "", ...withoutState } = filter;
  return (
    <search className="recipe-toolbar">
      <DelayedSearch
        label="Search recipes"
        text={filter.text ?? ""}
        onChange={(text) => onChange(text === "" ? withoutText : { ...withoutText, text })}
      />
      <NativeSelect
        aria-label="Application"
        data={[
          { value: "", label: "Any application" },
          ...applications.map(({ id, name }) => ({ value: id, label: cleanText(name) })),
        ]}
        value={chosen}
        onChange={({ currentTarget: { value } }) =>
          onChange(value === "" ? withoutApplication : { ...withoutApplication, application_id: value })
        }
      />
      <NativeSelect
        aria-label="State"
        data={[
          { value: "", label: "Any state" },
          ...Object.entries(STATE_WORDS).map(([value, { label }]) => ({ value, label })),
        ]}
        value={state}
        onChange={({ currentTarget: { value } }) =>
          onChange(isState(value) ? { ...withoutState, state: value } : withoutState)
        }
      />
    </search>
  );
}

function RecipeRow({ recipe }: { recipe: RecipeItem }) {
  const { id, state, turned_off, template, application, statistics } = recipe;
  return (
    <li className="record-row recipe-record">
      <div className="record-main">
        <Anchor component={Link} href={`/recipes/${id}`} fw={500} c="inherit" className="record-link recipe-link">
          <Slotted>{template}</Slotted>
        </Anchor>
        <Text size="sm" c="dimmed" className="wrap-anywhere">
          <UntrustedText>{application.name}</UntrustedText> · <UntrustedText>{describeUsers(recipe)}</UntrustedText>
          {statistics.last_run_at !== null && (
            <>
              {" "}
              · ran <RelativeTime at={statistics.last_run_at} />
            </>
          )}
          {turned_off === "application" && " · turned off in the application's settings"}
        </Text>
      </div>
      <RecipeStateBadge state={state} />
      <dl className="recipe-facts figures">
        <Fact name="Runs">{formatCount(statistics.runs)}</Fact>
        <Fact name="Success">{describeSuccess(statistics)}</Fact>
        <Fact name="Healed">{formatCount(statistics.healed)}</Fact>
        <Fact name="Tokens saved">{formatCount(statistics.tokens_saved)}</Fact>
        <Fact name="Time saved">{formatSeconds(statistics.seconds_saved)}</Fact>
      </dl>
    </li>
  );
}

function NoRecipes({ isOff }: { isOff: boolean }) {
  if (isOff) return <Empty title="No recipes">Import one to have it ready for when recipes are turned on.</Empty>;
  return (
    <Empty title="No recipes yet">
      A recipe is what a verified errand did, kept as steps with variables, so that the next errand of its kind runs
      without a model. When an errand is verified and its steps can be repeated, Errand makes a recipe of it by itself.
      <Group justify="center" mt="md">
        <Button component={Link} href="/">
          Run an errand
        </Button>
      </Group>
    </Empty>
  );
}
