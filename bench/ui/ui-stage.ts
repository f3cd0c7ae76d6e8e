import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

import { findChromium } from '../../test/e2e/find-chromium.ts';
import type { Plan } from '../plan.ts';
import { formatMilliseconds } from '../report/figure.ts';
import { type GatewayProcessOptions, startGateway } from '../targets/start-gateway.ts';
import type { Stage } from '../targets/start-targets.ts';
import { CHROMIUM_FLAGS, type MeasuredPage, openMeasuredPage } from './ui-browser.ts';

const BUNDLE = fileURLToPath(new URL('../../packages/ui/bundle/index.html', import.meta.url));

/** A store that the gateway of the stage opens. */
export interface UiStore {
  readonly generations: number;
  /** Whether it answers from indexes and sums, and reads the calls of the span for anything else. */
  readonly hasSums: boolean;
  readonly options: Pick<GatewayProcessOptions, 'dataDir' | 'engines'>;
  /** Removes what is not removed with the bench's own folders. */
  remove(): Promise<void>;
}

/** A gateway with a filled store, and a browser for its UI. */
export interface UiStage {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  readonly generations: number;
  readonly hasSums: boolean;
  /** The browser's executable. */
  readonly executablePath: string;
  /** Opens a tab that is signed in and shares nothing with any other. */
  open(): Promise<MeasuredPage>;
  close(): Promise<void>;
}

/** Prepares the stage over a store that is filled for it; where there is no UI or browser, returns why. */
export async function setUiStage(
  { upstreamPort }: Stage,
  plan: Plan,
  fillStore: () => Promise<UiStore>,
): Promise<UiStage | string> {
  if (!existsSync(BUNDLE)) return 'the UI is not built: npm run build';
  const executablePath = findChromium({ hasWindows: true });
  if (executablePath === undefined)
    return 'there is no Chromium: apt-get install chromium, or name one in CHROMIUM_PATH';
  const startedAt = performance.now();
  const { generations, hasSums, options, remove } = await fillStore();
  plan.progress(`${generations} generations stored in ${formatMilliseconds(performance.now() - startedAt)}`);
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  const gateway = await startGateway({ upstreamPort, ...options });
  const url = `http://127.0.0.1:${gateway.port}`;
  return {
    url,
    generations,
    hasSums,
    executablePath,
    open: async () => openMeasuredPage(await browser.newContext({ viewport: { width: 1360, height: 850 } }), url),
    async close() {
      await browser.close();
      await gateway.stop();
      await remove();
    },
  };
}
