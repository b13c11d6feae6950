// Splits a text into lines.

/** The lines of a text, each ended by a newline. */
export class Lines {
  readonly length: number;
  readonly widest: number;
  readonly #starts: Uint32Array;
  constructor(readonly text: string) {
    let count = 0, at = 0, widest = 0;
    while ((at = text.indexOf('\n', at) + 1) > 0) count++;
    const starts = new Uint32Array(count + 1);
    for (let i = 1, from = 0; i <= count; i++) {
      const next = text.indexOf('\n', from) + 1;
      widest = Math.max(widest, next - from - 1);
      starts[i] = from = next;
    }
    this.length = count;
    this.widest = widest;
    this.#starts = starts;
  }
  at(i: number): string {
    return this.text.slice(this.#starts[i], this.#starts[i + 1]! - 1);
  }
  /** Returns the number of the line that contains this position of the text. */
  line_of(place: number): number {
    let low = 0, high = this.length;
    while (high - low > 1) {
      const mid = (low + high) >> 1;
      if (this.#starts[mid]! <= place) low = mid;
      else high = mid;
    }
    return low;
  }
}

/** Lines that are parsed when they are first shown. */
export class Later {
  /** The parsed lines, or null before they are parsed. */
  lines: Lines | null = null;
  constructor(readonly text: () => string) {}
  read(): Lines {
    return this.lines ??= new Lines(this.text());
  }
}

const lower_case = new WeakMap<Lines, string>();

/** Returns the lines that contain `query`, which is in lower case. */
export function lines_with(lines: Lines, query: string, most: number): number[] {
  let text = lower_case.get(lines);
  if (text === undefined) {
    text = lines.text.toLowerCase();
    // If a letter changes its length in lower case (I with a dot), positions would be wrong. In this case, the search
    // uses the text without the conversion.
    if (text.length !== lines.text.length) text = lines.text;
    lower_case.set(lines, text);
  }
  const found: number[] = [];
  for (let at = text.indexOf(query); at >= 0 && found.length < most;) {
    const line = lines.line_of(at);
    found.push(line);
    if (line + 1 >= lines.length) break;
    at = text.indexOf(query, text.indexOf('\n', at) + 1);
  }
  return found;
}
