import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

import { findChromium } from '../../test/e2e/find-chromium.ts';
import type { Plan } from '../plan.ts';
import { makeTemporaryFolder } from '../processes/children.ts';
import { formatMilliseconds } from '../report/figure.ts';
import { startGateway } from '../targets/start-gateway.ts';
import type { Stage } from '../targets/start-targets.ts';
import { CHROMIUM_FLAGS, type MeasuredPage, openMeasuredPage } from './ui-browser.ts';
import { storeUiGenerations } from './ui-generations.ts';

const BUNDLE = fileURLToPath(new URL('../../packages/ui/bundle/index.html', import.meta.url));

/** A gateway with a filled store, and a browser for its UI. */
export interface UiStage {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  readonly generations: number;
  /** The browser's executable. */
  readonly executablePath: string;
  /** Opens a tab that is signed in and shares nothing with any other. */
  open(): Promise<MeasuredPage>;
  close(): Promise<void>;
}

/** Prepares the stage; where that is not possible, returns why. */
export async function setUiStage({ upstreamPort }: Stage, plan: Plan): Promise<UiStage | string> {
  if (!existsSync(BUNDLE)) return 'the UI is not built: npm run build';
  const executablePath = findChromium({ hasWindows: true });
  if (executablePath === undefined)
    return 'there is no Chromium: apt-get install chromium, or name one in CHROMIUM_PATH';
  const dataDir = join(makeTemporaryFolder(), 'data');
  const startedAt = performance.now();
  await storeUiGenerations(dataDir, plan.ui.generations);
  plan.progress(`${plan.ui.generations} generations stored in ${formatMilliseconds(performance.now() - startedAt)}`);
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  const gateway = await startGateway({ upstreamPort, dataDir });
  const url = `http://127.0.0.1:${gateway.port}`;
  return {
    url,
    generations: plan.ui.generations,
    executablePath,
    open: async () => openMeasuredPage(await browser.newContext({ viewport: { width: 1360, height: 850 } }), url),
    async close() {
      await browser.close();
      await gateway.stop();
    },
  };
}
