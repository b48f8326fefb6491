import { Button, Checkbox, Group, Menu, Modal, Stack, Text, Title } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import type { ConsoleRecipe } from "../../../../src/contract/console/recipes.ts";
import { useChangeRecipe, useDeleteRecipe, usePromoteRecipe } from "../../api/recipes.ts";
import { Confirm, ErrorAlert } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { MoreMenu, useMenuDialogs } from "../../components/more-menu.tsx";
import { Scrollable } from "../../components/page.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { RecipeSteps, RecipeVariables, RecipeWrites } from "./recipe-content.tsx";
import { Slotted } from "./recipe-words.tsx";
import { RunRecipe } from "./run-recipe.tsx";

type Dialog = "run" | "disable" | "promote" | "delete";

/** Run, edit, export, and everything that is done rarely. */
export function RecipeActions({ recipe }: { recipe: ConsoleRecipe }) {
  const { dialog, open, menu, close, closeToMenu } = useMenuDialogs<Dialog>();
  return (
    <Group gap="sm">
      {recipe.state === "active" && recipe.turned_off === null && (
        <Button leftSection={<Icon name="play" size={16} />} onClick={() => open("run")}>
          Run
        </Button>
      )}
      <Button variant="default" component={Link} href={`/recipes/${recipe.id}/edit`}>
        Edit
      </Button>
      <MoreMenu ref={menu} onDelete={() => open("delete")}>
        <Menu.Item onClick={() => download(recipe)}>Export as YAML</Menu.Item>
        {recipe.connection !== null && <Menu.Item onClick={() => open("promote")}>Promote to all users</Menu.Item>}
        {recipe.state === "active" && <Menu.Item onClick={() => open("disable")}>Disable</Menu.Item>}
      </MoreMenu>
      {dialog === "run" && (
        <RunRecipe
          title="Run this recipe"
          recipe={recipe}
          application={recipe.application}
          connection={recipe.connection}
          earlier={recipe.executions[0]?.values ?? {}}
          isPrefilled={false}
          onClose={close}
        />
      )}
      {dialog === "disable" && <DisableDialog recipe={recipe} onClose={closeToMenu} />}
      {dialog === "promote" && <PromoteDialog recipe={recipe} onClose={closeToMenu} />}
      {dialog === "delete" && <DeleteDialog recipe={recipe} onClose={closeToMenu} />}
    </Group>
  );
}

const FILE_NAME_LENGTH = 60;

function download({ template, version, yaml }: ConsoleRecipe): void {
  const words = template.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["recipe"];
  const url = URL.createObjectURL(new Blob([yaml], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${words.join("-").slice(0, FILE_NAME_LENGTH)}-v${version}.yaml`;
  link.click();
  URL.revokeObjectURL(url);
}

interface DialogProps {
  recipe: ConsoleRecipe;
  onClose: () => void;
}

function DisableDialog({ recipe, onClose }: DialogProps) {
  const change = useChangeRecipe(recipe.id);
  return (
    <Confirm
      title="Disable this recipe?"
      action="Disable"
      isOpen
      isBusy={change.isPending}
      error={change.error}
      onClose={onClose}
      onConfirm={() => change.mutate({ state: "disabled" }, { onSuccess: onClose })}
    >
      Errands of this kind then run as if there were no recipe. Its versions and figures are kept, and you can enable it
      at any time.
    </Confirm>
  );
}

function DeleteDialog({ recipe, onClose }: DialogProps) {
  const [, navigate] = useLocation();
  const deletion = useDeleteRecipe(recipe.id);
  function leave() {
    navigate("/recipes");
    notifications.show({ message: "Recipe deleted." });
  }
  return (
    <Confirm
      title="Delete this recipe?"
      action="Delete permanently"
      isOpen
      isBusy={deletion.isPending}
      error={deletion.error}
      onClose={onClose}
      onConfirm={() => deletion.mutate(undefined, { onSuccess: leave })}
    >
      All its versions and figures are deleted. The next verified errand of this kind may become a new recipe. This
      can't be undone: export it first if you may need it.
    </Confirm>
  );
}

/** Shows everything that the runs of other users would do, and asks to read it. */
function PromoteDialog({ recipe, onClose }: DialogProps) {
  const [, navigate] = useLocation();
  const isPhone = useMediaQuery("(max-width: 48em)") ?? false;
  const [isRead, setIsRead] = useState(false);
  const promotion = usePromoteRecipe(recipe.id);
  function promote() {
    promotion.mutate(undefined, {
      onSuccess({ id }) {
        onClose();
        navigate(`/recipes/${id}`, { replace: true });
        notifications.show({ message: "Promoted. Errands of all users of the application use it from now on." });
      },
    });
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title="Promote to all users?"
      size="xl"
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isRead) promote();
        }}
      >
        <Stack gap="md">
          <Text size="sm">
            So far only errands of <UntrustedText>{recipe.connection?.user_email ?? ""}</UntrustedText> use this recipe.
            Promoted, all users of <UntrustedText>{recipe.application.name}</UntrustedText> run it with their own
            values. Read it first: names, numbers or choices that belong to one person must not be in it. If a recipe
            for the same errands is promoted already, this becomes its next version.
          </Text>
          <Part title="Template">
            <Text size="sm">
              <Slotted variables={recipe.variables}>{recipe.template}</Slotted>
            </Text>
          </Part>
          {recipe.start_url !== null && (
            <Part title="Start page">
              <Text size="sm" className="wrap-anywhere">
                <UntrustedText>{recipe.start_url}</UntrustedText>
              </Text>
            </Part>
          )}
          <Part title="Variables">
            <RecipeVariables variables={recipe.variables} />
          </Part>
          <Part title="Steps">
            <RecipeSteps content={recipe} />
          </Part>
          <Part title="What it sends">
            <RecipeWrites writes={recipe.writes} />
          </Part>
          <Part title="The whole file">
            <Scrollable label="The whole file" className="recipe-file">
              <UntrustedText>{recipe.yaml}</UntrustedText>
            </Scrollable>
          </Part>
          <Checkbox
            label="I've read it, and nothing in it belongs to one person"
            checked={isRead}
            onChange={(event) => setIsRead(event.currentTarget.checked)}
          />
          {promotion.error !== null && <ErrorAlert error={promotion.error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isRead} loading={promotion.isPending}>
              Promote
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h6" mb={4}>
        {title}
      </Title>
      {children}
    </section>
  );
}
