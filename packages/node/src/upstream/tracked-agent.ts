import type { Socket } from 'node:net';

/// <reference path="./undici-parts.d.ts" />
import type { Dispatcher } from 'undici';
// By file: the entry of undici loads 109 files, of which these need 21 (docs/decisions/0118-loaded-at-a-start.md).
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import Pool from 'undici/lib/dispatcher/pool.js';

export interface TrackedAgentOptions {
  /** Limit on look-up, connection and TLS handshake together. */
  readonly connectTimeoutMs: number;
  /** How long a connection may be idle before it is closed. */
  readonly keepAliveMs: number;
}

/** The connection assigned to a call. Calls use it one after the other, never two at a time. */
export interface Connection {
  /** Set as soon as the connection is being opened. */
  socket: Socket | undefined;
  /** True while look-up, connection and handshake are under way. */
  isOpening: boolean;
  /** The number of responses that the connection has delivered completely; 0 on a new one. */
  responses: number;
}

export interface TrackedHandler extends Dispatcher.DispatchHandler {
  /** Called before all other methods, unless the call fails before a connection is assigned to it. */
  onConnection(connection: Connection): void;
}

export interface TrackedCall extends Dispatcher.DispatchOptions {
  readonly origin: string;
}

export interface TrackedAgent {
  dispatch(call: TrackedCall, handler: TrackedHandler): void;
  /** Waits for calls under way, then closes all connections. */
  close(): Promise<void>;
}

/**
 * Creates an undici agent without limits that tells each call its connection: new or used decides how a failure is
 * classified, and a connection in a doubtful state must not serve another call.
 */
export function createTrackedAgent({ connectTimeoutMs, keepAliveMs }: TrackedAgentOptions): TrackedAgent {
  // Explicit: certificates are checked even where the environment disables it (NODE_TLS_REJECT_UNAUTHORIZED).
  const connector = buildConnector({ timeout: connectTimeoutMs, allowH2: false, rejectUnauthorized: true });

  // A client is undici's term for one connection and the calls that wait for it.
  const createClient = (origin: URL, options: object): Client => {
    const connection: Connection = { socket: undefined, isOpening: false, responses: 0 };
    const connect: buildConnector.connector = (target, callback) => {
      connection.responses = 0;
      connection.isOpening = true;
      // The connector's type says that it returns nothing; in fact it returns the socket that it opens.
      connection.socket = connector(target, (...[error, socket]) => {
        connection.isOpening = false;
        // On failure the socket is null by its type and undefined in fact.
        if (!socket) return callback(error ?? new Error('no socket'), null);
        callback(null, socket);
      }) as unknown as Socket | undefined;
    };
    const client = new Client(origin, { ...options, connect });
    const dispatch = client.dispatch.bind(client);
    client.dispatch = (call, handler) => {
      (handler as TrackedHandler).onConnection(connection);
      return dispatch(call, handler);
    };
    return client;
  };

  const options: Pool.Options = {
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    factory: createClient,
  };
  // This replaces undici's own agent, which does more: origins come from the configuration, so they stay few.
  const pools = new Map<string, Pool>();
  const openPool = (origin: string): Pool => {
    const pool = new Pool(origin, options);
    pools.set(origin, pool);
    return pool;
  };
  return {
    dispatch: (call, handler) => void (pools.get(call.origin) ?? openPool(call.origin)).dispatch(call, handler),
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}
