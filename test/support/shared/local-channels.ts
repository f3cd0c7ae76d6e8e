import type { SharedChannel } from '@model-gateway/core';

/** Channels between the processes of a test, which are all in this one. Each `open` is a process of its own. */
export interface LocalChannels {
  /** Whether texts are lost. */
  isCut: boolean;
  readonly published: readonly string[];
  open(name: string): SharedChannel;
}

export function createLocalChannels(): LocalChannels {
  const published: string[] = [];
  const listeners = new Map<SharedChannel, { name: string; listener: (text: string) => void }>();
  const channels: LocalChannels = {
    isCut: false,
    published,
    open(name) {
      const channel: SharedChannel = {
        publish(text) {
          published.push(text);
          if (channels.isCut) return;
          for (const [other, { name: itsName, listener }] of listeners) {
            if (other !== channel && itsName === name) listener(text);
          }
        },
        subscribe(listener) {
          listeners.set(channel, { name, listener });
          return () => void listeners.delete(channel);
        },
      };
      return channel;
    },
  };
  return channels;
}
