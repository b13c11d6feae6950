// Bundles the page into one HTML file that contains its script, its style and the WebAssembly. A content security
// policy allows only these parts. The WebAssembly and the style are packed. The same inputs give the same bytes.

import {createHash} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {defineConfig, type Plugin} from 'vite';

const most_bytes = 410_000;
const wasm_path = process.env.BANKWISE_WASM
  ?? fileURLToPath(new URL('../build/page/bankwise.wasm', import.meta.url));

/** Encodes four bytes as five characters between ( and |. } replaces <, because < has a meaning in HTML. The result
   is a tenth shorter than base64. */
function base85(bytes: Buffer): string {
  const all = Buffer.concat([bytes, Buffer.alloc((4 - bytes.length % 4) % 4)]);
  let text = '';
  for (let at = 0; at < all.length; at += 4) {
    let number = all.readUInt32BE(at), five = '';
    for (let i = 0; i < 5; i++, number = Math.floor(number / 85)) five = String.fromCharCode(40 + number % 85) + five;
    text += five;
  }
  return text.replaceAll('<', '}');
}

function packed(bytes: Buffer): Buffer {
  // memLevel determines how often a new Huffman table begins. The level with the shortest result is used.
  const all = [6, 7, 8, 9].map((memLevel) => gzipSync(bytes, {level: 9, memLevel})).reduce((a, b) => b.length < a.length ? b : a);
  all.fill(0, 4, 8);  // removes the time stamp
  all[9] = 255;       // removes the operating system
  return all;
}

/** Makes an element that contains packed bytes, which packed.ts reads. */
function element_of(id: string, bytes: Buffer): string {
  return `<script type="text/plain" id="${id}" data-bytes="${bytes.length}">${base85(bytes)}</script>`;
}

function packed_wasm(): Buffer {
  if (!existsSync(wasm_path)) {
    throw new Error(`there is no WebAssembly file ${wasm_path}. Build this file first, or set the environment variable BANKWISE_WASM to the path of the file`);
  }
  return packed(readFileSync(wasm_path));
}

function digest(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

function one_file(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => html.replace('<!-- wasm -->',
        () => element_of('bankwise-wasm', packed_wasm())),
    },
    generateBundle(_options, bundle) {
      let html = '', script = '', style = '';
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === 'chunk') script += file.code;
        else if (name.endsWith('.css')) style += String(file.source);
        else if (name.endsWith('.html')) html = String(file.source);
        else this.error(`the page would load the file ${name} separately`);
        delete bundle[name];
      }
      script = script.trim();
      style = style.trim();
      if (/<\/(script|style)|<!--|\r/i.test(script)) this.error('the script contains </script, </style, <!-- or a carriage return, which HTML does not allow in a script');
      const packed_style = element_of('bankwise-style', packed(Buffer.from(style)));
      const policy = ["default-src 'none'", `script-src ${digest(script)} 'wasm-unsafe-eval'`, "style-src 'none'",
        'img-src data:', "base-uri 'none'", "form-action 'none'"].join('; ');
      const page = html
        .replace(/\s*<script type="module"[^>]*src=[^>]*><\/script>/, '')
        .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
        .replace('<!-- policy -->', () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
        .replace('</body>', () => `${packed_style}\n<script>${script}</script>\n</body>`);
      const data = '<script type="application/json" id="bankwise-data">null</script>';
      if (page.split(data).length !== 2) this.error('the page must contain the placeholder for its data exactly once');
      if (/(src|href)="(?!data:|#)/.test(page.replace(script, ''))) this.error('the page refers to another file, but the page must be a single file');
      const bytes = Buffer.byteLength(page);
      if (bytes > most_bytes) this.error(`the page has ${bytes} bytes, which is more than the limit of ${most_bytes} bytes`);
      this.emitFile({type: 'asset', fileName: 'page.html', source: page});
      console.log(`page.html ${bytes} bytes: script ${script.length}, style ${packed_style.length}, ` +
        `wasm ${base85(packed_wasm()).length}; the limit is ${most_bytes}`);
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [one_file()],
  esbuild: {jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none'},
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1_000_000,
    reportCompressedSize: false,
    rollupOptions: {output: {format: 'iife', inlineDynamicImports: true}},
  },
});
