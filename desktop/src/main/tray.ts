import { clipboard, Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';

import type { Settings, SettingsChanges } from '../shared/desktop-bridge.ts';
import type { GatewayState } from '../shared/gateway-messages.ts';

/** What the menu shows. */
export interface TrayView {
  readonly state: GatewayState;
  readonly openCalls: number;
  readonly settings: Settings;
}

/** What the menu does. */
export interface TrayActions {
  open(place?: string): void;
  setPaused(isPaused: boolean): void;
  retryPort(): void;
  changeSettings(changes: SettingsChanges): void;
  openLogs(): void;
  resetPosition(): void;
  quit(): void;
}

export interface AppTray {
  show(view: TrayView): void;
  destroy(): void;
}

/** Puts the icon into the tray. Where there is none, or it does not show, everything is in the window as well. */
export function createAppTray(
  icons: { readonly sound: string; readonly trouble: string },
  actions: TrayActions,
): AppTray {
  const sound = nativeImage.createFromPath(icons.sound);
  const trouble = nativeImage.createFromPath(icons.trouble);
  const tray = new Tray(sound);
  tray.on('click', () => actions.open());
  return {
    show(view) {
      const isSound = view.state.phase === 'listening' || view.state.phase === 'starting';
      tray.setImage(isSound ? sound : trouble);
      tray.setToolTip(`Model Gateway: ${describeState(view.state)}`);
      // Set anew after every change: on Linux the menu is handed over as a whole.
      tray.setContextMenu(Menu.buildFromTemplate(toTrayMenu(view, actions)));
    },
    destroy: () => tray.destroy(),
  };
}

/** The menu, as Electron wants it described. */
export function toTrayMenu(
  { state, openCalls, settings }: TrayView,
  actions: TrayActions,
): MenuItemConstructorOptions[] {
  const baseUrl = state.phase === 'listening' ? `${state.url}/api/v1` : null;
  const copy = (label: string, toText: (url: string) => string): MenuItemConstructorOptions => ({
    label,
    enabled: baseUrl !== null,
    click: () => void clipboard.writeText(toText(baseUrl ?? '')),
  });
  const line = (): MenuItemConstructorOptions => ({ type: 'separator' });
  return [
    { id: 'state', label: describeState(state), enabled: false },
    { id: 'open-calls', label: openCalls === 1 ? '1 call under way' : `${openCalls} calls under way`, enabled: false },
    line(),
    { id: 'open', label: 'Open', click: () => actions.open() },
    { id: 'copy-url', ...copy('Copy base URL', (url) => url) },
    {
      label: 'Copy as',
      submenu: [
        copy('Environment, bash', (url) => `export OPENAI_BASE_URL='${url}'`),
        copy('Environment, PowerShell', (url) => `$env:OPENAI_BASE_URL = '${url}'`),
        copy('.env', (url) => `OPENAI_BASE_URL=${url}`),
        copy('curl', (url) => `curl ${url}/models -H "Authorization: Bearer $GATEWAY_KEY"`),
      ],
    },
    line(),
    ...(state.phase === 'not-listening'
      ? [{ id: 'retry', label: `Try port ${state.port} again`, click: () => actions.retryPort() }]
      : []),
    {
      id: 'pause',
      label: 'Pause accepting requests',
      type: 'checkbox',
      checked: state.phase === 'paused',
      enabled: state.phase === 'listening' || state.phase === 'paused',
      click: ({ checked }) => actions.setPaused(checked),
    },
    { label: 'Generations', click: () => actions.open('generations') },
    line(),
    {
      id: 'start-at-login',
      label: 'Start at login',
      type: 'checkbox',
      checked: settings.startAtLogin,
      click: ({ checked }) => actions.changeSettings({ startAtLogin: checked }),
    },
    {
      id: 'share',
      label: 'Share on local network…',
      type: 'checkbox',
      checked: settings.shareOnNetwork,
      click: ({ checked }) => actions.changeSettings({ shareOnNetwork: checked }),
    },
    line(),
    { id: 'settings', label: 'Settings…', click: () => actions.open('settings') },
    { label: 'Open logs folder', click: () => actions.openLogs() },
    { label: 'Reset window position', click: () => actions.resetPosition() },
    line(),
    { id: 'quit', label: 'Quit', click: () => actions.quit() },
  ];
}

/** One line, with the port in it. */
export function describeState(state: GatewayState): string {
  switch (state.phase) {
    case 'starting':
      return 'Starting';
    case 'listening':
      return `Running on ${new URL(state.url).host}${state.isDemo ? ' (demo)' : ''}`;
    case 'paused':
      return 'Paused';
    case 'not-listening':
      return `Not listening: port ${state.port} ${state.kind === 'taken' ? 'is taken' : 'cannot be opened'}`;
    case 'failed':
      return 'Stopped by an error';
  }
}
