import { join } from 'node:path';

import { app } from 'electron';

/** All paths of the app: its own files beside the bundle, the user's files in the user's folder. */
export function appPaths() {
  const out = join(__dirname, '..');
  const user = app.getPath('userData');
  return {
    ui: join(out, 'ui'),
    demoFixtures: join(out, 'demo-fixtures'),
    gatewayEntry: join(out, 'main', 'gateway.cjs'),
    preload: join(out, 'preload', 'index.cjs'),
    icons: {
      running: join(out, 'icons', 'tray.png'),
      paused: join(out, 'icons', 'tray-paused.png'),
      trouble: join(out, 'icons', 'tray-trouble.png'),
    },
    settings: join(user, 'settings.json'),
    config: join(user, 'config.json'),
    data: join(user, 'data'),
    recordings: join(user, 'recordings'),
    logs: join(user, 'logs'),
  };
}

export type AppPaths = ReturnType<typeof appPaths>;
