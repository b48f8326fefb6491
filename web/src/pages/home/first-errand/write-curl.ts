import type { Execution } from "../../../../../src/contract/execution.ts";

interface CurlOptions {
  publicUrl: string;
  applicationId: string;
  execution: Execution;
}

/** The request that makes this execution again. */
export function writeCurl({ publicUrl, applicationId, execution }: CurlOptions): string {
  const { prompt, start_url, output_schema } = execution;
  const body = {
    prompt,
    ...(start_url === null ? {} : { start_url }),
    ...(output_schema === null ? {} : { output_schema }),
  };
  return [
    `curl ${publicUrl}/v1/applications/${applicationId}/executions`,
    '-H "Authorization: Bearer $ERRAND_TOKEN"',
    '-H "Content-Type: application/json"',
    `-d ${quote(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}

/** For a POSIX shell, in which nothing between single quotes means anything. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
