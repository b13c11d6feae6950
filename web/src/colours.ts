// The colours of lanes and wavefronts: viridis, which is readable with any colour vision. The first items are dark, the
// last items are light. The number in each cell is black or white, with a contrast of at least 4.5:1.

export const shades = 32;

const stops: readonly (readonly [number, number, number])[] = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44],
  [253, 231, 37],
];

function light(rgb: readonly number[]): number {
  const [r, g, b] = rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

export interface Shade {
  fill: string;
  ink: '#000' | '#fff';
}

export const shade = Array.from({length: shades}, (_, i): Shade => {
  const at = i / (shades - 1) * (stops.length - 1), low = Math.min(Math.floor(at), stops.length - 2);
  const rgb = stops[low]!.map((c, k) => Math.round(c + (stops[low + 1]![k]! - c) * (at - low)));
  // At a luminance of 0.179, the contrast to black equals the contrast to white.
  return {fill: `rgb(${rgb.join()})`, ink: light(rgb) > 0.179 ? '#000' : '#fff'};
});

/** Returns the shade for one of `count` items in a sequence. */
export function shade_of(index: number, count: number): number {
  return count < 2 ? 0 : Math.round(Math.min(index, count - 1) * (shades - 1) / (count - 1));
}

/** Style for the cells of a coloured picture. colour_cell sets the shade of a cell. */
export const colour_style = `.bw-coloured .bw-shade rect{fill:var(--shade);stroke:var(--bw-paper)}
.bw-coloured .bw-shade text,.bw-coloured .bw-shade .bw-notch{fill:var(--shade-ink)}
.bw-coloured .bw-key,.bw-coloured .bw-key+text{display:none}`;

export function colour_cell(cell: SVGElement, {fill, ink}: Shade) {
  cell.classList.add('bw-shade');
  cell.style.setProperty('--shade', fill);
  cell.style.setProperty('--shade-ink', ink);
}
