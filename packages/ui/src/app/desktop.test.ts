import { afterEach, expect, test } from 'vitest';

import { queryClient } from '../api/query-client.ts';
import type { DesktopBridge, DesktopInfo } from '../desktop-bridge.ts';
import { followDesktop } from './desktop.ts';

afterEach(() => {
  globalThis.desktop = undefined;
  queryClient.clear();
});

/** An app whose gateway goes from phase to phase. */
async function follow(): Promise<{ change(phase: DesktopInfo['state']['phase']): Promise<void> }> {
  let phase: DesktopInfo['state']['phase'] = 'listening';
  let tell: () => void = () => undefined;
  const info = async (): Promise<DesktopInfo> => ({ state: { phase } }) as DesktopInfo;
  globalThis.desktop = { info, onChange: (listener: () => void) => (tell = listener) } as unknown as DesktopBridge;
  await followDesktop();
  return {
    async change(next) {
      phase = next;
      tell();
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    },
  };
}

const isInvalid = (): boolean | undefined => queryClient.getQueryState(['models'])?.isInvalidated;

test('asks again for everything when the gateway has restarted, as it does with another provider key', async () => {
  const app = await follow();
  queryClient.setQueryData(['models'], []);
  await app.change('starting');
  expect(isInvalid()).toBe(false);
  await app.change('listening');
  expect(isInvalid()).toBe(true);
});

test('asks again after a crash too, and where the port cannot be had, but not for a pause', async () => {
  const app = await follow();
  queryClient.setQueryData(['models'], []);
  await app.change('paused');
  await app.change('listening');
  expect(isInvalid()).toBe(false);
  await app.change('failed');
  await app.change('not-listening');
  expect(isInvalid()).toBe(true);
});
