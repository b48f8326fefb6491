import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { CallerError } from "../../lib/errors.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { consoleMissingPage } from "../pages/error-pages.ts";
import { sendPage } from "../pages/page-response.ts";

const AssetPath = Type.Object({ name: Type.String({ maxLength: 200 }) });
const PagePath = Type.Object({ "*": Type.String() });
const IN_INTERFACE = /^\/*api(?:\/|$)/;
const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;
const NONCE = /(<meta name="csp-nonce" content=")[^"]*(")/;

/** The console's page, which is the same at every address of it, and what it is made of. */
export function addAssetRoutes(scope: App, { console: { folder } }: Pick<AppDependencies, "console">): void {
  const built = openBuiltConsole(folder);

  async function showConsole(reply: FastifyReply): Promise<FastifyReply> {
    const page = await built.readPage();
    return page === null ? sendPage(reply.code(503), consoleMissingPage()) : sendConsole(reply, page);
  }
  scope.addHook("onRequest", async (request, reply) => {
    if (request.url.startsWith("/console/")) reply.header("x-content-type-options", "nosniff");
  });
  scope.get("/console", PAGE, (_request, reply) => showConsole(reply));
  scope.get("/console/*", { ...PAGE, schema: { hide: true, params: PagePath } }, (request, reply) => {
    // However many slashes stand before it, the interface is none of the pages.
    return IN_INTERFACE.test(request.params["*"]) ? reply.callNotFound() : showConsole(reply);
  });

  scope.get("/console/assets/:name", { schema: { hide: true, params: AssetPath } }, async (request, reply) => {
    const asset = await built.findAsset(request.params.name);
    if (asset === null) throw nothingHere();
    const encoding = chooseEncoding(request.headers["accept-encoding"]);
    if (encoding !== "identity") reply.header("content-encoding", encoding);
    return reply
      .type(asset.type)
      .header("cache-control", "public, max-age=31536000, immutable")
      .header("vary", "accept-encoding")
      .header("x-content-type-options", "nosniff")
      .send(await asset.encode(encoding));
  });

  // What is not there is not a page of the console.
  for (const url of ["/console/assets/*", "/console/api", "/console/api/*"]) {
    const refuse = async () => {
      throw nothingHere();
    };
    scope.all(url, { schema: { hide: true }, onRequest: refuse }, refuse);
  }
}

function nothingHere(): CallerError {
  return new CallerError("NOT_FOUND", "There is nothing here.");
}

/** Styles made by scripts carry the nonce; nothing else that stands in the page itself is obeyed. */
function sendConsole(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(18).toString("base64");
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", policy.join("; "))
    .header("cross-origin-opener-policy", "same-origin")
    .header("x-frame-options", "DENY")
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "same-origin")
    .header("cache-control", "no-store")
    .send(page.replace(NONCE, `$1${nonce}$2`));
}

/** The smallest that the client takes; what it wants most does not matter. */
function chooseEncoding(accepted = ""): Encoding {
  const taken = accepted
    .split(",")
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
    .map((part) => part.split(";")[0]?.trim().toLowerCase());
  return (["br", "gzip"] as const).find((encoding) => taken.includes(encoding)) ?? "identity";
}

/** What the build has made of the console. */
interface BuiltConsole {
  /** Null while it is not built. */
  readPage(): Promise<string | null>;
  /** Null when there is no such file. */
  findAsset(name: string): Promise<BuiltAsset | null>;
}

interface BuiltAsset {
  type: string;
  encode(encoding: Encoding): Promise<Buffer>;
}

type Encoding = "br" | "gzip" | "identity";

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".woff2": "font/woff2",
};
/** A file of the folder itself: no dots first, no way into or out of folders. */
const FILE_NAME = /^[\w-][\w.-]{0,199}$/;
/** Within five percent of 9 at a third of the time, which counts for the 4 MB of the API reference. */
const BROTLI_QUALITY = 5;

const compress: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
  identity: async (content) => content,
};

/** Each asset is read and compressed once: its name changes with its content. */
function openBuiltConsole(folder: string): BuiltConsole {
  const assets = new Map<string, Promise<BuiltAsset | null>>();

  async function readAsset(name: string, type: string): Promise<BuiltAsset | null> {
    const content = await readIfThere(join(folder, "assets", name));
    return content === null ? null : createAsset(type, content);
  }

  return {
    async readPage() {
      return (await readIfThere(join(folder, "index.html")))?.toString("utf8") ?? null;
    },

    async findAsset(name) {
      const type = TYPES[extname(name)];
      if (type === undefined || !FILE_NAME.test(name)) return null;
      const reading = assets.get(name) ?? readAsset(name, type);
      assets.set(name, reading);
      const asset = await reading.catch((error: Error) => {
        assets.delete(name);
        throw error;
      });
      // It may be there after the next build, and names that nobody has built are without end.
      if (asset === null) assets.delete(name);
      return asset;
    },
  };
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

function createAsset(type: string, content: Buffer): BuiltAsset {
  const encoded = new Map<Encoding, Promise<Buffer>>();
  return {
    type,
    encode(encoding) {
      const made = encoded.get(encoding) ?? compress[encoding](content);
      encoded.set(encoding, made);
      return made;
    },
  };
}
