import { createStore, useStore } from 'zustand';

import { queryClient } from '../api/query-client.ts';
// Types alone: at runtime the page knows the app by `window.desktop`, which browsers do not have.
import type { DesktopBridge, DesktopInfo } from '../desktop-bridge.ts';
import { getPreferences, setPreferences, setSystemLanguages } from './preferences.ts';

declare global {
  var desktop: DesktopBridge | undefined;
}

/** The app around this page; undefined in a browser. */
export const getDesktop = (): DesktopBridge | undefined => globalThis.desktop;

const store = createStore<DesktopInfo | null>(() => null);

/** Last report from the app; null in a browser. */
export const getDesktopInfo = store.getState;

export const useDesktopInfo = (): DesktopInfo | null => useStore(store);

/** Asks the app now and after every change. Resolves after its first reply; in a browser at once. */
export async function followDesktop(): Promise<void> {
  const bridge = getDesktop();
  if (bridge === undefined) return;
  const read = async (): Promise<void> => {
    const before = store.getState()?.state.phase;
    const info = await bridge.info();
    if (hasBegunAnew(before, info.state.phase)) void queryClient.invalidateQueries();
    store.setState(info, true);
    // The app's own menus and this page speak one language. Of the system's, Chromium lists first what the app is packaged
    // with.
    setSystemLanguages([info.language]);
    if (getPreferences().language !== info.settings.language) setPreferences({ language: info.settings.language });
  };
  // Without a reply the page goes on as in a browser.
  const readSafely = (): Promise<void> => read().catch(() => undefined);
  bridge.onChange(() => void readSafely());
  await readSafely();
}

/** Whether the gateway has restarted, say with other keys, so that nothing that it has reported holds any more. */
function hasBegunAnew(before: string | undefined, phase: string): boolean {
  const isUp = phase !== 'starting' && phase !== 'failed';
  return isUp && (before === 'starting' || before === 'failed');
}
