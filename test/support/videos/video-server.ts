/**
 * A server process that is to be killed: what `model-gateway serve` makes of the config file in `argv[2]`, with one
 * addition. A job whose prompt is `kill at POINT NUMBER` has the process kill itself (-9) when it comes to that point,
 * once; a file in the folder `argv[3]` tells that it has.
 *
 * Run from the sources: nothing here or below needs more than the removal of types.
 */
import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import type { Store, VideoJob } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { listen, loadConfig } from '@model-gateway/node';

import { openStore } from '../../../packages/server/src/open/open-store.ts';
import { compose } from '../../../packages/server/src/serve/compose.ts';

const [, , file = '', marks = ''] = process.argv;

/** Points that lie within this process. */
type OwnPoint = 'before-submit' | 'before-saving' | 'after-saving' | 'before-outbox' | 'before-delivery';

function killAt(point: OwnPoint, prompt: string | undefined): void {
  if (prompt?.startsWith(`kill at ${point} `) !== true) return;
  const mark = join(marks, prompt.replaceAll(' ', '-'));
  if (existsSync(mark)) return;
  writeFileSync(mark, '');
  process.kill(process.pid, 'SIGKILL');
  // Nothing may happen until the signal has come.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const isEnd = (job: VideoJob): boolean => job.status !== 'pending' && job.status !== 'in_progress';

function withKillPoints(store: Store): Store {
  const { videoJobs, generations } = store;
  return {
    ...store,
    videoJobs: {
      ...videoJobs,
      async insert(job) {
        await videoJobs.insert(job);
        killAt('before-submit', job.order.prompt);
      },
      async update(id, change) {
        const before = await videoJobs.get(id);
        const isSaved = before?.submission === 'sending' && change(before).submission === 'sent';
        if (isSaved) killAt('before-saving', before.order.prompt);
        const after = await videoJobs.update(id, change);
        if (isSaved) killAt('after-saving', before.order.prompt);
        if (before !== undefined && after !== undefined && !isEnd(before) && isEnd(after)) {
          killAt('before-delivery', after.order.prompt);
        }
        return after;
      },
    },
    generations: {
      ...generations,
      async append(record, content) {
        await generations.append(record, content);
        const job = await videoJobs.get(record.generation.request_id ?? '');
        killAt('before-outbox', job?.order.prompt);
      },
    },
  };
}

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const config = loadConfig({ file, env: {}, presets: PRESETS });
const store = withKillPoints(await openStore(config, logger));
const { gateway } = await compose({ config, store, logger, extraKeys: [], demoFixturesDir: null });
const { url } = await listen(gateway, { port: 0, logger });
await gateway.start();
writeSync(1, `${url}\n`);
