import { Anchor, Button, Card, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import type { ExecutionRecipe, RecipeDraft } from "../../../../src/contract/console/recipes.ts";
import { useSaveAsRecipe } from "../../api/recipes.ts";
import { ErrorAlert } from "../../components/feedback.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { RecipeStateBadge, RecipesOffReason } from "../recipes/recipe-words.tsx";
import { RunRecipe } from "../recipes/run-recipe.tsx";
import type { RecipeNote } from "./trace.ts";

interface RecipeCardProps {
  data: ConsoleExecution;
  notes: readonly RecipeNote[];
}

/** The recipe that the errand ran with or became, a way to make it one, or why that cannot be. */
export function RecipeCard({ data, notes }: RecipeCardProps) {
  const { recipe, recipe_draft: draft } = data;
  const [isSaving, setIsSaving] = useState(false);
  const notLearned = notes.find(({ outcome }) => outcome === "not_learned");
  const said = recipe === null ? describeUnknown(notes) : describe(recipe);
  if (said === null && notLearned === undefined && draft === null) return null;
  return (
    <Card withBorder component="section" aria-labelledby="recipe-title">
      <Title order={2} size="h5" id="recipe-title" mb="sm">
        Recipe
      </Title>
      <Stack gap="xs" align="start">
        {said !== null && <Text size="sm">{said}</Text>}
        <Departure notes={notes} />
        {recipe !== null && <NextVersion recipe={recipe} notes={notes} />}
        {notLearned !== undefined && (
          <Note>
            {recipe === null ? "This errand can't become a recipe. " : "No new version was learned. "}
            <UntrustedText>{notLearned.reason}</UntrustedText>
          </Note>
        )}
        {draft !== null && <SaveAsRecipe id={data.execution.id} draft={draft} onSave={() => setIsSaving(true)} />}
        {recipe !== null && (
          <>
            {recipe.state !== "active" && <RecipeStateBadge state={recipe.state} />}
            {recipe.turned_off !== null && (
              <Note>
                <RecipesOffReason by={recipe.turned_off} applicationId={data.application.id} />
              </Note>
            )}
            <RecipeLink id={recipe.id} takesFocus={isSaving} />
          </>
        )}
      </Stack>
    </Card>
  );
}

interface SaveAsRecipeProps {
  /** Of the execution. */
  id: string;
  draft: RecipeDraft;
  /** Called when the button is pressed: once it is saved, this component may be gone. */
  onSave: () => void;
}

/** For an errand from which nothing was learned by itself. */
function SaveAsRecipe({ id, draft: { next_version_of: same }, onSave }: SaveAsRecipeProps) {
  const save = useSaveAsRecipe(id);
  if (same?.state === "active") {
    return (
      <>
        <Text size="sm">This user has a recipe for errands like this one.</Text>
        <RecipeLink id={same.id} />
      </>
    );
  }
  return (
    <>
      <Text size="sm">
        {same === null
          ? "Nothing was learned from this errand. Save it as a recipe, and errands like it run without a model."
          : "This user's recipe for errands like this one is not in use. Save what this errand did as its next version to use it again."}
      </Text>
      <Button
        size="xs"
        variant="default"
        loading={save.isPending}
        onClick={() => {
          onSave();
          save.mutate();
        }}
      >
        {same === null ? "Save as recipe" : `Save as version ${same.version + 1}`}
      </Button>
      {same !== null && <RecipeLink id={same.id} />}
      {save.error !== null && <ErrorAlert error={save.error} />}
    </>
  );
}

/** It takes the focus when the button that was pressed is gone. */
function RecipeLink({ id, takesFocus = false }: { id: string; takesFocus?: boolean }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (takesFocus) link.current?.focus();
  }, [takesFocus]);
  return (
    <Anchor component={Link} ref={link} href={`/recipes/${id}`} size="sm">
      View the recipe
    </Anchor>
  );
}

/** Where the recipe could not be followed, and what came of that. */
function Departure({ notes }: Pick<RecipeCardProps, "notes">) {
  const note = notes.find(({ outcome }) => outcome === "healed" || outcome === "failed");
  if (note === undefined) return null;
  return (
    <>
      {note.step !== "" && (
        <Note>
          Step: <UntrustedText>{note.step}</UntrustedText>
        </Note>
      )}
      {note.step === "" && note.outcome === "healed" && (
        <Note>All its steps were done, but the result was not verified.</Note>
      )}
      {note.reason !== "" && (
        <Note>
          <UntrustedText>{note.reason}</UntrustedText>
        </Note>
      )}
      {notes.some(({ outcome }) => outcome === "set_aside") && (
        <Note>The recipe failed several times in a row and was set aside.</Note>
      )}
    </>
  );
}

/** A healed errand becomes the next version. A promoted recipe stays as it is: then the user gets their own. */
function NextVersion({ recipe, notes }: { recipe: ExecutionRecipe } & Pick<RecipeCardProps, "notes">) {
  const learned = notes.find(({ outcome }) => outcome === "learned");
  if (learned === undefined || recipe.outcome === "learned") return null;
  if (learned.recipeId === recipe.id) return <Note>This errand became its next version.</Note>;
  return (
    <Note>
      What was done instead became{" "}
      <Anchor component={Link} href={`/recipes/${learned.recipeId}`} inherit>
        a recipe of this user
      </Anchor>
      .
    </Note>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" className="wrap-anywhere">
      {children}
    </Text>
  );
}

function describe({ outcome, version }: ExecutionRecipe): string {
  switch (outcome) {
    case "learned":
      return version === 1 ? "This errand became a recipe." : `This errand became version ${version} of a recipe.`;
    case "replayed":
      return `Ran with version ${version} of a recipe, without a model.`;
    case "healed":
      return `Ran with version ${version} of a recipe, until a model took over.`;
    case "failed":
      return `Version ${version} of a recipe could not be followed.`;
    case null:
      return `Runs with version ${version} of a recipe.`;
  }
}

/** For people who may not see the recipe, and for one that was deleted. */
function describeUnknown(notes: readonly RecipeNote[]): string | null {
  const has = (outcome: string) => notes.some((note) => note.outcome === outcome);
  if (has("replayed")) return "Ran with a recipe, without a model.";
  if (has("healed")) return "Ran with a recipe, until a model took over.";
  if (has("failed")) return "A recipe could not be followed.";
  if (has("used")) return "Runs with a recipe.";
  return has("learned") ? "This errand became a recipe." : null;
}

/** Only if the recipe can be used and has values that can differ. */
export function RunWithOtherValues({ data }: { data: ConsoleExecution }) {
  const [isOpen, setIsOpen] = useState(false);
  const { recipe, application, connection, approval, may_run_again } = data;
  if (recipe === null || !may_run_again || recipe.variables.length === 0) return null;
  if (recipe.state !== "active" || recipe.turned_off !== null) return null;
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        Run with other values
      </Button>
      {isOpen && (
        <RunRecipe
          title="Run with other values"
          recipe={recipe}
          application={application}
          connection={connection}
          earlier={recipe.values}
          isPrefilled
          approval={approval}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}
