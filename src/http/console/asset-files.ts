import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** What the build has made of the console. */
export interface BuiltConsole {
  /** Null while it is not built. */
  readPage(): Promise<string | null>;
  /** Null when there is no such file. */
  findAsset(name: string): Promise<BuiltAsset | null>;
}

interface BuiltAsset {
  type: string;
  encode(encoding: Encoding): Promise<Buffer>;
}

export type Encoding = "br" | "gzip" | "identity";

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
/** Within a few percent of the highest, at a tenth of the time. */
const BROTLI_QUALITY = 9;

const compress: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
  identity: async (content) => content,
};

/** Each asset is read and compressed once: its name changes with its content. */
export function openBuiltConsole(folder: string): BuiltConsole {
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
