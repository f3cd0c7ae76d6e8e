/**
 * A gateway in a process of its own, which a test may kill: `node alarm-process.ts URL BEGIN_MS STARTED_MS SPEED`. Its
 * clock began at BEGIN when the real one was at STARTED, and goes SPEED times as fast: it judges alarms several times a
 * second.
 */
import process from 'node:process';

import { createGateway, createWebPlatform, type Platform, type Store } from '@model-gateway/core';
import { createGuardedTransport } from '@model-gateway/node/guarded';
import { createPostgresStore } from '@model-gateway/postgres';

const [url = '', beginMs = '', startedMs = '', speedText = ''] = process.argv.slice(2);
const speed = Number(speedText);
const web = createWebPlatform();
const platform: Platform = {
  ...web,
  now: () => Number(beginMs) + (web.now() - Number(startedMs)) * speed,
  monotonicNow: () => web.monotonicNow() * speed,
  setTimer: (callback, delayMs) => web.setTimer(callback, delayMs / speed),
};

const stored = await createPostgresStore({ url });
const { entries } = stored;
// The database goes by the real clock.
const store: Store = {
  ...stored,
  entries: entries && {
    ...entries,
    claim: (id, value, ttlMs) => entries.claim(id, value, Math.ceil(ttlMs / speed)),
  },
};
const gateway = createGateway({
  store,
  platform,
  providers: [],
  models: [],
  webhooks: {
    allowsHttp: true,
    findUrlProblem: () => undefined,
    transport: createGuardedTransport({ allowPrivateNetwork: true }),
  },
});
await gateway.start();
// Nothing else holds it up: its timers do not, and it has no port.
process.on('disconnect', () => process.exit());
process.on('message', () => undefined);
process.send?.('ready');
