import type { Mode, Outcome, SettingsChanges } from '@model-gateway/ui/desktop-bridge';
import { dialog } from 'electron';

import type { GatewayControl } from '../gateway/gateway-control.ts';
import { listNetworkAddresses } from '../gateway/network-addresses.ts';
import { lookForUpdates } from '../look-for-updates.ts';
import { setStartAtLogin } from './login-item.ts';
import type { SettingsFile } from './settings-file.ts';

export interface SettingsChangerOptions {
  readonly file: SettingsFile;
  readonly control: GatewayControl;
  readonly obstacleTo: (mode: Mode) => string | null;
  /** Called after every attempt, so that displays of the old value are corrected. */
  readonly onChanged: () => void;
}

/** Creates the function that changes settings and applies them, after a question when others get access. */
export function createSettingsChanger({ file, control, obstacleTo, onChanged }: SettingsChangerOptions) {
  return async (changes: SettingsChanges): Promise<Outcome> => {
    const before = file.settings;
    const opensUp = changes.shareOnNetwork === true && !before.shareOnNetwork;
    if (opensUp && !(await confirmSharing(changes.port ?? before.port))) {
      onChanged();
      return { done: false, message: 'Nothing was changed.' };
    }
    const obstacle = changes.mode === undefined || changes.mode === before.mode ? null : obstacleTo(changes.mode);
    if (obstacle !== null) {
      onChanged();
      return { done: false, message: `The mode was not changed: ${obstacle}.` };
    }
    file.change({ settings: changes });
    const now = file.settings;
    if (now.startAtLogin !== before.startAtLogin || now.startHidden !== before.startHidden) {
      setStartAtLogin(now.startAtLogin, now.startHidden);
    }
    if (now.port !== before.port) control.listen();
    else if (now.shareOnNetwork !== before.shareOnNetwork) control.listenAgain();
    if (now.mode !== before.mode) void control.start();
    if (now.lookForUpdates && !before.lookForUpdates) void lookForUpdates();
    onChanged();
    return { done: true, message: '' };
  };
}

async function confirmSharing(port: number): Promise<boolean> {
  const addresses = listNetworkAddresses().join(', ') || 'this machine';
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: 'Share the gateway on your local network?',
    detail:
      `Everyone on the network will be able to reach ${addresses} at port ${port}. They still need a key. ` +
      'What they send crosses the network unencrypted.',
    buttons: ['Share', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
  });
  return response === 0;
}
