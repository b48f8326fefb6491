/** The same bytes in pieces of this size; the last one is what is left. */
export async function* cutIntoPieces(source: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of source) {
    held.push(chunk);
    heldBytes += chunk.byteLength;
    if (heldBytes < bytes) continue;
    const all = Buffer.concat(held);
    const whole = all.byteLength - (all.byteLength % bytes);
    for (let at = 0; at < whole; at += bytes) yield all.subarray(at, at + bytes);
    held = [all.subarray(whole)];
    heldBytes = all.byteLength - whole;
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}
