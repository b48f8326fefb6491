import { type Endpoint, type OpenApiDocument, type Parameter, resolve, type Schema } from "./schemas.ts";

/** A command that works as it stands, once the variables in it are set in the shell. */
export function curlExample(document: OpenApiDocument, { method, path, operation }: Endpoint): string {
  const base = document.servers?.[0]?.url ?? "";
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => variable(name));
  const query = (operation.parameters ?? []).filter(isNeeded).map((parameter) => queryPart(document, parameter));
  const lines = [
    `curl "${base}${target}${query.length > 0 ? `?${query.join("&")}` : ""}"`,
    ...authentication(document, operation.security?.[0]),
    ...body(document, operation.requestBody?.content ?? {}),
  ];
  // curl sends POST by itself as soon as there is a body.
  const isImplied = method === "GET" || (method === "POST" && operation.requestBody !== undefined);
  if (!isImplied) lines[0] = lines[0]?.replace("curl", `curl -X ${method}`) ?? "";
  return lines.join(" \\\n  ");
}

/** `applicationId` → `$APPLICATION_ID` */
function variable(name: string): string {
  return `$${name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll(/\W/g, "_")
    .toUpperCase()}`;
}

function isNeeded({ in: place, required, schema }: Parameter): boolean {
  return place === "query" && required === true && schema?.default === undefined;
}

function queryPart(document: OpenApiDocument, { name, example, schema = {} }: Parameter): string {
  const value = example ?? findExample(document, schema)?.value;
  return `${name}=${value === undefined ? variable(name) : encodeURIComponent(String(value))}`;
}

function authentication(document: OpenApiDocument, requirement: Record<string, string[]> | undefined): string[] {
  const [name] = Object.keys(requirement ?? {});
  const scheme = name === undefined ? undefined : document.components?.securitySchemes?.[name]?.scheme;
  if (scheme === "bearer") return ['-H "Authorization: Bearer $ACCESS_TOKEN"'];
  return scheme === "basic" ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : [];
}

function body(document: OpenApiDocument, content: Record<string, { schema?: object; example?: unknown }>): string[] {
  const [type, media] = Object.entries(content)[0] ?? [];
  if (type === undefined) return [];
  const fields = exampleFields(document, media?.schema ?? {});
  if (type === "application/x-www-form-urlencoded") {
    return fields.map(
      ([name, value]) =>
        `--data-urlencode ${value === undefined ? `"${name}=${variable(name)}"` : quote(`${name}=${String(value)}`)}`,
    );
  }
  const filled = media?.example ?? Object.fromEntries(fields.map(([name, value]) => [name, value ?? "…"]));
  return [`-H "Content-Type: ${type}"`, `-d ${quote(JSON.stringify(filled, null, 2).replaceAll("\n", "\n  "))}`];
}

/** For a POSIX shell, in which nothing inside single quotes means anything. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The value to show where the document names one; null where the reader has to bring their own. */
function findExample(document: OpenApiDocument, schema: Schema): { value: unknown } | null {
  const target = resolve(document, schema);
  const values = [target.const, target.example, target.examples?.[0], target.default, target.enum?.[0]];
  const value = values.find((candidate) => candidate !== undefined);
  if (value !== undefined) return { value };
  const option = (target.anyOf ?? target.oneOf)?.find(({ type }) => type !== "null");
  return option === undefined ? null : findExample(document, option);
}

/** What has to be sent, and what else the document has an example for. */
function exampleFields(document: OpenApiDocument, schema: Schema): [name: string, value: unknown][] {
  const { properties = {}, required = [] } = resolve(document, schema);
  return Object.entries(properties).flatMap(([name, field]): [string, unknown][] => {
    const example = findExample(document, field);
    if (example !== null) return [[name, example.value]];
    return required.includes(name) ? [[name, undefined]] : [];
  });
}
