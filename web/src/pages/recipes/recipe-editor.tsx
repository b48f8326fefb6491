import "./recipe-editor.css";
import { Anchor, Group, Stack, Text } from "@mantine/core";
import { useDebouncedValue, useId } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useRef } from "react";
import type { RecipeCheck } from "../../../../src/contract/console/recipes.ts";
import { recipeCheckQuery } from "../../api/recipes.ts";
import { countOf } from "../../components/count.ts";
import { ErrorAlert } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { RecipeSteps, RecipeVariables, RecipeWrites } from "./recipe-content.tsx";
import { Slotted } from "./recipe-words.tsx";

const TYPING_PAUSE_MS = 300;
const MAX_LENGTH = 200_000;

/** The file that is edited, as the service reads it. */
interface CheckedText {
  /** Of the text as it is now; undefined while it is being checked. */
  check: RecipeCheck | undefined;
  /** Of an earlier text, so that nothing jumps while one types. */
  shown: RecipeCheck | undefined;
  error: Error | null;
  retry: () => void;
}

/** Checks a text after each pause in typing. */
export function useCheck(text: string): CheckedText {
  const [settled] = useDebouncedValue(text, TYPING_PAUSE_MS);
  const { data, error, isPlaceholderData, refetch } = useQuery(recipeCheckQuery(settled));
  const shown = text.trim() === "" ? undefined : data;
  const isCurrent = settled === text && !isPlaceholderData && error === null;
  return { check: isCurrent ? shown : undefined, shown, error, retry: () => void refetch() };
}

interface RecipeEditorProps {
  text: string;
  checked: CheckedText;
  placeholder?: string;
  onChange: (text: string) => void;
}

/** The file on one side, and what it means on the other. */
export function RecipeEditor({ text, checked, placeholder, onChange }: RecipeEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const statusId = useId();
  const { shown } = checked;
  const problemLine = shown?.problem?.line ?? null;
  return (
    <div className="recipe-editor">
      <NumberedArea
        area={area}
        text={text}
        placeholder={placeholder}
        problemLine={problemLine}
        statusId={statusId}
        onChange={onChange}
      />
      <section className="recipe-reading" aria-label="What it means" aria-busy={checked.check === undefined}>
        <Status id={statusId} text={text} checked={checked} onGoTo={(line) => goTo(area.current, line)} />
        {shown?.content != null && (
          <Stack gap="md">
            <Text size="sm" fw={500}>
              <Slotted variables={shown.content.variables}>{shown.content.template}</Slotted>
            </Text>
            <RecipeSteps content={shown.content} />
            <div>
              <Text size="xs" c="dimmed" mb={4}>
                Variables
              </Text>
              <RecipeVariables variables={shown.content.variables} />
            </div>
            <div>
              <Text size="xs" c="dimmed" mb={4}>
                What it sends
              </Text>
              <RecipeWrites writes={shown.content.writes} />
            </div>
          </Stack>
        )}
      </section>
    </div>
  );
}

interface NumberedAreaProps extends Pick<RecipeEditorProps, "text" | "onChange"> {
  area: RefObject<HTMLTextAreaElement | null>;
  placeholder: string | undefined;
  problemLine: number | null;
  statusId: string;
}

/** Lines do not wrap, so that a number is always beside its line. */
function NumberedArea({ area, text, placeholder, problemLine, statusId, onChange }: NumberedAreaProps) {
  const gutter = useRef<HTMLDivElement>(null);
  const lines = text.split("\n").length;
  return (
    <div className="numbered-area" data-invalid={problemLine !== null || undefined}>
      <div className="numbered-area-gutter" aria-hidden="true">
        <div ref={gutter}>
          {Array.from({ length: lines }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: it is the line number
            <div key={index} data-problem={index + 1 === problemLine || undefined}>
              {index + 1}
            </div>
          ))}
        </div>
      </div>
      <textarea
        ref={area}
        className="numbered-area-text"
        aria-label="Recipe as YAML"
        aria-describedby={statusId}
        wrap="off"
        spellCheck={false}
        autoCapitalize="none"
        autoCorrect="off"
        maxLength={MAX_LENGTH}
        placeholder={placeholder}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        onScroll={({ currentTarget }) => {
          if (gutter.current !== null) gutter.current.style.transform = `translateY(-${currentTarget.scrollTop}px)`;
        }}
      />
    </div>
  );
}

interface StatusProps {
  id: string;
  text: string;
  checked: CheckedText;
  onGoTo: (line: number) => void;
}

/** Announced when it changes. Its height stays the same for one line. */
function Status({ id, text, checked: { shown, error, retry }, onGoTo }: StatusProps) {
  if (error !== null && shown === undefined) return <ErrorAlert error={error} onRetry={retry} />;
  const problem = text.trim() === "" ? null : (shown?.problem ?? null);
  return (
    <div id={id} role="status" className="recipe-status" data-problem={problem !== null || undefined}>
      {problem !== null ? (
        <Group gap={8} wrap="nowrap" align="start">
          <Icon name="warning" size={16} />
          <Text size="sm">
            {problem.line !== null && (
              <>
                <GoToLine line={problem.line} onGoTo={onGoTo} />:{" "}
              </>
            )}
            <UntrustedText>{problem.message}</UntrustedText>
          </Text>
        </Group>
      ) : (
        <Group gap={8} wrap="nowrap" align="start">
          {shown?.content != null && <Icon name="check" size={16} />}
          <Text size="sm" c="dimmed">
            {describeReading(text, shown)}
          </Text>
        </Group>
      )}
    </div>
  );
}

function describeReading(text: string, shown: RecipeCheck | undefined): string {
  if (text.trim() === "") return "What the recipe does is shown here as you type.";
  if (shown?.content == null) return "Checking…";
  return `Valid: ${countOf(shown.content.steps.length, "step")}.`;
}

function GoToLine({ line, onGoTo }: { line: number; onGoTo: (line: number) => void }) {
  return (
    <Anchor component="button" type="button" inherit onClick={() => onGoTo(line)}>
      Line {line}
    </Anchor>
  );
}

/** Selects a line and scrolls to it. */
function goTo(area: HTMLTextAreaElement | null, line: number): void {
  if (area === null) return;
  const before = area.value.split("\n").slice(0, line - 1);
  const start = before.reduce((length, text) => length + text.length + 1, 0);
  const end = area.value.indexOf("\n", start);
  area.focus();
  area.setSelectionRange(start, end === -1 ? area.value.length : end);
  const lineHeight = Number.parseFloat(getComputedStyle(area).lineHeight);
  area.scrollTop = Math.max(0, (line - 1) * lineHeight - area.clientHeight / 2);
}
