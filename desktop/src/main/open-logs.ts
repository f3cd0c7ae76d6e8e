import { join } from 'node:path';

import { shell } from 'electron';

import type { AppPaths } from './app-paths.ts';

/** Shows the folder of the gateway's log in the user's file manager. */
export function openLogs({ data }: Pick<AppPaths, 'data'>): void {
  void shell.openPath(join(data, 'logs'));
}
