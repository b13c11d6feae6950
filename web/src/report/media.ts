// A hook that returns whether a media query matches. The component is rendered again when the result changes.

import {useEffect, useState} from 'preact/hooks';

export function use_media(query: string): boolean {
  const [holds, set_holds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query), changed = () => set_holds(list.matches);
    changed();
    list.addEventListener('change', changed);
    return () => list.removeEventListener('change', changed);
  }, [query]);
  return holds;
}
