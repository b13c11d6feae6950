// Numbers and places as text.

export function grouped(n: number): string {
  return n < 1000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a number with at most nine characters. The text is exact up to ten million. */
export function in_margin(n: number): string {
  if (n < 1e7) return grouped(n);
  for (const [unit, name] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M']] as const) {
    if (n >= unit) return `${(n / unit).toFixed(n / unit < 100 ? 1 : 0)}${name}`;
  }
  return grouped(n);
}

export function count_of(n: number, one: string, many = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${(100 * part / whole).toFixed(1)}%`;
}

/** Formats a factor with one digit after the point, as in 16.5. A factor below 2 has two digits, as in 1.04. */
export function times(before: number, after: number): string {
  const ratio = before / after;
  return ratio.toFixed(ratio < 1.995 ? 2 : 1);
}

export function base_name(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

export function hex(n: number): string {
  return `0x${n.toString(16)}`;
}

/** Returns "8,8" for a grid of 8x8x1, without ones at the end. */
export function extent([x, y, z]: readonly [number, number, number]): string {
  return z !== 1 ? `${x}, ${y}, ${z}` : y !== 1 ? `${x}, ${y}` : `${x}`;
}

/** Returns nanoseconds as microseconds with three digits. */
export function in_time(nanoseconds: number): string {
  const us = nanoseconds / 1000;
  return us >= 99.95 ? grouped(Math.round(us)) : us.toFixed(us >= 9.995 ? 1 : 2);
}
