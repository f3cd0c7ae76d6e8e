import { randomUUID } from 'node:crypto';

import type { Logger, SharedChannel } from '@model-gateway/core';

import type { RedisAddress } from './connection/parse-redis-url.ts';
import { openRedisLink, type RedisLink } from './connection/redis-link.ts';

export interface Channels {
  open(name: string): SharedChannel;
  close(): Promise<void>;
}

export interface ChannelParts {
  readonly address: RedisAddress;
  readonly logger: Logger;
  /** Publishes: a connection that subscribes may do nothing else. */
  readonly link: RedisLink;
  readonly prefix: string;
}

/** Opens channels between all processes at one Redis, on one connection. */
export function openChannels({ address, logger, link, prefix }: ChannelParts): Channels {
  const instance = randomUUID();
  const listeners = new Map<string, Set<(text: string) => void>>();
  // Unlike keys, channels are the same in all databases of a Redis.
  const place = `${prefix}:${address.database}:channel`;
  const onMessage = (message: string): void => {
    const [from, name = '', ...words] = message.split(' ');
    if (from === instance) return;
    const text = words.join(' ');
    for (const listener of listeners.get(name) ?? []) tell(listener, text, logger);
  };
  const subscription = openRedisLink({
    address,
    logger,
    purpose: 'messages of other processes',
    // To subscribe again changes nothing where it is done, and the ping shows that Redis responds.
    prove: async (client) => {
      await client.subscribe(place, onMessage);
      await client.ping();
    },
  });

  return {
    open: (name) => ({
      publish(text) {
        // Advice: a process that does not get it finds out without.
        link.run((client) => client.publish(place, `${instance} ${name} ${text}`)).catch(() => undefined);
      },
      subscribe(listener) {
        const ours = listeners.get(name) ?? new Set();
        listeners.set(name, ours.add(listener));
        return () => void ours.delete(listener);
      },
    }),
    close: () => subscription.close(),
  };
}

function tell(listener: (text: string) => void, text: string, logger: Logger): void {
  try {
    listener(text);
  } catch (error) {
    logger.error('a message of another process could not be used', { reason: String(error) });
  }
}
