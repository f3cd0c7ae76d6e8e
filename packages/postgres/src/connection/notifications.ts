import type { Logger, SharedChannel } from '@model-gateway/core';
import { Client, type ClientConfig } from 'pg';

import { type DatabaseAddress, describeDatabaseError } from './errors.ts';

/** What other processes at the same database tell, over one connection of its own. */
export interface Notifications {
  /**
   * Calls back with the payload of each notification of a channel; the returned function ends that. The name of a
   * channel is a plain word.
   */
  listen(channel: string, hear: (payload: string) => void): () => void;
  /** Tells other processes, where the statements of the database do not. Never throws; may be lost. */
  tell(channel: string, payload: string): void;
  /** Calls back each time the connection has been made (again): anything may have been missed before. */
  onConnected(listener: () => void): () => void;
  /** Whether notifications arrive at present. */
  isConnected(): boolean;
  close(): Promise<void>;
}

interface ListenerOptions {
  readonly config: ClientConfig;
  readonly address: DatabaseAddress;
  readonly logger: Logger | undefined;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;
/** How often the connection is asked for a sign of life: a network may lose it without a word. */
const LOOK_EVERY_MS = 2000;
/** For each statement, `listen` too: it may be lost as well. */
const STATEMENT_LIMIT_MS = 2000;

/** Listens over one connection that is made with the first channel, and made again by itself when it is lost. */
export function createListener({ config, address, logger }: ListenerOptions): Notifications {
  const channels = new Map<string, Set<(payload: string) => void>>();
  const onConnected = new Set<() => void>();
  let client: Client | undefined;
  let isConnected = false;
  let isClosed = false;
  let waitMs = FIRST_WAIT_MS;
  let timer: NodeJS.Timeout | undefined;

  const again = (delayMs: number, work: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(work, delayMs).unref();
  };
  const lose = (lost: Client, error: unknown): void => {
    if (client !== lost) return;
    client = undefined;
    if (isConnected) {
      const { message } = describeDatabaseError(error, address);
      logger?.warn('The connection that receives changes is lost; it is opened again', { reason: message });
    }
    isConnected = false;
    endClient(lost);
    if (isClosed) return;
    again(waitMs, open);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  };
  const look = (present: Client): void => {
    present.query('select 1').then(
      () => client === present && again(LOOK_EVERY_MS, () => look(present)),
      (error: unknown) => lose(present, error),
    );
  };
  /** Every user of the database may notify: what makes no sense must not end the process. */
  const deliver = (channel: string, hear: () => void): void => {
    try {
      hear();
    } catch (error) {
      logger?.error('A notification of the database could not be used', { channel, reason: String(error) });
    }
  };
  const open = (): void => {
    if (isClosed || client !== undefined) return;
    const opened = new Client({ ...config, query_timeout: STATEMENT_LIMIT_MS });
    client = opened;
    opened.on('error', (error) => lose(opened, error));
    opened.on('end', () => lose(opened, new Error('connection ended')));
    opened.on('notification', ({ channel, payload = '' }) => {
      for (const hear of channels.get(channel) ?? []) deliver(channel, () => hear(payload));
    });
    const listen = async (): Promise<void> => {
      await opened.connect();
      unrefClient(opened);
      for (const channel of channels.keys()) await opened.query(`listen "${channel}"`);
      if (client !== opened) return;
      isConnected = true;
      waitMs = FIRST_WAIT_MS;
      again(LOOK_EVERY_MS, () => look(opened));
      for (const listener of onConnected) listener();
    };
    listen().catch((error: unknown) => lose(opened, error));
  };

  return {
    listen(channel, hear) {
      const heard = channels.get(channel);
      if (heard === undefined) {
        channels.set(channel, new Set([hear]));
        const present = client;
        if (present === undefined) open();
        else if (isConnected) present.query(`listen "${channel}"`).catch((error: unknown) => lose(present, error));
      } else heard.add(hear);
      return () => void channels.get(channel)?.delete(hear);
    },
    tell: () => undefined,
    onConnected(listener) {
      onConnected.add(listener);
      return () => void onConnected.delete(listener);
    },
    isConnected: () => isConnected,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const open = client;
      client = undefined;
      isConnected = false;
      if (open !== undefined) endClient(open);
    },
  };
}

/** The process may end although it listens. The types of `pg` leave this out. */
function unrefClient(client: Client): void {
  (client as Client & { unref(): void }).unref();
}

/** Ends a connection without waiting for the server, which may not respond. */
function endClient(client: Client): void {
  client.end().catch(() => undefined);
}

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
