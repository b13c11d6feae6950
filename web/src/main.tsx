// Reads the page's data, loads the rule, and shows the view that is named in the URL's hash.

import {render} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {colour_style} from './colours';
import type {PageData} from './data';
import {DiffView} from './diff/view';
import {Explorer} from './explorer/view';
import {read_hash, type Pairs} from './question';
import {ReportView} from './report/view';
import './style.css';
import {bytes_in, inflate} from './packed';
import {load_wasm, type Kind, type Wasm} from './wasm';

declare global {
  interface Window {
    /** Evaluates a question, for the browser's console and for tests. */
    bankwise: {answer(kind: Kind, question: Pairs): unknown};
  }
}

function view_of(data: PageData): 'explain' | 'report' | 'diff' {
  const view = read_hash(location.hash).view;
  if (data?.view === 'diff' && view !== 'explain') return 'diff';
  if (data?.view !== 'report' || view === 'explain') return 'explain';
  return 'report';
}

function Page({data, wasm}: {data: PageData; wasm: Wasm}) {
  const [view, set_view] = useState(view_of(data));
  useEffect(() => {
    const changed = () => set_view(view_of(data));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, [data]);
  if (view === 'diff' && data?.view === 'diff') return <DiffView data={data} />;
  if (view === 'report' && data?.view === 'report') return <ReportView data={data} wasm={wasm} />;
  return <Explorer wasm={wasm} question={data?.view === 'explain' ? data.question : null} report={data?.view === 'report'} />;
}

/** Loads the style of the page, which is packed in the page (vite.config.ts). The page's security policy allows a
    constructed style sheet. */
async function load_style(): Promise<CSSStyleSheet> {
  const sheet = new CSSStyleSheet(), element = document.getElementById('bankwise-style');
  if (element) sheet.replaceSync(new TextDecoder().decode(await inflate(bytes_in(element))));
  return sheet;
}

async function start() {
  const app = document.getElementById('app')!;
  try {
    // The rule is unpacked and compiled while the data are read, because both take long.
    const loading = load_wasm();
    loading.catch(() => {});  // an error is shown below, where the promise is awaited
    const page_style = await load_style();
    document.adoptedStyleSheets = [page_style];
    const element = document.getElementById('bankwise-data')!, data = JSON.parse(element.textContent!) as PageData;
    element.remove();  // removes the element, because it is large and no longer needed
    const wasm = await loading;
    window.bankwise = {answer: wasm.answer};
    const style = new CSSStyleSheet();
    style.replaceSync(wasm.vocabulary.style + colour_style);
    document.adoptedStyleSheets = [page_style, style];
    app.textContent = '';
    render(<Page data={data} wasm={wasm} />, app);
  } catch (error) {
    app.setAttribute('role', 'alert');
    app.className = 'broken';
    app.textContent = `This page cannot show its answer: ${error instanceof Error ? error.message : String(error)}. ` +
      'The page needs WebAssembly and a browser from 2023 or later.';
    throw error;
  }
}

void start();
