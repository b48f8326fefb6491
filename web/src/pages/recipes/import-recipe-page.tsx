import "../applications/applications.css";
import "../executions/execution-page.css";
import "./recipes.css";
import { Anchor, Button, FileButton, Group, NativeSelect, SimpleGrid, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { applicationsQuery } from "../../api/applications.ts";
import { useImportRecipe } from "../../api/recipes.ts";
import { ErrorAlert, LoadingPage } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { Empty, PageTitle } from "../../components/page.tsx";
import { cleanText } from "../../components/untrusted-text.tsx";
import { useLeaveWarning } from "./edit-recipe-page.tsx";
import { RecipeEditor, useCheck } from "./recipe-editor.tsx";
import { UserSelect } from "./user-select.tsx";

const EXAMPLE = `template: Tell me the price of <product>
start_url: https://shop.example.com/
variables:
  product: text
steps:
  - fill: { target: Search, value: <product>, submit: true }
  - open: <product>
  - read: { label: Price }`;

/** Imports a recipe from a file or from pasted text. */
export function ImportRecipePage() {
  const applications = useQuery(applicationsQuery);
  return (
    <>
      <Anchor component={Link} href="/recipes" size="sm" className="back-link">
        <Icon name="left" size={14} /> Recipes
      </Anchor>
      <PageTitle
        title="Import a recipe"
        about="From a file that was exported, or that you wrote yourself. A recipe for the same errands gets it as its next version."
      />
      {applications.data === undefined && applications.error === null && <LoadingPage />}
      {applications.data === undefined && applications.error !== null && (
        <ErrorAlert error={applications.error} onRetry={() => void applications.refetch()} />
      )}
      {applications.data?.length === 0 && (
        <Empty title="No applications yet">
          A recipe belongs to an application.{" "}
          <Anchor component={Link} href="/applications?new" underline="always">
            Create an application
          </Anchor>{" "}
          first.
        </Empty>
      )}
      {applications.data !== undefined && applications.data.length > 0 && (
        <ImportForm applications={applications.data} />
      )}
    </>
  );
}

const MAX_FILE_BYTES = 800_000;

function ImportForm({ applications }: { applications: readonly { id: string; name: string }[] }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [fileProblem, setFileProblem] = useState<string | null>(null);
  const [applicationId, setApplicationId] = useState(applications[0]?.id ?? "");
  const [connectionId, setConnectionId] = useState("");
  const checked = useCheck(text);
  const importing = useImportRecipe();
  useLeaveWarning(text !== "" && !importing.isSuccess);

  async function read(file: File | null) {
    if (file === null) return;
    setFileProblem(file.size > MAX_FILE_BYTES ? "This file is too large for a recipe." : null);
    if (file.size <= MAX_FILE_BYTES) setText(await file.text());
  }

  function submit() {
    importing.mutate(
      { application_id: applicationId, connection_id: connectionId === "" ? null : connectionId, yaml: text },
      {
        onSuccess({ id, version }) {
          navigate(`/recipes/${id}`);
          const message = version === 1 ? "Recipe imported." : `Imported as version ${version} of this recipe.`;
          notifications.show({ message });
        },
      },
    );
  }

  return (
    <form
      aria-label="Import a recipe"
      className="on-ground recipe-import"
      onSubmit={(event) => {
        event.preventDefault();
        if (checked.check?.content != null) submit();
      }}
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NativeSelect
            label="Application"
            data={applications.map(({ id, name }) => ({ value: id, label: cleanText(name) }))}
            value={applicationId}
            onChange={({ currentTarget: { value } }) => {
              setApplicationId(value);
              setConnectionId("");
            }}
          />
          <UserSelect
            label="User"
            nobody="All users"
            applicationId={applicationId}
            value={connectionId}
            onChange={setConnectionId}
          />
        </SimpleGrid>
        <Group gap="sm">
          <FileButton
            accept=".yaml,.yml,.json,.txt"
            inputProps={{ "aria-label": "Recipe file" }}
            onChange={(file) => void read(file)}
          >
            {(props) => (
              <Button variant="default" {...props}>
                Choose a file
              </Button>
            )}
          </FileButton>
          <Text size="sm" c={fileProblem === null ? "dimmed" : "red"} role="status">
            {fileProblem ?? "Or paste its text below."}
          </Text>
        </Group>
        <RecipeEditor text={text} checked={checked} placeholder={EXAMPLE} onChange={setText} />
        <Stack gap="sm" className="form-end">
          {importing.error !== null && <ErrorAlert error={importing.error} />}
          <Group justify="end">
            <Button variant="default" component={Link} href="/recipes">
              Cancel
            </Button>
            <Button type="submit" loading={importing.isPending} disabled={checked.check?.content == null}>
              Import
            </Button>
          </Group>
        </Stack>
      </Stack>
    </form>
  );
}
