import { createServer } from 'node:net';

import type { Gateway, Logger } from '@model-gateway/core';
import { type GatewayConfig, listen, type Listener } from '@model-gateway/node';
import { type Language, MESSAGES } from '@model-gateway/ui/messages';
import { describeListenError } from 'model-gateway/embed';

import type { GatewayState, ListenAddress } from '../shared/gateway-messages.ts';

/** The port for clients, which may open and close while the gateway stays. */
export interface PortListener {
  /** Listens there, and nowhere else any more. Tells the state; never rejects. */
  open(place: ListenAddress): Promise<void>;
  pause(): void;
  /** Resolves when the last client has gone; what is left after the limit is cut off. */
  close(drainMs: number): Promise<void>;
}

export interface PortListenerOptions {
  readonly gateway: Gateway;
  readonly config: GatewayConfig;
  readonly logger: Logger;
  readonly isDemo: boolean;
  readonly language: Language;
  readonly tell: (state: GatewayState) => void;
}

export const LOOPBACK = '127.0.0.1';
/** Beyond the drain limit: for the last bytes of responses to be sent. */
const CUT_AFTER_MS = 1000;
const PORTS_TRIED = 20;

export function createPortListener(options: PortListenerOptions): PortListener {
  const { gateway, config, logger, isDemo, language, tell } = options;
  const { bodyLimitMb, allowedOrigins } = config.server;
  const { drainMs, clientWriteMs } = config.timeouts;
  let listener: Listener | undefined;
  /** Listeners that were left; some may still be sending responses. */
  const leaving = new Set<Listener>();

  /** The number of the last wish: an earlier one that is still at work tells nothing, and keeps no port. */
  let wishes = 0;
  let work = Promise.resolve();

  /** Takes no more clients. Responses that are under way go on. */
  const leave = (): void => {
    const left = listener;
    listener = undefined;
    if (left === undefined) return;
    leaving.add(left);
    void left.close(drainMs + CUT_AFTER_MS).finally(() => leaving.delete(left));
  };
  /** The state once it listens there, or why it does not. */
  const tryAt = async ({ host, port, allowedHosts }: ListenAddress): Promise<GatewayState> => {
    if (isDemo && host !== LOOPBACK) {
      const message = MESSAGES[language].state.demoNotShared;
      return { phase: 'not-listening', kind: 'other', port, message, freePort: null, isDemo };
    }
    try {
      listener = await listen(gateway, {
        host,
        port,
        bodyLimitBytes: Math.round(bodyLimitMb * 1024 * 1024),
        allowedOrigins,
        // Shared or not, a page that was led to this port by its name is kept out.
        onlyKnownHosts: true,
        allowedHosts,
        clientWriteTimeoutMs: clientWriteMs,
        logger,
      });
      return { phase: 'listening', url: listener.url, port: listener.port, isDemo };
    } catch (error) {
      const message = (await describeListenError(error, { host, port })) ?? String(error);
      const freePort = await findFreePort(host, port);
      return { phase: 'not-listening', kind: kindOf(error), port, message, freePort, isDemo };
    }
  };
  return {
    open(place) {
      leave();
      const wish = (wishes += 1);
      work = work.then(async () => {
        if (wish !== wishes) return;
        const state = await tryAt(place);
        if (wish === wishes) tell(state);
        else leave();
      });
      return work;
    },
    pause() {
      wishes += 1;
      leave();
      tell({ phase: 'paused', isDemo });
    },
    async close(limitMs) {
      wishes += 1;
      leave();
      await work;
      await Promise.all([...leaving].map((left) => left.close(limitMs)));
    },
  };
}

function kindOf(error: unknown): 'taken' | 'denied' | 'other' {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return 'taken';
    case 'EACCES':
      return 'denied';
    default:
      return 'other';
  }
}

/** The first of the following ports that is free. It is offered to the user, never taken by itself. */
async function findFreePort(host: string, taken: number): Promise<number | null> {
  for (let port = taken + 1; port <= Math.min(taken + PORTS_TRIED, 65_535); port += 1) {
    if (await canListen(host, port)) return port;
  }
  return null;
}

function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  });
}
