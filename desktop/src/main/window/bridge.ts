import { type Channel, type ChannelParameters, type ChannelResult, CHANNELS } from '@model-gateway/ui/desktop-bridge';
import { ipcMain, type IpcMainInvokeEvent } from 'electron';

import { APP_ORIGIN } from './app-scheme.ts';

export type BridgeHandlers = {
  readonly [C in Channel]: (...parameters: ChannelParameters<C>) => ChannelResult<C> | Promise<ChannelResult<C>>;
};

/** Responds to requests of the app's own page only, and only to those in the table, in the form of their schema. */
export function serveBridge(handlers: BridgeHandlers): void {
  for (const channel of Object.keys(CHANNELS) as Channel[]) {
    const { parameters, result } = CHANNELS[channel];
    const handle = handlers[channel] as (...asked: readonly unknown[]) => unknown;
    ipcMain.handle(channel, async (event, ...given: unknown[]) => {
      checkSender(event);
      const parsed = parameters.safeParse(given);
      if (!parsed.success)
        throw new TypeError(`${channel}: ${parsed.error.issues.map(({ message }) => message).join('; ')}`);
      return result.parse(await handle(...parsed.data));
    });
  }
}

function checkSender({ senderFrame }: IpcMainInvokeEvent): void {
  if (senderFrame === null || senderFrame.parent !== null || !senderFrame.url.startsWith(`${APP_ORIGIN}/`)) {
    throw new Error('Only the app’s own window may ask this');
  }
}
