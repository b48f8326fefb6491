import "../applications/applications.css";
import "../executions/execution-page.css";
import "./recipes.css";
import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams, useSearchParams } from "wouter";
import type { ConsoleRecipe } from "../../../../src/contract/console/recipes.ts";
import { ConsoleError } from "../../api/client.ts";
import { recipeQuery, useSaveVersion } from "../../api/recipes.ts";
import { ErrorAlert, ErrorPage, LoadingPage } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { PageTitle } from "../../components/page.tsx";
import { RecipeEditor, useCheck } from "./recipe-editor.tsx";
import { RecipeNotFound } from "./recipe-page.tsx";
import { Slotted } from "./recipe-words.tsx";

export function EditRecipePage() {
  const { id = "" } = useParams();
  const { data, error, refetch } = useQuery(recipeQuery(id));
  if (error instanceof ConsoleError && (error.status === 404 || error.status === 403)) return <RecipeNotFound />;
  if (data !== undefined) return <EditRecipe key={id} recipe={data} />;
  return error === null ? <LoadingPage /> : <ErrorPage error={error} onRetry={() => void refetch()} />;
}

/** Edits the file of a recipe and saves it as a new version. */
function EditRecipe({ recipe }: { recipe: ConsoleRecipe }) {
  const { id } = recipe;
  const [, navigate] = useLocation();
  const from = Number(useSearchParams()[0].get("from") ?? recipe.version);
  const earlier = recipe.versions.find(({ version }) => version === from);
  const [text, setText] = useState(earlier?.yaml ?? recipe.yaml);
  // The recipe may get a newer version while it is being edited: then saving says so.
  const [basedOn, setBasedOn] = useState(recipe.version);
  const [saved] = useState(recipe.yaml);
  const checked = useCheck(text);
  const saving = useSaveVersion(id);
  const isChanged = text !== saved;
  useLeaveWarning(isChanged && !saving.isSuccess);
  const page = `/recipes/${id}`;

  function save() {
    saving.mutate(
      { yaml: text, version: basedOn },
      {
        onSuccess({ version }) {
          navigate(page);
          notifications.show({ message: `Saved as version ${version}. It applies from the next errand.` });
        },
      },
    );
  }

  return (
    <>
      <Anchor component={Link} href={page} size="sm" className="back-link">
        <Icon name="left" size={14} /> Recipe
      </Anchor>
      <PageTitle title="Edit recipe" about={<Slotted variables={recipe.variables}>{recipe.template}</Slotted>} />
      <form
        aria-label="Edit recipe"
        className="on-ground"
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && checked.check?.content != null) save();
        }}
      >
        <Stack gap="md">
          <RecipeEditor text={text} checked={checked} onChange={setText} />
          <Stack gap="sm" className="form-end">
            {saving.error !== null &&
              (isOutdated(saving.error) ? (
                <NewerVersion id={id} onRebase={setBasedOn} onClose={saving.reset} />
              ) : (
                <ErrorAlert error={saving.error} />
              ))}
            <Group justify="end">
              <Button variant="default" component={Link} href={page}>
                Cancel
              </Button>
              <Button type="submit" loading={saving.isPending} disabled={!isChanged || checked.check?.content == null}>
                Save as version {basedOn + 1}
              </Button>
            </Group>
          </Stack>
        </Stack>
      </form>
    </>
  );
}

function isOutdated(error: Error): boolean {
  return error instanceof ConsoleError && error.code === "RECIPE_CHANGED";
}

interface NewerVersionProps {
  id: string;
  onRebase: (version: number) => void;
  onClose: () => void;
}

/** Somebody else, or a healed errand, was faster. The text stays, and nothing is lost: all versions are kept. */
function NewerVersion({ id, onRebase, onClose }: NewerVersionProps) {
  const client = useQueryClient();
  const [error, setError] = useState<Error | null>(null);
  async function rebase() {
    try {
      const { version } = await client.fetchQuery({ ...recipeQuery(id), staleTime: 0 });
      onRebase(version);
      onClose();
    } catch (error) {
      setError(error instanceof Error ? error : new Error(String(error)));
    }
  }
  return (
    <Alert color="yellow" title="There is a newer version" role="alert">
      <Stack gap="sm" align="start">
        <Text size="sm">
          The recipe was changed since you opened it, and your text wasn't saved. Compare it with the newest version,
          then decide whether yours should follow it.
        </Text>
        {error !== null && <ErrorAlert error={error} />}
        <Group gap="sm">
          <Button
            size="xs"
            variant="default"
            component="a"
            href={`/console/recipes/${id}`}
            target="_blank"
            rel="noopener"
          >
            View the newest version
          </Button>
          <Button size="xs" variant="default" onClick={() => void rebase()}>
            Keep my text
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** Asks before the tab is closed or reloaded. */
export function useLeaveWarning(isUnsaved: boolean): void {
  useWindowEvent("beforeunload", (event) => {
    if (isUnsaved) event.preventDefault();
  });
}
