import { readdirSync } from 'node:fs';

import type { Mode } from '@model-gateway/ui/desktop-bridge';

import type { GatewayState } from '../shared/gateway-messages.ts';
import type { AppPaths } from './app-paths.ts';
import { texts } from './texts.ts';

/** The reason why a mode is of no use at the moment; null when it is. */
export function modeObstacle(
  mode: Mode,
  { state, paths }: { readonly state: GatewayState; readonly paths: Pick<AppPaths, 'recordings'> },
): string | null {
  switch (mode) {
    case 'live':
      return null;
    case 'replay':
      return hasFiles(paths.recordings) ? null : texts().obstacles.nothingRecorded;
    case 'record':
      return 'isDemo' in state && state.isDemo ? texts().obstacles.demoAsksNone : null;
  }
}

function hasFiles(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}
