import type { Channel, DesktopBridge } from '@model-gateway/ui/desktop-bridge';
import { contextBridge, ipcRenderer } from 'electron';

// Does not check values, because this file must stay small; both other ends check them.
const invoke =
  (channel: Channel) =>
  (...parameters: unknown[]): Promise<unknown> =>
    ipcRenderer.invoke(channel, ...parameters);

const bridge = {
  info: invoke('info'),
  changeSettings: invoke('changeSettings'),
  saveProviderKey: invoke('saveProviderKey'),
  removeProviderKey: invoke('removeProviderKey'),
  retryPort: invoke('retryPort'),
  exportSettings: invoke('exportSettings'),
  importSettings: invoke('importSettings'),
  backUp: invoke('backUp'),
  restore: invoke('restore'),
  wipe: invoke('wipe'),
  openLogs: invoke('openLogs'),
  panel: invoke('panel'),
  copyAddress: invoke('copyAddress'),
  setPaused: invoke('setPaused'),
  openPlace: invoke('openPlace'),
  openLink: invoke('openLink'),
  onChange(tell: () => void): () => void {
    const listener = (): void => tell();
    ipcRenderer.on('changed', listener);
    return () => ipcRenderer.off('changed', listener);
  },
} satisfies Record<keyof DesktopBridge, unknown>;

contextBridge.exposeInMainWorld('desktop', bridge);
