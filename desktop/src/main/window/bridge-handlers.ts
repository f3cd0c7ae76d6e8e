import { type DesktopInfo, type Mode, MODES, type Outcome, type PanelInfo } from '@model-gateway/ui/desktop-bridge';
import { app, type BrowserWindow, clipboard } from 'electron';

import type { GatewayControl, GatewayParts } from '../gateway/gateway-control.ts';
import { listNetworkAddresses } from '../gateway/network-addresses.ts';
import { openLogs } from '../open-logs.ts';
import { backUp, exportSettings, readExportedSettings, restore } from '../settings/backups.ts';
import type { createSettingsChanger } from '../settings/settings-changer.ts';
import { wipe } from '../settings/wipe.ts';
import { currentLanguage, texts } from '../texts.ts';
import { describeState } from '../tray/describe-state.ts';
import { type AppWindow, openLink } from './app-window.ts';
import type { BridgeHandlers } from './bridge.ts';
import type { PanelWindow } from './panel-window.ts';

export interface BridgeParts extends GatewayParts {
  readonly control: GatewayControl;
  readonly window: AppWindow;
  readonly panel: PanelWindow;
  readonly changeSettings: ReturnType<typeof createSettingsChanger>;
  readonly setPaused: (isPaused: boolean) => void;
  readonly obstacleTo: (mode: Mode) => string | null;
}

const DONE: Outcome = { done: true, message: '' };

/** Creates a handler for each request that the window can send to the app. */
export function createBridgeHandlers(parts: BridgeParts): BridgeHandlers {
  const { paths, file, keys, control, window, panel, changeSettings } = parts;
  /** Runs work that shows a dialog, because dialogs belong to a window. */
  const withWindow = (work: (opened: BrowserWindow) => Promise<Outcome>): Promise<Outcome> =>
    window.current === null
      ? Promise.resolve({ done: false, message: texts().data.windowClosed })
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
    panel: () => toPanelInfo(parts),
    async copyAddress() {
      const { baseUrl } = toPanelInfo(parts);
      if (baseUrl !== null) await clipboard.writeText(baseUrl);
      return { done: baseUrl !== null, message: '' };
    },
    setPaused(isPaused) {
      parts.setPaused(isPaused);
      return DONE;
    },
    openPlace(place) {
      window.show(place);
      panel.close();
      return DONE;
    },
    openLink: async (link) => ((await openLink(link)) ? DONE : { done: false, message: texts().data.linkRefused }),
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
    language: currentLanguage(),
    secretStorage: keys.storage,
    providerKeys: keys.names(),
    networkUrls: settings.shareOnNetwork
      ? listNetworkAddresses().map((address) => `http://${address}:${port}/api/v1`)
      : [],
  };
}

function toPanelInfo({ file, gateway: { state, figures }, obstacleTo }: BridgeParts): PanelInfo {
  const { mode } = file.settings;
  const obstacles = MODES.map((other) => [other, other === mode ? null : obstacleTo(other)] as const);
  return {
    language: currentLanguage(),
    stateText: describeState(state, mode),
    phase: state.phase,
    baseUrl: state.phase === 'listening' ? `${state.url}/api/v1` : null,
    mode,
    isDemo: 'isDemo' in state && state.isDemo && mode !== 'replay',
    obstacles: Object.fromEntries(obstacles) as PanelInfo['obstacles'],
    openCalls: figures.openCalls,
    today: figures.today,
    latest: [...figures.latest],
  };
}

async function orSayWhy(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    return { done: false, message: error instanceof Error ? error.message : String(error) };
  }
}
