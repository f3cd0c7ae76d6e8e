import { type Mode, MODES, type Settings, type SettingsChanges } from '@model-gateway/ui/desktop-bridge';
import { clipboard, type MenuItemConstructorOptions } from 'electron';

import type { Failure, GatewayFigures, GatewayState } from '../../shared/gateway-messages.ts';
import { texts } from '../texts.ts';
import { describeFigures, describeState } from './describe-state.ts';

export interface TrayView {
  readonly state: GatewayState;
  readonly figures: GatewayFigures;
  readonly settings: Settings;
  readonly obstacleTo: (mode: Mode) => string | null;
}

export interface TrayActions {
  open(place?: string): void;
  openPanel(): void;
  clickIcon(): void;
  setPaused(isPaused: boolean): void;
  /** Listens at the port of the settings, or this once at another. */
  retryPort(port?: number): void;
  changeSettings(changes: SettingsChanges): void;
  openLogs(): void;
  resetPosition(): void;
  quit(): void;
}

type Items = MenuItemConstructorOptions[];

const LINE: MenuItemConstructorOptions = { type: 'separator' };

/** The menu in Electron's form. */
export function toTrayMenu(view: TrayView, actions: TrayActions): Items {
  const { state, figures, settings } = view;
  const words = texts().tray;
  return [
    { id: 'state', label: describeState(state, settings.mode), enabled: false },
    { id: 'figures', label: describeFigures(figures), enabled: false },
    ...portItems(state, actions),
    LINE,
    { id: 'open', label: words.open, click: () => actions.open() },
    // Many desktops on Linux open the menu at every click on the icon.
    { id: 'panel', label: words.quickPanel, click: () => actions.openPanel() },
    ...copyItems(state),
    LINE,
    { label: words.mode, submenu: modeItems(view, actions) },
    {
      id: 'pause',
      label: words.pause,
      type: 'checkbox',
      checked: state.phase === 'paused',
      enabled: state.phase === 'listening' || state.phase === 'paused',
      click: ({ checked }) => actions.setPaused(checked),
    },
    { label: words.recentErrors, submenu: failureItems(figures.failures, actions) },
    LINE,
    {
      id: 'start-at-login',
      label: words.startAtLogin,
      type: 'checkbox',
      checked: settings.startAtLogin,
      click: ({ checked }) => actions.changeSettings({ startAtLogin: checked }),
    },
    {
      id: 'share',
      label: words.share,
      type: 'checkbox',
      checked: settings.shareOnNetwork,
      click: ({ checked }) => actions.changeSettings({ shareOnNetwork: checked }),
    },
    LINE,
    { id: 'settings', label: words.settings, click: () => actions.open('settings?section=desktop') },
    { label: words.openLogs, click: () => actions.openLogs() },
    { label: words.resetPosition, click: () => actions.resetPosition() },
    LINE,
    { id: 'quit', label: words.quit, click: () => actions.quit() },
  ];
}

/** Choices when a port cannot be opened. The third, another port for good, is in the settings. */
function portItems(state: GatewayState, actions: TrayActions): Items {
  if (state.phase !== 'not-listening') return [];
  const { tryPort, usePort, changePort } = texts().tray;
  return [
    { id: 'retry', label: tryPort(state.port), click: () => actions.retryPort() },
    ...(state.freePort === null
      ? []
      : [{ label: usePort(state.freePort), click: () => actions.retryPort(state.freePort ?? 0) }]),
    { label: changePort, click: () => actions.open('settings?section=desktop') },
  ];
}

function copyItems(state: GatewayState): Items {
  const words = texts().tray;
  const baseUrl = state.phase === 'listening' ? `${state.url}/api/v1` : null;
  const copy = (label: string, toText: (url: string) => string): MenuItemConstructorOptions => ({
    label,
    enabled: baseUrl !== null,
    click: () => void clipboard.writeText(toText(baseUrl ?? '')),
  });
  return [
    copy(words.copyBaseUrl, (url) => url),
    {
      label: words.copyAs,
      submenu: [
        copy(words.bash, (url) => `export OPENAI_BASE_URL='${url}'`),
        copy(words.powerShell, (url) => `$env:OPENAI_BASE_URL = '${url}'`),
        copy('.env', (url) => `OPENAI_BASE_URL=${url}`),
        copy('curl', (url) => `curl ${url}/models -H "Authorization: Bearer $GATEWAY_API_KEY"`),
      ],
    },
  ];
}

function modeItems({ state, settings, obstacleTo }: TrayView, actions: TrayActions): Items {
  const isDemo = 'isDemo' in state && state.isDemo;
  const { modes, tray } = texts();
  return MODES.map((mode) => {
    const label = isDemo && mode === 'live' ? modes.demo : modes[mode];
    const isChosen = settings.mode === mode;
    const obstacle = isChosen ? null : obstacleTo(mode);
    return {
      label: obstacle === null ? label : tray.modeWithObstacle(label, obstacle),
      type: 'radio',
      checked: isChosen,
      enabled: obstacle === null,
      click: () => actions.changeSettings({ mode }),
    };
  });
}

/** Menu items for failed calls. The page of the call shows the error; no text from a provider appears here. */
function failureItems(failures: readonly Failure[], actions: TrayActions): Items {
  if (failures.length === 0) return [{ label: texts().tray.noErrors, enabled: false }];
  return failures.map(({ id, at, model, status }) => ({
    // Doubled, because a single ampersand underlines the next letter.
    label: `${toClock(at)} ${model.slice(0, 60)} ${status ?? texts().tray.noResponse}`.replaceAll('&', '&&'),
    click: () => actions.open(`generations/${encodeURIComponent(id)}`),
  }));
}

const toClock = (at: number): string =>
  new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
