import type { Readable } from "node:stream";

export interface PictureSize {
  width: number;
  height: number;
}

/** Headers are much shorter. */
const MAX_BYTES = 256 * 1024;

/** Reads the size of a JPEG or PNG from its first bytes; null when it cannot be found there. */
export async function readPictureSize(content: Readable): Promise<PictureSize | null> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of content) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    const size = sizeOfPng(bytes) ?? sizeOfJpeg(bytes);
    if (size !== null) return size;
    if (bytes.length > MAX_BYTES) return null;
  }
  return null;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

function sizeOfPng(bytes: Buffer): PictureSize | null {
  if (bytes.length < 24 || !bytes.subarray(0, PNG.length).equals(PNG)) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Segments are a marker, two bytes of length and the data. The size is in the "start of frame" segment. */
function sizeOfJpeg(bytes: Buffer): PictureSize | null {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return null;
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
