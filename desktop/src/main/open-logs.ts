import { shell } from 'electron';

import type { AppPaths } from './app-paths.ts';

/** Shows the folder of the gateway's log in the user's file manager. */
export function openLogs({ logs }: Pick<AppPaths, 'logs'>): void {
  void shell.openPath(logs);
}
