import { isIP } from 'node:net';

import type { Logger } from '@model-gateway/core';
import { createClient, ErrorReply } from '@redis/client';

import { describeRedisError, replyCodeOf } from './describe-redis-error.ts';
import type { RedisAddress } from './parse-redis-url.ts';

/** Redis cannot be asked now. Its message is a sentence for the operator. */
class RedisAway extends Error {
  override readonly name = 'RedisAway';
}

export type RedisClient = ReturnType<typeof newClient>;

interface RunOptions {
  /** Default `COMMAND_LIMIT_MS`. */
  readonly limitMs?: number | undefined;
  /** A reply that is late may be a large one: before Redis counts as away, it is asked something small. Default false. */
  readonly mayBeLarge?: boolean | undefined;
}

/** One connection to Redis that heals itself. While it does, commands are refused at once instead of waiting. */
export interface RedisLink {
  /** Rejects with `RedisAway` while Redis is away, with `TooLate` after the limit, or with what Redis replies. */
  run<Reply>(command: (client: RedisClient) => Promise<Reply>, options?: RunOptions): Promise<Reply>;
  /** Calls back each time that Redis takes commands again, the first time too. */
  onUp(listener: () => void): void;
  /** Why Redis cannot be asked now; null while it can. */
  outage(): string | null;
  /** Resolves within seconds, whatever Redis does. */
  close(): Promise<void>;
}

interface RedisLinkOptions {
  readonly address: RedisAddress;
  readonly logger: Logger;
  /** What the connection is for, for the log. */
  readonly purpose: string;
  /** Asks Redis for what shows that it works, on each new connection and until it works again. Must be repeatable. */
  readonly prove: (client: RedisClient) => Promise<unknown>;
}

/** Redis replies within 1 ms where all is well. */
const COMMAND_LIMIT_MS = 100;
const PROOF_LIMIT_MS = 1000;
const PROVE_EVERY_MS = 250;
/** Finds a connection that died without notice before a call does. */
const CHECK_EVERY_MS = 2000;
/** Longer than between two checks: a connection without any data for so long is replaced. */
const SILENCE_LIMIT_MS = 5000;
const CONNECT_LIMIT_MS = 2000;
const LONGEST_RETRY_MS = 1000;
const LATE_PROOFS_TO_RENEW = 3;
const CLOSE_LIMIT_MS = 500;
/** A Redis that comes and goes would fill the log. */
const LOG_EVERY_MS = 10_000;

export function openRedisLink({ address, logger, purpose, prove }: RedisLinkOptions): RedisLink {
  const upListeners: (() => void)[] = [];
  let away: RedisAway | null = new RedisAway(`Redis at ${address.place} is not connected yet`);
  let isProving = false;
  let isClosed = false;
  let wasConnected = false;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let lateProofs = 0;
  let timer: NodeJS.Timeout | undefined;
  const log = createChangeLog(logger, { purpose });

  const connect = (): RedisClient => {
    const made = newClient(address);
    made.on('error', (error: unknown) => {
      if (made === client && !isClosed) goAway(error);
    });
    made.on('ready', () => {
      wasConnected = true;
      if (made === client) void proveNow();
    });
    // Its errors are events, too.
    made.connect().catch(() => undefined);
    return made;
  };

  const renew = (): void => {
    // A server that refuses each new connection's proof at once would be connected to again and again.
    if (performance.now() - renewedAt < LONGEST_RETRY_MS) return;
    renewedAt = performance.now();
    lateProofs = 0;
    dropClient(client);
    client = connect();
  };

  const schedule = (): void => {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => void proveNow(), away === null ? CHECK_EVERY_MS : PROVE_EVERY_MS);
    timer.unref();
  };

  const goAway = (error: unknown): void => {
    const message =
      error instanceof TooLate
        ? `Redis at ${address.place} does not respond`
        : describeRedisError(error, address, wasConnected);
    const wasUp = away === null;
    away = new RedisAway(message, { cause: error });
    log.away(message);
    if (wasUp) schedule();
  };

  const comeUp = (): void => {
    lateProofs = 0;
    if (away === null) return;
    away = null;
    log.up(`Redis at ${address.place} takes commands`);
    for (const listener of upListeners) listener();
  };

  const proveNow = async (): Promise<void> => {
    if (isProving || isClosed) return;
    const proven = client;
    isProving = true;
    try {
      if (proven.isReady) {
        await within(prove(proven), PROOF_LIMIT_MS);
        if (proven === client && proven.isReady) comeUp();
      }
    } catch (error) {
      if (proven === client && !isClosed) {
        goAway(error);
        lateProofs += error instanceof TooLate ? 1 : 0;
        // The name may lead to another server by now, after a failover.
        if (lateProofs >= LATE_PROOFS_TO_RENEW || replyCodeOf(error) === 'READONLY') renew();
      }
    } finally {
      isProving = false;
      schedule();
    }
  };

  let client = connect();
  schedule();
  return {
    async run(command, { limitMs = COMMAND_LIMIT_MS, mayBeLarge = false } = {}) {
      if (away !== null) throw away;
      const asked = client;
      try {
        return await within(command(asked), limitMs);
      } catch (error) {
        if (asked === client && away === null) {
          if (!isSerious(error)) log.refused(describeRedisError(error, address, wasConnected));
          else if (mayBeLarge && error instanceof TooLate) void proveNow();
          else goAway(error);
        }
        throw error;
      }
    },
    onUp(listener) {
      upListeners.push(listener);
      if (away === null) listener();
    },
    outage: () => away?.message ?? null,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      away ??= new RedisAway('The connection to Redis has been closed');
      if (client.isReady) await within(client.close(), CLOSE_LIMIT_MS).catch(() => undefined);
      dropClient(client);
    },
  };
}

function newClient({ host, port, isTls, username, password, database }: RedisAddress) {
  const socket = {
    host,
    port,
    connectTimeout: CONNECT_LIMIT_MS,
    socketTimeout: SILENCE_LIMIT_MS,
    reconnectStrategy: (retries: number): number => Math.min(50 * 2 ** Math.min(retries, 10), LONGEST_RETRY_MS),
  };
  return createClient({
    socket: isTls ? { ...socket, tls: true, ...(isIP(host) === 0 && { servername: host }) } : socket,
    database,
    // A limit of its own, which costs more than the command; `run` has one.
    commandOptions: { timeout: 0 },
    disableOfflineQueue: true,
    // For a hosted product alone; it costs a command for every connection.
    maintNotifications: 'disabled',
    name: 'model-gateway',
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  });
}

/** Whether Redis as such is in trouble, rather than one command. */
const isSerious = (error: unknown): boolean => replyCodeOf(error) !== undefined || !(error instanceof ErrorReply);

function dropClient(client: RedisClient): void {
  try {
    client.destroy();
  } catch {
    // It was closed already.
  }
}

/** Logs when Redis goes away, each reason once and not too often, and when it is back. */
function createChangeLog(logger: Logger, fields: Readonly<Record<string, unknown>>) {
  let said: string | null = null;
  let saidAt = Number.NEGATIVE_INFINITY;
  let awaySince = performance.now();
  let isAway = true;
  let refusedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Counts a refused command as if Redis were away. */
    refused(message: string): void {
      if (performance.now() - refusedAt < LOG_EVERY_MS) return;
      refusedAt = performance.now();
      logger.error(message, fields);
    },
    away(message: string): void {
      if (!isAway) awaySince = performance.now();
      isAway = true;
      if (message === said || performance.now() - saidAt < LOG_EVERY_MS) return;
      said = message;
      saidAt = performance.now();
      logger.error(message, fields);
    },
    up(message: string): void {
      isAway = false;
      if (said === null) return;
      said = null;
      logger.info(message, { ...fields, awayMs: Math.round(performance.now() - awaySince) });
    },
  };
}

/** What was waited for has not come in time. */
class TooLate extends Error {
  override readonly name = 'TooLate';
}

/** Rejects with `TooLate` when the promise has not settled within the limit. */
async function within<Value>(promise: Promise<Value>, limitMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    // A process that was busy for long finds the limit over and the reply unread: what has come in is read first.
    timer = setTimeout(() => setImmediate(() => reject(new TooLate(`no reply within ${limitMs} ms`))), limitMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
