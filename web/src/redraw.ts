// Replaces a picture by another picture of the same access. Equal parts stay in the document, and cells slide to their
// new positions. A picture is mostly text, and browsers compute the layout of text slowly. A cell that moves as a whole
// needs no new layout.

import {slide} from './slide';

/** A line of a picture's text: an element, or the end of an element. */
interface Line {
  text: string;
  /** The number of the word that a cell shows, or -1 for other elements. */
  word: number;
  /** The group that the element belongs to: lanes, wavefronts or words. The empty name means the picture itself. */
  part: string;
  element: Element;
}

export type Lines = Map<string, Line>;

/** Elements are identified by their meaning, such as "the label of the third bank" or "the second word of lane 5". */
function lines_of(svg: string, elements?: ArrayLike<Element>): Lines {
  let part = '', at = 0;
  const lines: Line[] = [];
  for (const text of svg.split('\n')) {
    if (text === '</g>') part = '';
    if (!/^<\w/.test(text)) continue;
    lines.push({text, word: Number(/ data-word="(\d+)/.exec(text)?.[1] ?? -1), part, element: elements?.[at++]!});
    if (/^<g[^>]*>$/.test(text)) part = /bw-\w+/.exec(text)![0];
  }
  const named: Lines = new Map(), seen = new Map<string, number>();
  for (const line of lines.sort((a, b) => a.word - b.word)) {
    const lanes = line.word < 0 ? 0 : parseInt(/ data-lanes="(\w+)/.exec(line.text)![1]!, 16);
    const kind = `${line.part} ${/bw-?\w*/.exec(line.text)?.[0]} ${lanes & -lanes}`, nth = seen.get(kind) ?? 0;
    seen.set(kind, nth + 1);
    named.set(`${kind} ${nth}`, line);
  }
  return named;
}

/** Returns the lines of a picture that was drawn for the first time. */
export function lines_in(picture: Element, svg: string): Lines {
  return lines_of(svg, picture.parentElement!.querySelectorAll('.bw, .bw > *, :is(.bw-lanes, .bw-time, .bw-words) > *'));
}

function set(element: Element, attributes: string) {
  // If the picture grows, the browser computes its whole layout again. So the container keeps its height and does not
  // shrink.
  const high = Number(element.getAttribute('height')), lower = element.matches('.bw') && high > Number(/ height="(\d+)/.exec(attributes)![1]);
  for (const [, name, value] of attributes.matchAll(/ ([\w-]+)="([^"]*)/g)) {
    if (name === 'transform') slide(element, value!);
    else if (element.getAttribute(name!) !== value && !(lower && /^(height|viewBox)$/.test(name!))) element.setAttribute(name!, value!);
  }
}

export function redraw(picture: Element, before: Lines, svg: string): Lines {
  const after = lines_of(svg), fresh: [Line, Element?][] = [];
  for (const [name, {element}] of before) if (!after.has(name)) element.remove();
  for (const [name, line] of after) {
    const old = before.get(name), end = line.text.indexOf('>');
    if (!old) {
      fresh.push([line]);
      continue;
    }
    line.element = old.element;
    if (old.text === line.text) continue;
    if (old.text.endsWith(line.text.slice(end))) set(old.element, line.text.slice(0, end));
    else fresh.push([line, old.element]);
  }
  const drawn = document.createElement('template');
  drawn.innerHTML = `<svg>${fresh.map(([{text}]) => text).join('')}</svg>`;
  [...drawn.content.firstElementChild!.children].forEach((element, i) => {
    const [line, old] = fresh[i]!;
    line.element = element;
    if (old) return old.replaceWith(element);
    const part = line.part === '' ? picture : picture.querySelector(`.${line.part}`)!;
    // Cells are drawn above other elements.
    part.insertBefore(element, line.word < 0 ? part.querySelector(':scope > .bw-cell') : null);
  });
  return after;
}
