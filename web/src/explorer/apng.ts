// Writes an animated PNG that repeats endlessly, for chats that do not show SVG.

export interface Frame {
  /** Compressed by `packed_pixels`. */
  data: Uint8Array;
  ms: number;
}

/** The deflated pixels in red, green and blue. Each row begins with a byte that means "not filtered". */
export async function packed_pixels({data, width, height}: ImageData): Promise<Uint8Array> {
  const rows = new Uint8Array((width * 3 + 1) * height);
  for (let from = 0, to = 0; from < data.length; from++) {
    if (from % (width * 4) === 0) to++;
    if (from % 4 < 3) rows[to++] = data[from]!;
  }
  return new Uint8Array(await new Response(new Blob([rows]).stream().pipeThrough(new CompressionStream('deflate'))).arrayBuffer());
}

const crcs = Uint32Array.from({length: 256}, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ crc >>> 1 : crc >>> 1;
  return crc;
});

/** Returns the bytes of 32-bit numbers, with the highest byte first. */
function words(...numbers: number[]): number[] {
  return numbers.flatMap((n) => [n >>> 24, n >>> 16 & 255, n >>> 8 & 255, n & 255]);
}

function chunk(type: string, head: readonly number[], data: Uint8Array = new Uint8Array()): Uint8Array<ArrayBuffer>[] {
  const all = new Uint8Array([...type].map((c) => c.charCodeAt(0)).concat(head, [...data]));
  let crc = -1;
  for (const byte of all) crc = crcs[(crc ^ byte) & 255]! ^ crc >>> 8;
  return [Uint8Array.from(words(all.length - 4)), all, Uint8Array.from(words(~crc))];
}

export function animated_png(width: number, height: number, frames: readonly Frame[]): Blob {
  let sequence = 0;
  return new Blob([
    Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10), ...chunk('IHDR', [...words(width, height), 8, 2, 0, 0, 0]), ...chunk('acTL', words(frames.length, 0)),
    // Each frame begins at 0, 0 and is shown for `ms` milliseconds. The next frame is drawn over the previous frame.
    ...frames.flatMap(({data, ms}, i) => [...chunk('fcTL', [...words(sequence++, width, height, 0, 0, ms << 16 | 1000), 0, 0]),
      ...i === 0 ? chunk('IDAT', [], data) : chunk('fdAT', words(sequence++), data)]),
    ...chunk('IEND', []),
  ], {type: 'image/png'});
}
