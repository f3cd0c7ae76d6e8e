import type { SharedChannel } from '@model-gateway/core';

import type { Notifications } from './notifications.ts';

/**
 * For a database that takes no `LISTEN`: each process tells the others over a channel of another engine, or nothing
 * without one. Whatever gets lost there is found by looking, so they are never taken to be connected.
 */
export function createChannelNotifications(channel: SharedChannel | undefined): Notifications {
  const stops = new Set<() => void>();
  return {
    listen(name, hear) {
      const stop = channel?.subscribe((text) => {
        if (text.startsWith(`${name} `)) hear(text.slice(name.length + 1));
      });
      if (stop === undefined) return () => undefined;
      stops.add(stop);
      return stop;
    },
    tell: (name, payload) => channel?.publish(`${name} ${payload}`),
    onConnected: () => () => undefined,
    isConnected: () => false,
    async close() {
      for (const stop of stops) stop();
    },
  };
}
