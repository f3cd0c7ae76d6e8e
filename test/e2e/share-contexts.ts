import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const WINDOW = { width: 1360, height: 850 };

interface Wish {
  readonly options: BrowserContextOptions;
  /** Made for this page alone, and closed with it. */
  readonly isOwn: boolean;
}

interface Taken {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly giveBack: () => Promise<void>;
}

/** The contexts of one browser. Two pages that are open at once never share one. */
export interface Contexts {
  readonly take: (wish: Wish) => Promise<Taken>;
}

/**
 * Gives a page of a context that a page before has left, emptied, where there is one of the same options. A context
 * has a process of its own: to start that, and to compile the scripts of the UI in it, takes more time than to load the
 * page, which is why a context is kept from test to test.
 */
export function shareContexts(browser: Browser, url: string): Contexts {
  const idle = new Map<string, BrowserContext[]>();

  async function takeShared(options: BrowserContextOptions): Promise<Taken> {
    // What a page can be told later makes no other context.
    const { viewport = WINDOW, colorScheme, reducedMotion, ...others } = options;
    const kind = JSON.stringify(others);
    const context = idle.get(kind)?.pop() ?? (await createContext(browser, url, { viewport: WINDOW, ...others }));
    const page = await context.newPage();
    if (viewport !== null) await page.setViewportSize(viewport);
    const media = { ...(colorScheme && { colorScheme }), ...(reducedMotion && { reducedMotion }) };
    if (Object.keys(media).length > 0) await page.emulateMedia(media);
    const giveBack = async (): Promise<void> => {
      if (await empty(context, url)) idle.set(kind, [...(idle.get(kind) ?? []), context]);
      else await context.close();
    };
    return { context, page, giveBack };
  }

  return {
    async take({ options, isOwn }) {
      if (!isOwn) return takeShared(options);
      const context = await browser.newContext({ viewport: WINDOW, ...options });
      return { context, page: await context.newPage(), giveBack: () => context.close() };
    },
  };
}

/** Its first page is never a test's: it keeps the process of the context, which ends with the last page. */
async function createContext(browser: Browser, url: string, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  const keeper = await context.newPage();
  await keeper.goto(`${url}/health`);
  return context;
}

/** Takes from a context what a test may have left in it. False where that cannot be done. */
async function empty(context: BrowserContext, url: string): Promise<boolean> {
  const [keeper, ...pages] = context.pages();
  if (keeper?.url() !== `${url}/health`) return false;
  try {
    await Promise.all(pages.map((page) => page.close()));
    await context.setOffline(false);
    await context.clearCookies();
    const devtools = await context.newCDPSession(keeper);
    await devtools.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'all' });
    await devtools.detach();
    return true;
  } catch {
    // The test has ended the gateway's browser, or closed the context.
    return false;
  }
}
