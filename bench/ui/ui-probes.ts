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

/** Script to run before the page's own scripts: keeps when the user's last event happened. */
export const KEEP_EVENTS = `
  for (const type of ['click', 'change', 'keydown'])
    addEventListener(type, ({ timeStamp }) => { window.benchEventMs = timeStamp; }, true);
`;

const GIVE_UP_MS = 30_000;

/** Waits until a condition is met, then for the painting of what met it; returns when that was. */
const toPainted = (condition: string): string => `
  new Promise((resolve, reject) => {
    const giveUpAt = performance.now() + ${GIVE_UP_MS};
    const look = () => {
      if (${condition}) return requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      if (performance.now() > giveUpAt) return reject(new Error(${JSON.stringify(`It was not met: ${condition}`)}));
      requestAnimationFrame(look);
    };
    look();
  })
`;

/** Waits until the page shows that a condition is met. */
export const toAwait = toPainted;

/** Script to run before the page's own scripts: keeps the time from the request for the page until this is painted. */
export const toNoteDrawn = (condition: string): string => `window.benchDrawn = ${toPainted(condition)};`;

/**
 * Keeps the time from the next event of the user until this condition was met and the page was painted. The condition
 * may compare with `before`, a value that is computed now.
 */
export const toTimeEvent = (condition: string, before = 'undefined'): string => `
  (() => {
    window.benchEventMs = undefined;
    const before = ${before};
    const painted = ${toPainted(`window.benchEventMs !== undefined && (${condition})`)};
    window.benchDrawn = painted.then((ms) => ms - window.benchEventMs);
  })()
`;

/** Returns the time that was kept. */
export const READ_DRAWN = 'window.benchDrawn';
