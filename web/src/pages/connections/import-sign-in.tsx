import { Button, Code, FileInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useImportSignIn } from "../../api/connections.ts";
import { ErrorAlert } from "../../components/feedback.tsx";

/** For users who sign in with a script of their own, instead of in the live view. */
export function ImportSignIn({ connectionId }: { connectionId: string }) {
  const [file, setFile] = useState<File | null>(null);
  const [url, setUrl] = useState("");
  const importing = useImportSignIn(connectionId);
  return (
    <details className="disclosure">
      <summary>Import a sign-in</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (file !== null) importing.mutate({ file, url: url.trim() });
        }}
      >
        <Stack gap="sm" align="start">
          <Text size="sm">
            If you sign in with a Playwright script, save its state with{" "}
            <Code>context.storageState(&#123; path, indexedDB: true &#125;)</Code> and choose the file. Errand opens the
            site with it, and keeps it only if the site recognizes you.
          </Text>
          <FileInput label="Storage state" placeholder="Choose a file" value={file} onChange={setFile} clearable />
          <TextInput
            label="A page that only you can see (optional)"
            placeholder="https://"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          {importing.error !== null && <ErrorAlert error={importing.error} />}
          <Text size="sm" role="status">
            {importing.isPending && "Checking on the site…"}
            {importing.isSuccess && "Saved. The site recognizes you."}
          </Text>
          <Button type="submit" size="xs" disabled={file === null} loading={importing.isPending}>
            Check and save
          </Button>
        </Stack>
      </form>
    </details>
  );
}
