import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { app } from 'electron';

/**
 * Sets whether the app starts at login. Electron does not support it on Linux, where a file in the autostart folder
 * does it (XDG autostart specification).
 */
export function setStartAtLogin(isWanted: boolean, isHidden: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: isWanted, args: isHidden ? ['--hidden'] : [] });
    return;
  }
  const file = autostartFile();
  if (!isWanted) return rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  const lines = [
    '[Desktop Entry]',
    'Type=Application',
    `Name=${app.getName()}`,
    `Exec=${quote(process.execPath)}${isHidden ? ' --hidden' : ''}`,
    'X-GNOME-Autostart-enabled=true',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
}

/**
 * Whether the window is to stay closed at this start. macOS passes no arguments to what it starts at login, but says that
 * it has.
 */
export function startsHidden(isHiddenAtLogin: boolean): boolean {
  if (process.argv.includes('--hidden')) return true;
  return process.platform === 'darwin' && isHiddenAtLogin && app.getLoginItemSettings().wasOpenedAtLogin;
}

function autostartFile(): string {
  const config = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  return join(config, 'autostart', 'model-gateway.desktop');
}

/** Quotes an argument with reserved characters as the desktop entry specification requires. */
function quote(path: string): string {
  return `"${path.replaceAll(/["\\$`]/g, (character) => `\\${character}`).replaceAll('%', '%%')}"`;
}
