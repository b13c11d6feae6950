// A line of code: what is searched for marked, comments faint.

import type {ComponentChildren} from 'preact';

/** From where the rest of a line is a comment; `from` is where the code begins. Quotes hide slashes. */
export function comment_start(text: string, from: number): number {
  let quote = '';
  for (let i = from; i < text.length; i++) {
    const c = text[i]!;
    if (quote !== '') {
      if (c === '\\') i++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === '/' && text[i + 1] === '/') return i;
    else if (c === '/' && text[i + 1] === '*') {
      const close = text.indexOf('*/', i + 2);
      if (close < 0 || text.slice(close + 2).trim() === '') return i;
      i = close + 1;
    }
  }
  return text.length;
}

/** `query` is in lower case. */
export function marked(text: string, query: string): ComponentChildren {
  if (query === '') return text;
  const lower = text.toLowerCase(), parts: ComponentChildren[] = [];
  let at = 0;
  for (;;) {
    const found = lower.indexOf(query, at);
    if (found < 0) break;
    parts.push(text.slice(at, found), <mark>{text.slice(found, found + query.length)}</mark>);
    at = found + query.length;
  }
  if (parts.length === 0) return text;
  parts.push(text.slice(at));
  return parts;
}

export function code_line(text: string, query: string, comment_end = 0): ComponentChildren {
  const rest = comment_start(text, comment_end);
  return (
    <>
      {comment_end > 0 && <span class="comment">{marked(text.slice(0, comment_end), query)}</span>}
      {marked(text.slice(comment_end, rest), query)}
      {rest < text.length && <span class="comment">{marked(text.slice(rest), query)}</span>}
    </>
  );
}
