import { crc32, deflateSync } from "node:zlib";

export const COLOURS = {
  red: [220, 20, 20],
  green: [20, 160, 40],
  blue: [20, 40, 220],
  yellow: [250, 220, 0],
  black: [0, 0, 0],
  white: [255, 255, 255],
} as const satisfies Record<string, readonly [number, number, number]>;

export type Colour = keyof typeof COLOURS;

/** Large enough for models that cut pictures into tiles. */
const SIDE = 128;

/** A PNG whose left half has one colour and whose right half has another. */
export function drawTwoColours(left: Colour, right: Colour): Buffer {
  const half = (colour: Colour) => Buffer.from(Array.from({ length: SIDE / 2 }, () => COLOURS[colour]).flat());
  // The zero says that the row is not filtered.
  const row = Buffer.concat([Buffer.from([0]), half(left), half(right)]);
  const size = Buffer.alloc(8);
  size.writeUInt32BE(SIDE, 0);
  size.writeUInt32BE(SIDE, 4);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    // Eight bits each of red, green and blue; no interlacing.
    chunk("IHDR", Buffer.concat([size, Buffer.from([8, 2, 0, 0, 0])])),
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => row)))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
