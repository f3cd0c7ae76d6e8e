import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { makeTemporaryFolder } from './children.ts';
import { formatMilliseconds } from './figure.ts';
import type { Plan } from './plan.ts';
import { startGateway } from './start-gateway.ts';
import type { Stage } from './start-targets.ts';
import { type MeasuredPage, openMeasuredPage, startBrowser } from './ui-browser.ts';
import { storeUiGenerations } from './ui-generations.ts';

const BUNDLE = fileURLToPath(new URL('../packages/ui/dist/index.html', import.meta.url));

/** A gateway with a full store, and a browser in front of it. */
export interface UiStage {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  readonly generations: number;
  /** A tab that shares nothing with any other, signed in. */
  open(): Promise<MeasuredPage>;
  close(): Promise<void>;
}

/** Sets it; where that cannot be done, returns why. */
export async function setUiStage({ upstreamPort }: Stage, plan: Plan): Promise<UiStage | string> {
  if (!existsSync(BUNDLE)) return 'the UI is not built: npm run build';
  const browser = await startBrowser();
  if (browser === undefined) return 'there is no Chromium: apt-get install chromium, or name one in CHROMIUM_PATH';
  const dataDir = join(makeTemporaryFolder(), 'data');
  const startedAt = performance.now();
  await storeUiGenerations(dataDir, plan.ui.generations);
  plan.progress(`${plan.ui.generations} generations stored in ${formatMilliseconds(performance.now() - startedAt)}`);
  const gateway = await startGateway({ upstreamPort, dataDir });
  const url = `http://127.0.0.1:${gateway.port}`;
  return {
    url,
    generations: plan.ui.generations,
    open: () => openMeasuredPage(browser, url),
    async close() {
      await browser.close();
      await gateway.stop();
    },
  };
}
