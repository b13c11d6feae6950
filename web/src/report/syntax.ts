// Finds the kind of each word in a line of CUDA C++, PTX, SASS or Python. The kind determines the word's colour. The
// search works line by line. `from` is the end of a comment or string that began in an earlier line.

export type Language = 'cuda' | 'ptx' | 'sass' | 'python';
/** k: keyword. t: type or built-in name of CUDA. s: string. n: number. c: comment. d: directive. Empty: anything
    else. */
export type Kind = '' | 'k' | 't' | 's' | 'n' | 'c' | 'd';
export type Token = readonly [kind: Kind, text: string];

const words = (text: string) => new Set(text.split(' '));
const cuda_keywords = words('alignas alignof asm auto break case catch class const consteval constexpr constinit const_cast continue ' +
  'co_await co_return co_yield decltype default delete do dynamic_cast else enum explicit export extern false final for friend goto if ' +
  'inline mutable namespace new noexcept nullptr operator override private protected public register reinterpret_cast requires return ' +
  'sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typename union using virtual ' +
  'volatile while concept');
const cuda_types = words('bool char char8_t char16_t char32_t double float int long short signed unsigned void size_t half half2 __half ' +
  '__half2 __nv_bfloat16 __nv_bfloat162 threadIdx blockIdx blockDim gridDim warpSize');
const python_keywords = words('and as assert async await break class continue def del elif else except False finally for from global if ' +
  'import in is lambda None nonlocal not or pass raise return True try while with yield match case');

const cuda = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"?|(?<!\w)'(?:[^'\\]|\\.)*'?)|(^\s*#\s*\w+)|((?:0[xX][\da-fA-F']+|\d[\d']*\.?\d*(?:[eE][+-]?\d+)?|\.\d+)[\w.]*)|([A-Za-z_]\w*)/g;
const ptx = /(\/\/.*|\/\*.*?(?:\*\/|$))|("[^"]*"?)|((?<![\w%])\.[a-z]\w*)|((?<![\w%$])(?:0[xXfFdD][\da-fA-F]+|\d+)\b)|([%$A-Za-z_][\w.:$%]*)/g;
const sass = /(#.*)|()()((?<![\w.])-?(?:0x[\da-f]+|\d+(?:\.\d+)?)\b)|(@?!?[A-Za-z_][\w.]*)/g;
const python = /(#.*)|([rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?))|(^\s*@[\w.]+)|(\b(?:0[xX][\da-fA-F_]+|\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?))|([A-Za-z_]\w*)/g;
const patterns: Record<Language, RegExp> = {cuda, ptx, sass, python};

function word_kind(word: string, language: Language): Kind {
  if (language === 'cuda') {
    if (cuda_keywords.has(word)) return 'k';
    return cuda_types.has(word) || /^(__\w+__|__syncthreads\w*|__syncwarp|u?int\d+_t|(float|double|u?(char|short|int|long|longlong))[1-4]|dim3)$/.test(word) ? 't' : '';
  }
  if (language === 'python') return python_keywords.has(word) ? 'k' : /^(tl|cp|cuda|triton)$/.test(word) ? 't' : '';
  if (language === 'ptx') return /^[%$]/.test(word) ? '' : word.includes('.') ? 'k' : '';
  return '';
}

/** Returns a line, or the part of it after character `from`, as a list of tokens without gaps. */
export function tokens(text: string, language: Language, from = 0): Token[] {
  const list: Token[] = [];
  if (from > 0) list.push(['c', text.slice(0, from)]);
  const pattern = patterns[language];
  let at = from;
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [all, comment, string, directive, number, word] = match;
    if (all === '') {
      pattern.lastIndex++;
      continue;
    }
    const kind: Kind = comment !== undefined ? 'c' : string ? 's' : directive ? 'd' : number !== undefined ? 'n' : word_kind(word!, language);
    if (kind === '') continue;
    if (match.index > at) list.push(['', text.slice(at, match.index)]);
    list.push([kind, all]);
    at = match.index + all.length;
  }
  if (at < text.length) list.push(['', text.slice(at)]);
  return list;
}

export function language_of(path: string): Language {
  return /\.pyi?$/.test(path) ? 'python' : /\.ptx$/.test(path) ? 'ptx' : 'cuda';
}
