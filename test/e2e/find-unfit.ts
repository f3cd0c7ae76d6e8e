/**
 * The figures of a page that are cut off or broken over lines, and the headers, badges, buttons and tabs that are cut
 * off: by what clips them, unless that can be scrolled. Names and texts of users may be shortened.
 */
export const FIND_UNFIT = `(() => {
  const found = [];
  const isFigure = (text) => /^[~≈]?\\$?-?[\\d,.]+\\s?(ms|s|min|h|%|K|M|B|KB|MB|tokens.*|\\/.*)?(\\s?\\d+\\s?(s|min))?$/.test(text);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent.trim();
    const element = node.parentElement;
    if (text === '' || !element.checkVisibility() || element.closest('.sr-only, option, script, style')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
    if (rects.length === 0) continue;
    const figure = isFigure(text) || element.closest('time') !== null;
    const fixed = element.closest('[role=columnheader], [role=tab], button, [class*=whitespace-nowrap]') !== null;
    const isName = element.closest('h1, h2, code, a') !== null && !figure;
    if (figure && rects.some(({ top }) => Math.abs(top - rects[0].top) > 3)) found.push('wrapped: ' + text);
    if ((!figure && !fixed) || isName) continue;
    const right = Math.max(...rects.map((rect) => rect.right));
    const top = Math.min(...rects.map((rect) => rect.top));
    for (let at = element; at !== null && at !== document.body; at = at.parentElement) {
      const { overflowX, contain } = getComputedStyle(at);
      if (overflowX === 'auto' || overflowX === 'scroll') break;
      const clips = overflowX === 'hidden' || overflowX === 'clip' || /strict|content|paint/.test(contain);
      // What wraps below the edge is out of sight whole.
      if (clips && top >= at.getBoundingClientRect().bottom) break;
      if (clips && right > at.getBoundingClientRect().right + 1) {
        found.push('cut off: ' + text);
        break;
      }
    }
  }
  for (const element of document.querySelectorAll('.figures')) {
    const text = element.textContent.trim();
    if (text.length > 24 || !/\\d/.test(text) || element.querySelector('div, p, td') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(element);
    const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ bottom }) => bottom);
    if (Math.max(...tops) - Math.min(...tops) > 12) found.push('wrapped: ' + text);
  }
  return [...new Set(found)];
})()`;

/** Keeps where the labels of charts are drawn: a canvas has no text to read. */
export const KEEP_LABELS = `(() => {
  window.cutLabels = new Set();
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    // Axe measures texts in a canvas of its own.
    if (!this.canvas.isConnected) return fillText.call(this, text, x, y, ...rest);
    const { width } = this.measureText(text);
    const start = this.textAlign === 'center' ? x - width / 2 : this.textAlign === 'right' || this.textAlign === 'end' ? x - width : x;
    const { a, e } = this.getTransform();
    if (a * start + e < -1 || a * (start + width) + e > this.canvas.width + 1) window.cutLabels.add(text);
    return fillText.call(this, text, x, y, ...rest);
  };
})()`;
