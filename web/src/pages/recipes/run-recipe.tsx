import "./recipes.css";
import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { NewExecutionBody } from "../../../../src/contract/console/executions.ts";
import type { RecipeContent, VariableKind } from "../../../../src/contract/console/recipes.ts";
import { useMe } from "../../api/account.ts";
import { ConsoleError } from "../../api/client.ts";
import { useCreateErrand } from "../../api/executions.ts";
import { countOf } from "../../components/count.ts";
import { ErrorAlert } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { fillTemplate, toLabel } from "./recipe-words.tsx";
import { UserSelect } from "./user-select.tsx";

type Values = Record<string, string>;

interface RunRecipeProps {
  title: string;
  recipe: Pick<RecipeContent, "template" | "variables"> & { id: string };
  application: { id: string; name: string };
  /** As whom it runs. Null: the form asks. */
  connection: { id: string; user_email: string } | null;
  /** The values of an earlier run. */
  earlier: Readonly<Values>;
  /** Whether the fields start with the earlier values. Otherwise these are only examples. */
  isPrefilled: boolean;
  approval?: NewExecutionBody["approval"];
  onClose: () => void;
}

/** Runs a recipe with one field for each of its variables, then shows the errand. */
export function RunRecipe(props: RunRecipeProps) {
  const { title, recipe, application, connection, earlier, isPrefilled, approval = null, onClose } = props;
  const me = useMe();
  const [, navigate] = useLocation();
  const create = useCreateErrand();
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(recipe.variables.map(({ name }) => [name, isPrefilled ? (earlier[name] ?? "") : ""])),
  );
  const [chosen, setChosen] = useState("");
  const connectionId = connection?.id ?? chosen;
  const problems = findProblems(create.error, recipe.variables);
  useEffect(() => {
    if (create.error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [create.error]);
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]));
  const isComplete = connectionId !== "" && Object.values(given).every((value) => value !== "");
  const isSame = isPrefilled && recipe.variables.every(({ name }) => given[name] === earlier[name]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isComplete) return;
    create.mutate(
      {
        connection_id: connectionId,
        prompt: fillTemplate(recipe.template, given),
        recipe: recipe.id,
        variables: given,
        approval,
      },
      {
        onSuccess({ id }) {
          onClose();
          navigate(`/executions/${id}`);
        },
      },
    );
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form ref={form} onSubmit={submit} aria-label={title} noValidate>
        <Stack gap="md">
          {recipe.variables.map(({ name, kind }, index) => (
            <TextInput
              key={name}
              label={toLabel(name)}
              error={problems.byVariable[name]}
              errorProps={{ className: "wrap-anywhere" }}
              value={values[name] ?? ""}
              onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              {...inputOf(kind, earlier[name], isPrefilled)}
              {...(index === 0 ? { "data-autofocus": true } : {})}
            />
          ))}
          {connection === null && (
            <UserSelect
              label="Run as"
              nobody="Choose a person"
              applicationId={application.id}
              value={chosen}
              mustRun
              onChange={setChosen}
            />
          )}
          <div className="filled-prompt">
            <Text size="xs" c="dimmed">
              The errand
            </Text>
            <Text size="sm" className="wrap-anywhere">
              <UntrustedText>{fillTemplate(recipe.template, withoutBlanks(given))}</UntrustedText>
            </Text>
          </div>
          {problems.other !== null && <ErrorAlert error={problems.other} />}
          <Text size="sm" c="dimmed">
            {connection !== null && (
              <>
                Runs as <UntrustedText>{connection.user_email}</UntrustedText>.{" "}
              </>
            )}
            {countOf(me.execution_price, "credit")}, charged only if verified.
            {isSame && " These are the values of the earlier errand: it does the same again."}
          </Text>
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              leftSection={<Icon name="play" size={16} />}
              loading={create.isPending}
              disabled={!isComplete}
            >
              Run errand
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const ISO_DATE = /^\d{4}-\d\d-\d\d$/;

/** Sites write numbers and dates in many ways, and so may people. */
function inputOf(kind: VariableKind, earlier: string | undefined, isPrefilled: boolean) {
  const example = earlier === undefined || isPrefilled ? {} : { placeholder: earlier };
  switch (kind) {
    case "number":
      return { inputMode: "decimal", ...example } as const;
    case "email":
      return { type: "email", inputMode: "email", autoCapitalize: "none", spellCheck: false, ...example } as const;
    case "date":
      return earlier === undefined || ISO_DATE.test(earlier)
        ? ({ type: "date" } as const)
        : { description: `A date written like ${earlier}.`, ...example };
    case "choice":
      return { description: "As the site writes it.", ...example };
    case "text":
      return example;
  }
}

function withoutBlanks(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

const PATH = "variables.";

/** The problems of values at their fields; everything else in one place. */
function findProblems(error: Error | null, variables: RecipeContent["variables"]) {
  const details = error instanceof ConsoleError ? error.details : [];
  const isField = ({ path }: { path: string }) =>
    path.startsWith(PATH) && variables.some(({ name }) => path === `${PATH}${name}`);
  const byVariable = Object.fromEntries(
    details.filter(isField).map(({ path, message }) => [path.slice(PATH.length), `It ${message}.`]),
  );
  return { byVariable, other: details.length > 0 && details.every(isField) ? null : error };
}
