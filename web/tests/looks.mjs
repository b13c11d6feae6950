// Finds measurable faults of a view: texts that overlap, texts that are cut off, and texts that cannot be reached.

/** This function runs in the page. */
function wrong_here(on_paper) {
  const found = new Set(), say = (what, ...texts) => found.add(`${what}: ${texts.map((text) => `"${text}"`).join(' and ')}`);
  const clips = (value) => value === 'hidden' || value === 'clip', scrolls = (value) => value === 'auto' || value === 'scroll';
  const paper = document.scrollingElement, texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, text = node.data.trim().replace(/\s+/g, ' ').slice(0, 40);
    if (text === '' || element.closest('script, style, noscript, title, option, .unseen, .probe, dialog:not([open])') || !element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    // Measures the text word by word, because a blank at the end of a line may extend beyond the edge.
    let boxes = [...node.data.matchAll(/\S+/g)].flatMap((word) => {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      return [...range.getClientRects()].map(({left, top, right, bottom}) => ({left, top, right, bottom}));
    });
    let cut = false, fixed = false;
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      const style = getComputedStyle(at), {left, top, right, bottom} = at.getBoundingClientRect();
      if (style.display === 'contents' || at.namespaceURI.endsWith('svg') && at.localName !== 'svg') continue;
      fixed ||= style.position === 'fixed';
      for (const [low, high, overflow, from, to] of [['left', 'right', style.overflowX, left, right], ['top', 'bottom', style.overflowY, top, bottom]]) {
        if (!clips(overflow) && !scrolls(overflow)) continue;
        const told = low === 'left' ? style.textOverflow === 'ellipsis' : style.webkitLineClamp !== 'none';
        // A reader can scroll to the lines above and below the visible part of a list.
        cut ||= clips(overflow) && !told && boxes.some((box) => box[low] < from - 1.5 || box[high] > to + 1.5);
        boxes = boxes.map((box) => ({...box, [low]: Math.max(box[low], from), [high]: Math.min(box[high], to)}));
      }
      boxes = boxes.filter((box) => box.right - box.left > 0.5 && box.bottom - box.top > 0.5);
    }
    if (cut) say('cut off', text);
    const wide = fixed ? innerWidth : Math.max(paper.scrollWidth, innerWidth);
    if (boxes.some((box) => box.right + scrollX > wide + 1 || box.left + scrollX < -1 || box.top + scrollY < -1)) say('out of reach', text);
    for (const box of boxes) texts.push({...box, element, text});
  }
  if (paper.scrollWidth > innerWidth + 1) say('scrolls sideways', `${paper.scrollWidth} of ${innerWidth} pixels`);

  // Looks for overlapping elements. A text below an opaque element is invisible, so this text does not count.
  const opaque = (element) => !/^(transparent|rgba\(.*, 0(\.\d+)?\))$/.test(getComputedStyle(element).backgroundColor);
  texts.sort((a, b) => a.top - b.top);
  texts.forEach((a, i) => {
    for (let j = i + 1; j < texts.length && texts[j].top < a.bottom - 3; j++) {
      const b = texts[j], left = Math.max(a.left, b.left), right = Math.min(a.right, b.right), bottom = Math.min(a.bottom, b.bottom);
      if (right - left < 3 || bottom - b.top < 4 || a.element === b.element) continue;
      const x = (left + right) / 2, y = (b.top + bottom) / 2, stack = document.elementsFromPoint(x, y);
      if (a.element.closest('svg') || b.element.closest('svg')) {
        if (a.element.closest('svg') === b.element.closest('svg')) say('over each other', a.text, b.text);
        continue;
      }
      const upper = stack.findIndex((one) => one === a.element || one === b.element);
      const lower = stack.findIndex((one, at) => at > upper && (one === a.element || one === b.element));
      if (upper >= 0 && lower >= 0 && !stack.slice(upper, lower).some(opaque)) say('over each other', a.text, b.text);
    }
  });
  if (on_paper) {
    for (const element of document.querySelectorAll('body *')) {
      const {overflowX, overflowY} = getComputedStyle(element);
      // The margin of a line has fixed columns, and its texts are checked above.
      if (!element.checkVisibility() || element.closest('.unseen, .probe, svg, .gutter') || element.matches('textarea, input, select')) continue;
      if (overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1 || overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1) {
        say('not whole', element.outerHTML.slice(0, 80));
      }
    }
  }
  return [...found];
}

/** Returns the elements that overlap, that are cut off without a scroll bar or dots, or that the reader cannot scroll
    to. On paper, nothing can scroll. */
export function wrong_looks(page, on_paper = false) {
  return page.evaluate(wrong_here, on_paper);
}

/** Returns the boxes whose visible parts overlap, although they must not. */
export function overlapping_boxes(page, selectors) {
  return page.evaluate((selectors) => {
    const boxes = selectors.flatMap((selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility()).map((element) => {
      let {left, top, right, bottom} = element.getBoundingClientRect();
      for (const inside of element.querySelectorAll('*')) {
        // Content that overflows a box belongs to the box.
        if (inside.closest('.unseen, .list, svg, [popover]') || !inside.checkVisibility()) continue;
        const at = inside.getBoundingClientRect();
        if (at.height > 0 && getComputedStyle(element).overflowY === 'visible') bottom = Math.max(bottom, at.bottom);
      }
      for (let at = element.parentElement; at; at = at.parentElement) {
        if (getComputedStyle(at).overflowY === 'visible') continue;
        const frame = at.getBoundingClientRect();
        [left, top, right, bottom] = [Math.max(left, frame.left), Math.max(top, frame.top), Math.min(right, frame.right), Math.min(bottom, frame.bottom)];
      }
      return {selector, left, top, right, bottom};
    }));
    const shared = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5;
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => shared(a, b))
      .map((b) => `${a.selector} ${[a.left, a.top, a.right, a.bottom].map(Math.round)} and ${b.selector} ${[b.left, b.top, b.right, b.bottom].map(Math.round)}`));
  }, selectors);
}
