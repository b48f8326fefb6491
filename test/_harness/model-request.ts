import type { IncomingHttpHeaders } from "node:http";

/** A chat-completions request, with the parts that tests inspect. */
export interface ModelRequest {
  path: string;
  headers: IncomingHttpHeaders;
  model: string;
  /** The text of all messages, in order. */
  text: string;
  system: string;
  messages: { role: string; text: string; images: number }[];
  tools: { name: string; description: string; input: Record<string, unknown> }[];
  toolNames: string[];
  /** The actions that the tool `act` offers. */
  actions: string[];
  toolChoice: unknown;
  images: number;
  responseFormat: unknown;
  temperature: number | undefined;
  stream: boolean;
  wantsUsage: boolean;
  /** The raw body. */
  body: Record<string, unknown>;
}

export function readModelRequest(path: string, headers: IncomingHttpHeaders, text: string): ModelRequest {
  const body = JSON.parse(text) as Record<string, unknown>;
  const messages = (body["messages"] as Message[]).map(({ role, content }) => ({
    role,
    text: textOf(content),
    images: Array.isArray(content) ? content.filter(({ type }) => type === "image_url").length : 0,
  }));
  const tools = ((body["tools"] ?? []) as WireTool[]).map(({ function: { name, description, parameters } }) => ({
    name,
    description: description ?? "",
    input: parameters,
  }));
  return {
    path,
    headers,
    model: String(body["model"]),
    text: messages.map((message) => message.text).join("\n\n"),
    system: messages
      .filter(({ role }) => role === "system")
      .map((message) => message.text)
      .join("\n\n"),
    messages,
    tools,
    toolNames: tools.map(({ name }) => name),
    actions: listActions(tools.find(({ name }) => name === "act")?.description ?? ""),
    toolChoice: body["tool_choice"],
    images: messages.reduce((sum, { images }) => sum + images, 0),
    responseFormat: body["response_format"],
    temperature: body["temperature"] as number | undefined,
    stream: body["stream"] === true,
    wantsUsage: (body["stream_options"] as { include_usage?: boolean } | undefined)?.include_usage === true,
    body,
  };
}

/** After a first line, each line starts with the name of an action. */
function listActions(description: string): string[] {
  const [, ...lines] = description.split("\n");
  return lines.map((line) => line.split(":", 1)[0] ?? "");
}

interface Message {
  role: string;
  content: Content;
}

type Content = string | null | { type: string; text?: string }[];

interface WireTool {
  function: { name: string; description?: string; parameters: Record<string, unknown> };
}

function textOf(content: Content): string {
  if (content === null) return "";
  if (typeof content === "string") return content;
  return content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text ?? "")
    .join("\n\n");
}
