/** Observations of a page for a case; all of them must be empty or unchanged. */
export interface Sighting {
  readonly name: string;
  /** Faults, a line each. */
  readonly faults: readonly string[];
  readonly ms: number;
}

/**
 * A generation to be looked at. `shown` is its text as it is to be shown, unless it is so long that it stands in lines.
 */
export interface Visit {
  readonly name: string;
  readonly id: string;
  readonly shown: string;
  /** Whether a provider refused it with its own words. */
  readonly isError: boolean;
}

/** Functions that `WALK` adds to the page. */
export interface Walker {
  readonly visitAll: (visits: readonly Visit[]) => Promise<Sighting[]>;
  /** Faults of the screen as it is now. */
  readonly look: () => string[];
  /** Scrolls through the screen and what scrolls within it; `own` selects parts of the product that look foreign. */
  readonly roam: (own: string) => Promise<readonly string[]>;
  /** Scrolls the table of the screen from its beginning to its end. */
  readonly lookThrough: (name: string) => Promise<Sighting>;
}

/**
 * Runs in the page before anything else: listens for whatever gets out, and walks the screens from within, because
 * asking from outside for every click would take ten times as long.
 */
export const WALK = `
  window.out = [];
  window.pwned = () => { out.push('a script ran'); return 'pwned'; };
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    out.push('CSP: ' + violatedDirective + ' ' + blockedURI));
  // The page's own forms are taken by scripts.
  addEventListener('submit', ({ defaultPrevented }) => defaultPrevented || out.push('a form was sent'));

  const LIMIT_MS = 20_000;
  /** In which a screen is scrolled through, however long it is. */
  const STEPS = 12;
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));
  /** Lets what is due happen, and has it laid out, without the wait for a frame to be shown. */
  const turn = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(document.body.offsetHeight);
    port2.postMessage(null);
  });
  const all = (selector) => [...document.querySelectorAll(selector)];

  /** Waits for what is there as long as the page lives. */
  async function until(what, isThere) {
    const start = performance.now();
    for (;;) {
      const found = isThere();
      if (found) return found;
      if (performance.now() - start > LIMIT_MS) throw new Error('not there: ' + what);
      await turn();
    }
  }

  const FOREIGN = ['script', 'iframe', 'frame', 'object', 'embed', 'applet', 'link', 'meta', 'base', 'style', 'form',
    'audio', 'video', 'img', 'picture', 'template', 'math', 'portal', 'svg:not(.lucide)', 'a[href]:not([href^="/ui/#/"])',
    '[srcdoc]', '[ping]', '[popover]', '[contenteditable]', '[autofocus]', '[id="root"]', '[name]']
    .map((selector) => 'main ' + selector + ':not(form[role=search], form[role=search] *)').join(',');

  /** Finds content that a sanitiser, a screen or the script engine has let through. */
  function look(own = 'nothing') {
    const faults = out.splice(0);
    for (const element of all(FOREIGN).filter((each) => !each.matches(own))) faults.push('foreign: ' + element.outerHTML.slice(0, 120));
    const handlers = document.evaluate('count(//main//@*[starts-with(name(), "on")])', document, null, 1);
    if (handlers.numberValue > 0) faults.push('an attribute is a handler');
    if (all('[role=alert]').some(({ textContent }) => textContent.includes('This screen failed'))) faults.push('the screen failed');
    if (all('h1').length !== 1 || all('nav').length === 0) faults.push('the page is gone');
    if ({}.polluted !== undefined) faults.push('a prototype has changed');
    if (!document.title.endsWith('Model Gateway')) faults.push('the title is ' + document.title);
    return faults;
  }

  const tree = () => until('a tree', () => document.querySelector('main [role=treeitem]') !== null);
  const click = (label) => all('main button').find(({ textContent }) => textContent === label).click();

  /** Opens a tab by focus, as the arrow keys do. */
  async function openTab(name) {
    all('[role=tab]').find(({ textContent }) => textContent.startsWith(name)).focus();
    await turn();
  }

  /** Goes through what a generation's tabs show of it. */
  async function visit({ name, id, shown, isError }) {
    const start = performance.now();
    const faults = [];
    try {
      location.hash = '#/generations/' + id;
      await until('the generation', () =>
        document.querySelector('h1')?.parentElement.textContent.includes(id) && document.querySelector('[role=tab]') !== null);
      // The tab of the generation before stays.
      await openTab('Timeline');
      const there = isError ? 'main section[aria-label=Error]' : 'main article';
      await until('the conversation', () => document.querySelector(there) !== null);
      for (const element of all('main details')) element.open = true;
      await frame();
      faults.push(...look());
      click('Show raw');
      await turn();
      const [prompt] = all('main article');
      const isShown = prompt.textContent.includes(shown) || prompt.querySelector('[aria-label="Long text"]') !== null;
      if (!isShown) faults.push('not shown as it was written, but so: ' + prompt.textContent.slice(0, 200));
      faults.push(...look());
      click('Show formatted');
      for (const name of ['Request and response', 'Raw']) {
        await openTab(name);
        await tree();
        faults.push(...look());
      }
    } catch (error) {
      faults.push(String(error), ...look());
    }
    return { name, faults: [...new Set(faults)], ms: Math.round(performance.now() - start) };
  }

  window.visitAll = async (visits) => {
    const sightings = [];
    for (const each of visits) sightings.push(await visit(each));
    return sightings;
  };

  window.lookThrough = async (name) => {
    const faults = [];
    try {
      const grid = await until('rows', () => document.querySelector('[role=grid] [role=row][aria-rowindex="2"]')?.closest('[role=grid]'));
      faults.push(...look());
      while (grid.scrollTop + grid.clientHeight < grid.scrollHeight - 1) {
        grid.scrollTop += grid.clientHeight;
        await frame();
        await frame();
        faults.push(...look());
      }
    } catch (error) {
      faults.push(String(error), ...look());
    }
    return { name, faults: [...new Set(faults)], ms: 0 };
  };
  window.roam = async (own) => {
    const faults = look(own);
    const isScrolled = (each) => each.scrollHeight > each.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(each).overflowY);
    const [screen, ...within] = all('main, main *').filter(isScrolled);
    for (let step = 0; step <= STEPS && screen !== undefined; step += 1) {
      screen.scrollTop = (step / STEPS) * (screen.scrollHeight - screen.clientHeight);
      await frame();
      await turn();
      faults.push(...look(own));
    }
    for (const each of within) each.scrollTop = each.scrollHeight;
    await frame();
    await turn();
    faults.push(...look(own));
    return [...new Set(faults)];
  };
  window.look = look;
`;
