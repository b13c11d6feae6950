// Unpacks the parts of the page that are packed: the rule, and texts that are shown later
// (src/report/page/packed_text.hpp).

/** Decodes bytes in base 85, as vite.config.ts writes them: each word is five characters between ( and |, with }
    instead of <. */
export function bytes_in(element: HTMLElement | null): Uint8Array<ArrayBuffer> {
  const text = element?.textContent ?? '', size = Number(element?.dataset.bytes);
  const bytes = new DataView(new ArrayBuffer(Math.ceil(size / 4) * 4));
  for (let i = 0, at = 0; at < bytes.byteLength; at += 4) {
    let number = 0;
    for (const end = i + 5; i < end; i++) {
      const code = text.charCodeAt(i);
      number = number * 85 + (code === 125 ? 60 : code) - 40;
    }
    bytes.setUint32(at, number);
  }
  element?.remove();  // removes the element, because it is large and no longer needed
  return new Uint8Array(bytes.buffer, 0, size);
}

/** Unpacks bytes that gzip packed. */
export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

/** Returns the text of an element that contains an LZ4 block, or an empty text if there is no such element. */
export function text_in(element: HTMLElement | null): string {
  if (!element) return '';
  const from = bytes_in(element), to = new Uint8Array(Number(element.dataset.of));
  let i = 0, o = 0;
  const length = (nibble: number) => {
    let n = nibble;
    if (nibble === 15) for (let more = 255; more === 255; n += more) more = from[i++]!;
    return n;
  };
  while (i < from.length) {
    const token = from[i++]!;
    for (let left = length(token >> 4); left > 0; left--) to[o++] = from[i++]!;
    if (i >= from.length) break;
    const back = from[i]! | from[i + 1]! << 8;
    i += 2;
    for (let left = 4 + length(token & 15); left > 0; left--, o++) to[o] = to[o - back]!;
  }
  return new TextDecoder().decode(to);
}
