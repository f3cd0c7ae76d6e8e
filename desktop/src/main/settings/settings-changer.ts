import type { Mode, Outcome, SettingsChanges } from '@model-gateway/ui/desktop-bridge';
import { dialog } from 'electron';

import type { GatewayControl } from '../gateway/gateway-control.ts';
import { listNetworkAddresses } from '../gateway/network-addresses.ts';
import type { Shortcut } from '../shortcut.ts';
import { texts } from '../texts.ts';
import { setStartAtLogin } from './login-item.ts';
import type { SettingsFile } from './settings-file.ts';

export interface SettingsChangerOptions {
  readonly file: SettingsFile;
  readonly control: GatewayControl;
  readonly shortcut: Shortcut;
  /** Speaks the language of the settings from now on. */
  readonly changeLanguage: () => void;
  readonly lookForUpdates: () => void;
  readonly obstacleTo: (mode: Mode) => string | null;
  /** Called after every attempt, so that displays of the old value are corrected. */
  readonly onChanged: () => void;
}

/** Creates the function that changes settings and applies them, after a question when others get access. */
export function createSettingsChanger(options: SettingsChangerOptions) {
  const { file, control, shortcut, obstacleTo, onChanged } = options;
  return async (changes: SettingsChanges): Promise<Outcome> => {
    const before = file.settings;
    const opensUp = changes.shareOnNetwork === true && !before.shareOnNetwork;
    if (opensUp && !(await confirmSharing(changes.port ?? before.port))) {
      onChanged();
      return { done: false, message: texts().share.nothingChanged };
    }
    const obstacle = changes.mode === undefined || changes.mode === before.mode ? null : obstacleTo(changes.mode);
    if (obstacle !== null) {
      onChanged();
      return { done: false, message: texts().obstacles.modeNotChanged(obstacle) };
    }
    if (changes.shortcut !== undefined && !shortcut.use(changes.shortcut)) {
      onChanged();
      const { obstacles, share } = texts();
      return { done: false, message: `${obstacles.shortcutTaken(changes.shortcut)} ${share.nothingChanged}` };
    }
    file.change({ settings: changes });
    const now = file.settings;
    if (now.startAtLogin !== before.startAtLogin || now.startHidden !== before.startHidden) {
      setStartAtLogin(now.startAtLogin, now.startHidden);
    }
    if (now.port !== before.port) control.listen();
    else if (now.shareOnNetwork !== before.shareOnNetwork) control.listenAgain();
    if (now.language !== before.language) options.changeLanguage();
    if (now.mode !== before.mode || now.demo !== before.demo) void control.start();
    if (now.lookForUpdates && !before.lookForUpdates) options.lookForUpdates();
    onChanged();
    return { done: true, message: '' };
  };
}

async function confirmSharing(port: number): Promise<boolean> {
  const words = texts().share;
  const addresses = listNetworkAddresses().join(', ') || words.thisMachine;
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: words.question,
    detail: words.detail(addresses, port),
    buttons: [words.share, words.cancel],
    defaultId: 1,
    cancelId: 1,
  });
  return response === 0;
}
