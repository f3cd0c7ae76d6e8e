import { contextBridge, ipcRenderer } from 'electron';

import type { Channel, DesktopBridge } from '@model-gateway/ui/desktop-bridge';

// Written out: this file must stay small, and the schemas are checked on both other ends.
const ask =
  (channel: Channel) =>
  (...asks: unknown[]): Promise<unknown> =>
    ipcRenderer.invoke(channel, ...asks);

const bridge = {
  info: ask('info'),
  changeSettings: ask('changeSettings'),
  saveProviderKey: ask('saveProviderKey'),
  removeProviderKey: ask('removeProviderKey'),
  retryPort: ask('retryPort'),
  exportSettings: ask('exportSettings'),
  importSettings: ask('importSettings'),
  backUp: ask('backUp'),
  restore: ask('restore'),
  wipe: ask('wipe'),
  openLogs: ask('openLogs'),
  openLink: ask('openLink'),
  onChange(tell: () => void): () => void {
    const listener = (): void => tell();
    ipcRenderer.on('changed', listener);
    return () => ipcRenderer.off('changed', listener);
  },
} satisfies Record<keyof DesktopBridge, unknown>;

contextBridge.exposeInMainWorld('desktop', bridge);
