// A line of code in which the search text is marked and words have the colour of their kind.

import type {ComponentChildren} from 'preact';
import {tokens, type Language} from './syntax';

/** Marks `query`, which is in lower case. */
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

/** `comment_end` is the end of a comment that began in an earlier line. */
export function code_line(text: string, query: string, language: Language, comment_end = 0): ComponentChildren {
  if (query !== '') return marked(text, query);
  return tokens(text, language, comment_end).map(([kind, word]) => kind === '' ? word : <span class={`w-${kind}`}>{word}</span>);
}
