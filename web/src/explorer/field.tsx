// A field of the form with its label. An error in its value is shown below the field, in the words of the command line.

import type {ComponentChildren, JSX} from 'preact';
import {useId, useMemo} from 'preact/hooks';
import type {Question} from '../question';
import type {Wrong} from '../wasm';

/** The place of an error: a key of the question, and the index of the wrong value of this key. */
export interface Place {
  key: string;
  index: number;
}

const keys_of_files = new Map(Object.entries({
  'expression': 'expr', 'the list': 'addresses', '--where': 'where', '--array': 'array', '--let': 'let', '--mask': 'mask',
}));

const fields = ['expr', 'addresses', 'type', 'width', 'op', 'mask', 'where', 'block', 'warp', 'arch', 'let', 'array', 'pad', 'swizzle', 'base', 'to'];

export function place_of(wrong: Wrong, question: Question): Place {
  const named = (wrong.flag ?? '').replace(/^--/, '') || keys_of_files.get(wrong.file) || '';
  const key = fields.includes(named) && !(named === 'expr' || named === 'addresses') ? named : question.by;
  if (key !== 'let' && key !== 'array') return {key, index: 0};
  const values = question[key];
  const shown = values.findIndex((value) => wrong.source_line !== '' && value.includes(wrong.source_line));
  return {key, index: shown >= 0 ? shown : Math.max(0, values.findIndex((value) => wrong.message.includes(value)))};
}

/** The names of the command line's flags in the form. */
const names_of_flags = new Map(Object.entries({
  array: 'Array', let: 'Constant', type: 'Type', width: 'Width', op: 'Operation', mask: 'Mask', where: 'Where', block: 'Block', warp: 'Warp',
  arch: 'Architecture', source: 'Source', zfill: 'Zero fill', pad: 'Padding', swizzle: 'XOR swizzle', base: 'Base', to: 'Destination',
}));

/** Turns "--type float makes it count" into "Type float makes it count". */
export function in_words_of_form(text: string): string {
  return text.replace(/--(\w+)/g, (flag, name: string) => names_of_flags.get(name) ?? flag).replace(/\bEXPR\b/g, 'the expression');
}

/** Returns the number of characters in the first `bytes` bytes of a line in UTF-8. */
function characters(line: string, bytes: number): number {
  return new TextDecoder().decode(new TextEncoder().encode(line).slice(0, bytes)).length;
}

export function WrongText({id, wrong}: {id: string; wrong: Wrong | null}) {
  let caret = '';
  if (wrong && wrong.source_line !== '' && wrong.column > 0) {
    const start = characters(wrong.source_line, wrong.column - 1);
    const end = characters(wrong.source_line, wrong.column - 1 + Math.max(1, wrong.length));
    caret = ' '.repeat(start) + '^'.repeat(Math.max(1, end - start));
  }
  return (
    <div id={id} class="wrong" aria-live="polite">
      {wrong && <p>{in_words_of_form(wrong.message)}</p>}
      {caret !== '' && <pre aria-hidden="true">{wrong!.source_line}{'\n'}{caret}</pre>}
      {caret !== '' && <p class="unseen">at column {wrong!.column} of {wrong!.source_line}</p>}
      {wrong && wrong.hint !== '' && <p class="wrong-hint">{in_words_of_form(wrong.hint)}</p>}
    </div>
  );
}

export interface Control {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string;
}

interface FieldProps {
  label: string;
  hint?: string | undefined;
  wrong: Wrong | null;
  class?: string;
  /** Renders the control, which gets these attributes. */
  children: (control: Control) => ComponentChildren;
}

export function Field({label, hint, wrong, class: classes, children}: FieldProps) {
  const id = useId();
  const control: Control = {id, 'aria-invalid': wrong !== null, 'aria-describedby': `${id}-wrong${hint ? ` ${id}-hint` : ''}`};
  return (
    <div class={`field ${classes ?? ''}`}>
      <label for={id}>{label}</label>
      {children(control)}
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
      <WrongText id={`${id}-wrong`} wrong={wrong} />
    </div>
  );
}

interface TextProps {
  label: string;
  hint?: string;
  value: string;
  on_input: (value: string) => void;
  wrong: Wrong | null;
  placeholder?: string;
  /** Number of lines of a text area. If the number is missing, the field is an input. */
  rows?: number;
  class?: string;
}

export function TextField({label, hint, value, on_input, wrong, placeholder, rows, class: classes}: TextProps) {
  const attributes = {
    class: 'mono', value, placeholder, spellcheck: false, autocomplete: 'off', autocapitalize: 'off',
    onInput: (event: JSX.TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) => on_input(event.currentTarget.value),
  } as const;
  return (
    <Field label={label} hint={hint} wrong={wrong} {...classes ? {class: classes} : {}}>
      {(control) => rows ? <textarea {...control} {...attributes} rows={rows} /> : <input {...control} {...attributes} type="text" />}
    </Field>
  );
}

interface SelectProps {
  label: string;
  value: string;
  /** The label of the empty value. */
  empty: string;
  options: readonly (string | {value: string; text: string})[];
  on_change: (value: string) => void;
  wrong: Wrong | null;
}

export function SelectField({label, value, empty, options, on_change, wrong}: SelectProps) {
  // When the reader types in another field, the same option elements are used again. So Preact need not compare them.
  const items = useMemo(() => options.map((option) => {
    const {value: name, text} = typeof option === 'string' ? {value: option, text: option} : option;
    return <option key={name} value={name}>{text}</option>;
  }), [options]);
  const known = value === '' || options.some((option) => (typeof option === 'string' ? option : option.value) === value);
  return (
    <Field label={label} wrong={wrong}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => on_change(event.currentTarget.value)}>
          <option value="">{empty}</option>
          {!known && <option value={value}>{value}</option>}
          {items}
        </select>
      )}
    </Field>
  );
}
