// The form for a question.

import {memo} from 'preact/compat';
import {useLayoutEffect, useId, useMemo, useRef} from 'preact/hooks';
import {explain, is_wrong} from '../explanation';
import {empty_question, to_pairs, type Question} from '../question';
import type {Wasm, Wrong} from '../wasm';
import {Field, place_of, SelectField, TextField} from './field';
import {read_source, read_statement, with_value} from './paste';

interface Props {
  wasm: Wasm;
  /** "A" or "B" if two questions are compared. */
  name: string;
  question: Question;
  wrong: Wrong | null;
  change: (change: Partial<Question>) => void;
}

function addresses_text(addresses: readonly (number | null)[]): string {
  return addresses.map((address) => address ?? '-').join(', ');
}

/** Returns the addresses of an expression, without padding and swizzle, as a list that the reader can edit. */
function listed(wasm: Wasm, question: Question): Partial<Question> {
  const answer = explain(wasm, to_pairs({...question, by: 'expr', pad: '', swizzle: ''}));
  // If no access is as wide as the type, the width for computing the addresses is one byte.
  if (is_wrong(answer)) {
    const bytes = explain(wasm, to_pairs({...empty_question, by: 'expr', expr: question.expr, space: question.space, array: question.array, let: question.let, type: question.type,
      block: question.block, warp: question.warp, where: question.where, mask: question.mask, width: '1'}));
    return is_wrong(bytes) ? {} : {addresses: addresses_text(bytes.addresses), where: '', mask: ''};
  }
  const list: Partial<Question> = {addresses: addresses_text(answer.addresses), where: '', mask: ''};
  // The width came from the array, but a list of addresses has no array.
  if (question.type === '' && question.width === '' && !question.op.includes('matrix')) list.width = `${answer.width_bytes}`;
  return list;
}

interface ListProps {
  singular: string;
  placeholder: string;
  hint: string;
  values: readonly string[];
  wrong: (index: number) => Wrong | null;
  on_change: (values: readonly string[]) => void;
}

/** Declarations of one kind, with a field for each. A new field gets the focus. */
function ListField({singular, placeholder, hint, values, wrong, on_change}: ListProps) {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(values.length);
  useLayoutEffect(() => {  // moves the focus before the next key is handled
    const added = values.at(-1) === '' && values.length === before.current + 1;
    before.current = values.length;
    if (added) [...place.current!.querySelectorAll('input')].at(-1)?.focus();
  }, [values]);
  return (
    <div class="declarations" ref={place}>
      {values.map((value, index) => (
        <div class="declaration" key={index}>
          <TextField label={values.length === 1 ? singular : `${singular} ${index + 1}`} value={value} placeholder={placeholder}
            {...value === '' ? {hint} : {}} wrong={wrong(index)}
            on_input={(text) => on_change(values.map((old, i) => i === index ? text : old))} />
          <button type="button" aria-label={`Remove ${singular.toLowerCase()} ${index + 1}`}
            onClick={() => on_change(values.filter((_, i) => i !== index))}>Remove</button>
        </div>
      ))}
    </div>
  );
}

/** Handles text that is pasted into the field of an array. The text may be a declaration, followed by an access. A
    declaration without an access stays in the field. */
function pasted_into(now: readonly string[], before: readonly string[]): Partial<Question> | null {
  const text = now.find((value, i) => value !== before[i]);
  return text && /;\s*\S/.test(text) ? read_source(text) : null;
}

/** Asks for the value of a name that has no value. A whole number becomes a constant after Enter, or when the field
    loses the focus. */
function MissingValue({name, on_value}: {name: string; on_value: (value: string) => void}) {
  const take = ({value}: HTMLInputElement) => { if (value.trim() !== '') on_value(value.trim()); };
  return (
    <Field label={`Value of ${name}`} wrong={null}>
      {(control) => <input {...control} class="mono" type="text" placeholder="32, or threadIdx.x" autocomplete="off"
        onKeyDown={(event) => { if (event.key === 'Enter') take(event.currentTarget); }} onBlur={(event) => take(event.currentTarget)} />}
    </Field>
  );
}

/** Names that depend on the lane, and therefore are not constants. */
const of_lane = /\b(t|lane|tid|threadIdx)\b/;

const own_machine = 'NxM';
const widths_up_to = (most: number) => [1, 2, 4, 8, 16, 32].filter((width) => width <= most).map(String).map((value) => ({value, text: `${value} byte${value === '1' ? '' : 's'}`}));
const widths = widths_up_to(16), global_widths = widths_up_to(32);

function Architecture({wasm, value, wrong, on_change}:
    {wasm: Wasm; value: string; wrong: Wrong | null; on_change: (value: string) => void}) {
  const known = wasm.vocabulary.archs;
  const own = value !== '' && !known.some((machine) => machine.name === value);
  const options = useMemo(() => [
    ...known.map(({name, family, banks, bank_bytes}) => ({value: name, text: `${name} ${family}${banks === 32 && bank_bytes === 4 ? '' : `, ${banks}x${bank_bytes}`}`})),
    {value: own_machine, text: 'N banks of M bytes'},
  ], [known]);
  return (
    <>
      <SelectField label="Architecture" value={own ? own_machine : value} empty="sm_90 (default)" options={options}
        wrong={own ? null : wrong} on_change={(chosen) => on_change(chosen === own_machine ? '10x4' : chosen)} />
      {own && <TextField label="Banks x bytes" value={value} placeholder="10x4" wrong={wrong}
        on_input={(text) => on_change(text === '' ? ' ' : text)} />}
    </>
  );
}

/** Returns whether the form looks the same with both props. Padding and swizzle do not matter, because the form has no
   fields for them. */
function same_form(a: Props, b: Props): boolean {
  const keys = Object.keys(a.question) as (keyof Question)[];
  return a.name === b.name && a.wrong === b.wrong && a.change === b.change
    && keys.every((key) => key === 'pad' || key === 'swizzle' || a.question[key] === b.question[key]);
}

export const Form = memo(function Form({wasm, name, question, wrong, change}: Props) {
  const id = useId(), global = question.space === 'global';
  const place = wrong ? place_of(wrong, question) : null;
  const at = (key: string, index = 0) => place?.key === key && place.index === index ? wrong : null;
  const lanes_given = question.mask !== '' || question.where !== '' || question.block !== '' || question.warp !== '';
  const lanes_wrong = place !== null && ['mask', 'where', 'block', 'warp'].includes(place.key);
  // Names are compared exactly. An unknown name may look like a known one: tx is not t.
  const asked = question.by === 'expr' && wrong ? /^unknown name '(\w+)'/.exec(wrong.message)?.[1] ?? '' : '';
  const turn = (by: 'expr' | 'addresses') =>
    change(by === 'addresses' && question.addresses === '' ? {by, ...listed(wasm, question)} : {by});

  return (
    <form class="form" aria-label={name === '' ? 'Question' : `Question ${name}`} onSubmit={(event) => event.preventDefault()}>
      {name !== '' && <h2 class="side-name">{name}</h2>}
      {question.other.length > 0 && (
        <p class="wrong">The link has values for which bankwise explain has no flag: {question.other.map(([key]) => key).join(', ')}. The page ignores these values. <button type="button" onClick={() => change({other: []})}>Remove</button></p>
      )}
      <fieldset class="turn">
        <legend class="unseen">The access is given as</legend>
        {([['expr', 'Expression'], ['addresses', '32 addresses']] as const).map(([by, text]) => (
          <label key={by}>
            <input type="radio" name={`${id}-by`} checked={question.by === by} onChange={() => turn(by)} /> {text}
          </label>
        ))}
      </fieldset>
      {question.by === 'expr'
        ? <TextField label="Index expression" rows={2} value={question.expr} wrong={at('expr')} class="wide"
          placeholder={global ? 'x[t * 2]' : question.array.some((one) => one.trim() !== '') || question.type !== '' ? 't' : 't * 8'}
          hint="t is the lane. Or paste an array and an access."
          on_input={(expr) => change(read_source(expr) ?? read_statement(expr, question.array) ?? {expr})} />
        : <TextField label="Byte addresses, one for each lane" rows={4} value={question.addresses} wrong={at('addresses')} class="wide"
          placeholder="0, 128, -, 256" hint="32 or fewer addresses, separated by commas or blanks. Write - for an inactive lane."
          on_input={(addresses) => change({addresses})} />}
      {asked !== '' && <MissingValue key={asked} name={asked} on_value={(value) => change(of_lane.test(value) ? {expr: with_value(question.expr, asked, `(${value})`)} : {let: [...question.let, `${asked}=${value}`]})} />}
      {question.by === 'expr' && (
        <ListField singular="Array" placeholder="float tile[32][33]" hint="The expression can then be tile[t][0]. For CuTe, write float tile (32,32):(33,1)."
          values={question.array} wrong={(index) => at('array', index)} on_change={(array) => change(pasted_into(array, question.array) ?? {array})} />
      )}
      {question.by === 'expr' && (
        <ListField singular="Constant" placeholder="pitch=33" hint="A named value for the expression and the arrays."
          values={question.let} wrong={(index) => at('let', index)} on_change={(constants) => change({let: constants})} />
      )}
      {question.by === 'expr' && (
        <div class="add">
          <button type="button" onClick={() => change({array: [...question.array, '']})}>Add an array</button>
          <button type="button" onClick={() => change({let: [...question.let, '']})}>Add a constant</button>
        </div>
      )}
      <div class="fields">
        <SelectField label="Type" value={question.type} empty={question.array.length > 0 ? "the array's" : global ? 'float' : 'bytes'}
          options={wasm.vocabulary.types} wrong={at('type')} on_change={(type) => change({type})} />
        <SelectField label="Width" value={question.width} empty="by type"
          options={global ? global_widths : widths}
          wrong={at('width')} on_change={(width) => change({width})} />
        <SelectField label="Operation" value={question.op} empty="ld (default)" options={global ? wasm.vocabulary.global_operations : wasm.vocabulary.operations}
          wrong={at('op')} on_change={(op) => change({op})} />
        <Architecture wasm={wasm} value={question.arch} wrong={at('arch')} on_change={(arch) => change({arch})} />
        {global && <TextField label="Base" value={question.base} placeholder="0" wrong={at('base')}
          hint="Bytes from a multiple of 256 to the start of the array. The number is 0 for an array from cudaMalloc." on_input={(base) => change({base})} />}
        {global && question.op.startsWith('cp.async.cg') && <TextField label="Destination" value={question.to} placeholder="t * 16" wrong={at('to')}
          hint="The address in shared memory to which each lane copies." on_input={(to) => change({to})} />}
        {!global && (question.op.startsWith('cp.async') || question.source !== '' || question.zfill !== '') && (
          <>
            <TextField label="Source" value={question.source} placeholder="t * 64" wrong={at('source')}
              hint="The address that each lane copies from, in the units of the expression. In a list of addresses, - means that the lane gets zeros." on_input={(source) => change({source})} />
            <SelectField label="Zero fill" value={question.zfill} empty="never" options={[{value: 'yes', text: 'may happen'}]}
              wrong={at('zfill')} on_change={(zfill) => change({zfill})} />
          </>
        )}
      </div>
      <details class="lanes" open={lanes_given || lanes_wrong}>
        <summary>Block, warp and active lanes</summary>
        <div class="fields">
          <TextField label="Block" value={question.block} placeholder="32,1,1" wrong={at('block')} on_input={(block) => change({block})} />
          <TextField label="Warp" value={question.warp} placeholder="0" wrong={at('warp')} on_input={(warp) => change({warp})} />
          <TextField label="Mask" value={question.mask} placeholder="0xffffffff" wrong={at('mask')} on_input={(mask) => change({mask})} />
          <TextField label="Where" value={question.where} placeholder="t < 16" wrong={at('where')} on_input={(where) => change({where})} />
        </div>
      </details>
    </form>
  );
}, same_form);
