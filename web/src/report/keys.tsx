// A dialog with the list of keyboard shortcuts.

import {useEffect, useRef} from 'preact/hooks';

const keys: readonly [string, string][] = [
  ['/', 'search: text, :LINE, FILE:LINE, 0xPC. Enter goes to the next match, and Shift+Enter to the previous match'],
  ['n  p', 'next and previous finding'],
  ['h  H', 'next and previous expensive line or instruction'],
  ['o', 'show only instructions that access shared memory'],
  ['w', 'wrap long lines'],
  ['j  k, arrows', 'move down and up in the list that was used last'],
  ['Page Up, Page Down, Home, End', 'move further in this list'],
  ['Enter', 'show the access of the selected line or instruction'],
  ['Esc', 'close the panel, or leave the search'],
  ['s  S', 'sort launches by the next column, or reverse the order'],
  ['1  2  3', 'source, SASS, PTX'],
  ['?', 'these keys'],
];

export function Keys({on_close}: {on_close: () => void}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title" onClose={on_close}
      onClick={(event) => { if (event.target === dialog.current) on_close(); }}>
      <h2 id="keys-title">Keys</h2>
      <dl>{keys.map(([key, says]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{says}</dd></div>)}</dl>
      <button type="button" onClick={on_close}>Close</button>
    </dialog>
  );
}
