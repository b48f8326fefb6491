type Reader = ReadableStreamDefaultReader<Uint8Array>;

export function readerOf(response: Response): Reader {
  if (response.body === null) throw new Error("the answer has no body");
  return response.body.getReader();
}

/** Reads until `text` has arrived, and returns everything read. */
export async function readUntil(reader: Reader, text: string): Promise<string> {
  const decoder = new TextDecoder();
  let read = "";
  while (!read.includes(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream ended before "${text}": ${read}`);
    read += decoder.decode(value, { stream: true });
  }
  return read;
}

export async function readToEnd(reader: Reader): Promise<string> {
  const decoder = new TextDecoder();
  let read = "";
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
    read += decoder.decode(chunk.value, { stream: true });
  return read;
}
