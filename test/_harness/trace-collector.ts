import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
  /** The role of the process that sent it. */
  role: unknown;
}

export interface TraceCollector extends AsyncDisposable {
  url: string;
  spans: CollectedSpan[];
  /** Everything that was sent, unparsed. */
  received: string[];
}

interface KeyValue {
  key: string;
  value: Record<string, unknown>;
}

interface Export {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: (Omit<CollectedSpan, "attributes" | "role"> & { attributes: KeyValue[] })[] }[];
  }[];
}

/** Receives traces by OTLP over HTTP, as JSON, on loopback. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    if (request.url !== "/v1/traces") return void response.writeHead(404).end();
    received.push(text);
    spans.push(...readSpans(JSON.parse(text) as Export));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readSpans({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const role = toObject(resource.attributes)["errand.roles"];
    return scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({ ...span, attributes: toObject(span.attributes), role })),
    );
  });
}

function toObject(attributes: KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
