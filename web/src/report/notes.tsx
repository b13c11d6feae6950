// The notes about a launch: accesses out of bounds, accesses that no barrier orders, loops that retry. The data
// contains the sentences. The places in them link to the source.

import type {How} from './list';
import {place_selection, place_text, type Model, type Selection} from './model';
import {count_of, hex} from './numbers';
import type {NoteItem, NotePlace} from './schema';

type OnSelect = (selection: Selection, how: How) => void;

/** The number of items that are listed at first. The other items are shown after a click. */
const most_items = 20;

function Place({model, place, on_select}: {model: Model; place: NotePlace; on_select: OnSelect}) {
  const to = place_selection(model, place), text = place.line !== 0 ? place_text(place.path, place.line) : `pc ${hex(place.pc)}`;
  return to ? <button type="button" class="as-link mono" onClick={() => on_select(to, 'click')}>{text}</button> : <span class="mono">{text}</span>;
}

function Short({model, item, on_select}: {model: Model; item: NoteItem; on_select: OnSelect}) {
  return (
    <li>
      {item.places.map((place, i) => <span key={i}>{place.does} <Place model={model} place={place} on_select={on_select} /> </span>)}
      <b>{item.what}</b>
      {item.where !== '' && <p class="note">{item.where}</p>}
    </li>
  );
}

export function Notes({model, on_select}: {model: Model; on_select: OnSelect}) {
  return (
    <section class="notes" aria-label="Notes on this launch">
      {model.view.notes.map(({title, says, items, hint}) => {
        const list = (some: readonly NoteItem[]) => (
          <ul>{some.map((item, i) => <Short key={i} model={model} item={item} on_select={on_select} />)}</ul>
        );
        return (
          <div key={title}>
            <h3><span class="gone">{title}</span>{says !== '' && <span class="note">: {says}</span>}</h3>
            {list(items.slice(0, most_items))}
            {items.length > most_items && (
              <details>
                <summary>and {count_of(items.length - most_items, 'more', 'more')}</summary>
                {list(items.slice(most_items))}
              </details>
            )}
            {hint !== '' && <p class="note">{hint}</p>}
          </div>
        );
      })}
    </section>
  );
}

/** The complete notes about the selection. */
export function NotesHere({model, items, on_select}: {model: Model; items: readonly NoteItem[]; on_select: OnSelect}) {
  return (
    <>
      {items.map(({what, where, places, trail, hint}, i) => (
        <div key={i} class="note-here">
          <p><b>{what}</b></p>
          {where !== '' && <p>{where}</p>}
          {places.map((place, at) => (
            <p key={at} class="note">
              {place.does} <Place model={model} place={place} on_select={on_select} />{' '}
              pc {hex(place.pc)} <span class="mono">{place.sass}</span>{place.function !== '' ? ` in ${place.function}` : ''} {place.detail}
            </p>
          ))}
          {trail.map((step) => <p key={step} class="note">{step}</p>)}
          {hint !== '' && <p class="note">{hint}</p>}
        </div>
      ))}
    </>
  );
}
