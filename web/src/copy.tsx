// A button that copies a text. If the clipboard is not accessible, the text is shown selected instead.

import {useEffect, useRef, useState} from 'preact/hooks';

interface Props {
  label: string;
  title?: string;
  /** Returns the text to copy, or null if there is no text. Called when the button is clicked. */
  text: () => string | null;
  disabled?: boolean;
}

export function CopyButton({label, title, text, disabled}: Props) {
  const [state, set_state] = useState<'idle' | 'copied' | {shown: string}>('idle');
  const area = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    if (typeof state === 'object') area.current?.select();
    if (state !== 'copied') return;
    const timer = setTimeout(() => set_state('idle'), 1500);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy() {
    const copied = text();
    if (copied === null) return;
    try {
      await navigator.clipboard.writeText(copied);
      set_state('copied');
    } catch {
      set_state({shown: copied});
    }
  }

  return (
    <span class="copy">
      <button type="button" title={title} disabled={disabled} onClick={() => void copy()}>{label}</button>
      <span class="copy-said" role="status">{state === 'copied' ? 'copied' : ''}</span>
      {typeof state === 'object' && (
        <span class="copy-shown">
          <label>The clipboard is out of reach; copy from here (Ctrl+C), Escape closes
            <textarea ref={area} readOnly rows={6} value={state.shown}
              onKeyDown={(event) => { if (event.key === 'Escape') set_state('idle'); }} />
          </label>
          <button type="button" onClick={() => set_state('idle')}>Close</button>
        </span>
      )}
    </span>
  );
}
