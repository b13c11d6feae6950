// Where a text occurs: in the names of kernels, the sources, the listing and the PTX of the launch that is shown.

import type {Model, Selection} from './model';

export interface Match {
  pane: 'source' | 'sass' | 'ptx';
  selection: Selection;
}

/** In the order source (the shown file first), listing, PTX. `query` is in lower case. */
export function find_matches(model: Model, file: string, query: string): Match[] {
  const list: Match[] = [];
  if (query === '') return list;
  const files = [...model.files].sort((a, b) => Number(b.path === file) - Number(a.path === file));
  for (const {path, rows} of files) {
    for (const {line, text} of rows) {
      if (text.toLowerCase().includes(query)) list.push({pane: 'source', selection: {by: 'line', path, line}});
    }
  }
  for (const row of model.sass) {
    if (row.kind === 'instruction' && (row.text.toLowerCase().includes(query) || `0x${row.pc.toString(16)}` === query)) {
      list.push({pane: 'sass', selection: {by: 'pc', function: row.function, pc: row.pc}});
    }
  }
  model.ptx.forEach(({text}, i) => {
    if (text.toLowerCase().includes(query)) list.push({pane: 'ptx', selection: {by: 'ptx', line: i + 1}});
  });
  return list;
}
