import type { DesktopInfo, Outcome } from '@model-gateway/ui/desktop-bridge';
import { app, type BrowserWindow } from 'electron';

import type { GatewayControl, GatewayParts } from '../gateway/gateway-control.ts';
import { listNetworkAddresses } from '../gateway/network-addresses.ts';
import { openLogs } from '../open-logs.ts';
import { backUp, exportSettings, readExportedSettings, restore } from '../settings/backups.ts';
import type { createSettingsChanger } from '../settings/settings-changer.ts';
import { wipe } from '../settings/wipe.ts';
import { type AppWindow, openLink } from './app-window.ts';
import type { BridgeHandlers } from './bridge.ts';

export interface BridgeParts extends GatewayParts {
  readonly control: GatewayControl;
  readonly window: AppWindow;
  readonly changeSettings: ReturnType<typeof createSettingsChanger>;
}

const DONE: Outcome = { done: true, message: '' };

/** Creates a handler for each request that the window can send to the app. */
export function createBridgeHandlers(parts: BridgeParts): BridgeHandlers {
  const { paths, file, keys, control, window, changeSettings } = parts;
  /** Runs work that shows a dialog, because dialogs belong to a window. */
  const withWindow = (work: (opened: BrowserWindow) => Promise<Outcome>): Promise<Outcome> =>
    window.current === null
      ? Promise.resolve({ done: false, message: 'The window is closed.' })
      : orSayWhy(() => work(window.current as BrowserWindow));
  return {
    info: () => toInfo(parts),
    changeSettings,
    saveProviderKey: (name, key) =>
      orSayWhy(async () => {
        await keys.save(name, key);
        await control.start();
        return DONE;
      }),
    removeProviderKey: (name) =>
      orSayWhy(async () => {
        keys.remove(name);
        await control.start();
        return DONE;
      }),
    retryPort(port) {
      control.listen(port ?? undefined);
      return DONE;
    },
    exportSettings: () => withWindow((opened) => exportSettings(opened, file)),
    importSettings: () =>
      withWindow(async (opened) => {
        const read = await readExportedSettings(opened);
        return 'done' in read ? read : changeSettings(read);
      }),
    backUp: () => withWindow((opened) => backUp(opened, paths, control.atRest)),
    restore: () => withWindow((opened) => restore(opened, paths, control.atRest)),
    wipe: () => withWindow((opened) => wipe(opened, { paths, file, atRest: control.atRest })),
    openLogs() {
      openLogs(paths);
      return DONE;
    },
    openLink: async (link) =>
      (await openLink(link)) ? DONE : { done: false, message: 'This link is not opened from here; copy it instead.' },
  };
}

function toInfo({ paths, file, keys, gateway }: BridgeParts): DesktopInfo {
  const { settings } = file;
  const port = gateway.state.phase === 'listening' ? gateway.state.port : settings.port;
  return {
    version: app.getVersion(),
    platform: process.platform,
    dataDir: paths.data,
    state: gateway.state,
    settings,
    secretStorage: keys.storage,
    providerKeys: keys.names(),
    networkUrls: settings.shareOnNetwork
      ? listNetworkAddresses().map((address) => `http://${address}:${port}/api/v1`)
      : [],
  };
}

async function orSayWhy(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    return { done: false, message: error instanceof Error ? error.message : String(error) };
  }
}
