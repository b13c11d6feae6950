// Reports whether the page is being printed. If so, lists contain all rows. Browsers print what exists after the
// `beforeprint` handlers, so rendering must end before the handlers return.

import {options} from 'preact';
import {useEffect, useState} from 'preact/hooks';

const listeners = new Set<(on: boolean) => void>();
let printing = false;

function set(on: boolean) {
  if (on === printing) return;
  printing = on;
  const usual = options.debounceRendering;
  options.debounceRendering = (render) => render();
  for (const listener of listeners) listener(on);
  if (usual) options.debounceRendering = usual;
  else delete options.debounceRendering;
}

const media = matchMedia('print');
media.addEventListener('change', () => set(media.matches));
addEventListener('beforeprint', () => set(true));
addEventListener('afterprint', () => set(false));

export function use_printing(): boolean {
  const [on, set_on] = useState(printing);
  useEffect(() => {
    listeners.add(set_on);
    return () => { listeners.delete(set_on); };
  }, []);
  return on;
}
