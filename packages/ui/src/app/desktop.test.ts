import { afterEach, expect, test, vi } from 'vitest';

import { queryClient } from '../api/query-client.ts';
import type { DesktopBridge, DesktopInfo } from '../desktop-bridge.ts';
import { getLocale } from '../messages/locale.ts';
import { followDesktop } from './desktop.ts';

afterEach(() => {
  globalThis.desktop = undefined;
  vi.unstubAllGlobals();
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

test('speaks the language that the app has found for the system, whatever its window is packaged with', async () => {
  vi.stubGlobal('navigator', { languages: ['en-US', 'de'] });
  vi.stubGlobal('document', { documentElement: { dataset: {} } });
  let language: DesktopInfo['language'] = 'de';
  const info = async (): Promise<DesktopInfo> =>
    ({ language, state: { phase: 'listening' }, settings: { language: 'system' } }) as DesktopInfo;
  let tell: () => void = () => undefined;
  globalThis.desktop = { info, onChange: (listener: () => void) => (tell = listener) } as unknown as DesktopBridge;
  await followDesktop();
  expect(getLocale().language).toBe('de');
  expect(document.documentElement.lang).toBe('de');
  language = 'en';
  tell();
  await expect.poll(() => getLocale().language).toBe('en');
});
