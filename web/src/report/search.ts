// Where a text occurs: in the names of kernels, the sources, the listing and the PTX of the launch that is shown.

import type {Model, Selection} from './model';

export interface Match {
  pane: 'source' | 'sass' | 'ptx';
  selection: Selection;
}

interface Texts {
  files: readonly {path: string; lines: readonly string[]}[];
  sass: readonly string[];
  ptx: readonly string[];
}

/** The texts of a model in lower case, made when it is searched first. */
const texts_of = new WeakMap<Model, Texts>();
function texts(model: Model): Texts {
  let made = texts_of.get(model);
  if (!made) {
    made = {
      files: model.files.map(({path, rows}) => ({path, lines: rows.map(({text}) => text.toLowerCase())})),
      sass: model.sass.map(({text}) => text.toLowerCase()), ptx: model.ptx.map(({text}) => text.toLowerCase()),
    };
    texts_of.set(model, made);
  }
  return made;
}

/** In the order source (the shown file first), listing, PTX. `query` is in lower case. */
export function find_matches(model: Model, file: string, query: string): Match[] {
  const list: Match[] = [];
  if (query === '') return list;
  const {files, sass, ptx} = texts(model);
  for (const {path, lines} of [...files].sort((a, b) => Number(b.path === file) - Number(a.path === file))) {
    const {rows} = model.file_of.get(path)!;
    lines.forEach((text, i) => {
      if (text.includes(query)) list.push({pane: 'source', selection: {by: 'line', path, line: rows[i]!.line}});
    });
  }
  sass.forEach((text, i) => {
    const {kind, function: name, pc} = model.sass[i]!;
    if (kind === 'instruction' && (text.includes(query) || query === `0x${pc.toString(16)}`)) {
      list.push({pane: 'sass', selection: {by: 'pc', function: name, pc}});
    }
  });
  ptx.forEach((text, i) => {
    if (text.includes(query)) list.push({pane: 'ptx', selection: {by: 'ptx', line: i + 1}});
  });
  return list;
}
