/**
 * Scripts that run within the page, as text: the code of this file itself never runs in a browser and has no
 * `document`. The result of each script is described beside it.
 */

/** Script to run before the page's own scripts: records every task of the main thread of 50 ms and more. */
export const KEEP_LONG_TASKS = `
  window.benchLongTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.benchLongTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
`;

/** Returns the milliseconds of each long task since the last call. */
export const TAKE_LONG_TASKS = 'window.benchLongTasks.splice(0)';

/**
 * Script to run before the page's own scripts: records the time, in milliseconds since the request for the page, at
 * which the screen's heading is shown, nothing is loading, and the main thread has nothing left to do.
 */
export const NOTE_INTERACTIVE = `
  const look = () => {
    const isLoading = [...document.querySelectorAll('[role=status]')].some((e) => e.textContent.startsWith('Loading'));
    if (document.querySelector('h1') === null || isLoading) return requestAnimationFrame(look);
    requestIdleCallback(() => { window.benchInteractiveMs = performance.now(); });
  };
  requestAnimationFrame(look);
`;

/** Returns null until the page is interactive, then when it was and when it first painted any contents. */
export const READ_OPENING = `
  window.benchInteractiveMs === undefined ? null : {
    interactiveMs: window.benchInteractiveMs,
    firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  }
`;

/**
 * Scrolls the list for this time, by as many pixels with every frame, and reverses at either end. Returns the
 * milliseconds between frames.
 */
export const toScroll = (durationMs: number, stepPx: number): string => `
  new Promise((resolve) => {
    const grid = document.querySelector('[role=grid]');
    const gaps = [];
    let [top, step, startedAt, before] = [grid.scrollTop, ${stepPx}];
    // This is read only when needed, because reading it causes a layout.
    let last = grid.scrollHeight - grid.clientHeight;
    const frame = (now) => {
      if (before !== undefined) gaps.push(now - before);
      before = now;
      startedAt ??= now;
      if (now - startedAt >= ${durationMs}) return resolve(gaps);
      if (top + step > last) last = grid.scrollHeight - grid.clientHeight;
      if (top + step > last || top + step < 0) step = -step;
      grid.scrollTop = top += step;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })
`;

/** Returns the milliseconds between frames during this time, in which the probe does nothing. */
export const toWatch = (durationMs: number): string => `
  new Promise((resolve) => {
    const gaps = [];
    let startedAt, before;
    const frame = (now) => {
      if (before !== undefined) gaps.push(now - before);
      before = now;
      startedAt ??= now;
      if (now - startedAt >= ${durationMs}) resolve(gaps);
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })
`;

/** Scrolls to the end of the list until it has this many rows, because it loads its pages one after the other. */
export const toLoadRows = (rows: number): string => `
  new Promise((resolve) => {
    const grid = document.querySelector('[role=grid]');
    const rowHeight = grid.querySelectorAll('[role=row]')[1].clientHeight;
    const goOn = () => {
      grid.scrollTop = grid.scrollHeight;
      if (grid.scrollHeight >= ${rows} * rowHeight) resolve();
      else setTimeout(goOn, 20);
    };
    goOn();
  })
`;

/** Navigates the page, and returns the milliseconds until an element of this selector was painted. */
export const toOpenAndSee = (hash: string, selector: string): string => `
  new Promise((resolve) => {
    const startedAt = performance.now();
    location.hash = ${JSON.stringify(hash)};
    const look = () => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) return requestAnimationFrame(look);
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - startedAt)));
    };
    look();
  })
`;
