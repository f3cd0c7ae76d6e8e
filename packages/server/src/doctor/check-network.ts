import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import type { Target } from './check-address.ts';
import type { Finding } from './finding.ts';
import { type Patient, toLimit } from './patient.ts';

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
const MAX_ADDRESSES_SHOWN = 3;

/** Resolves the name as every connection does. */
export async function checkDns({ host, isIp }: Target): Promise<Finding> {
  if (isIp) return { layer: 'dns', status: 'skipped', detail: `${host} is an IP address` };
  try {
    const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
    const shown = addresses.slice(0, MAX_ADDRESSES_SHOWN).join(', ');
    const rest = addresses.length - MAX_ADDRESSES_SHOWN;
    return { layer: 'dns', status: 'ok', detail: rest > 0 ? `${shown} and ${rest} more` : shown };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const advice =
      code === 'ENOTFOUND'
        ? 'Look for a typing error in baseUrl. In a closed network the name service may know internal names only.'
        : 'The name service did not answer: check the network and the name servers of this machine.';
    return { layer: 'dns', status: 'failed', detail: `${host} could not be resolved (${code})`, advice };
  }
}

/** How long a connection may take. */
export interface ConnectOptions {
  readonly timeoutMs: number;
  /** Ends it before. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens a connection and closes it again. */
export async function checkTcp(
  { host, port, isLoopback }: Target,
  { timeoutMs, env, signal }: ConnectOptions & Pick<Patient, 'env'>,
): Promise<Finding> {
  const startedAt = performance.now();
  const socket = connect({ host, port });
  try {
    await connected(socket, { timeoutMs, signal });
    const detail = `connected to ${socket.remoteAddress} in ${Math.round(performance.now() - startedAt)} ms`;
    return { layer: 'tcp', status: 'ok', detail };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    const detail = `no connection to ${host}, port ${port} (${reason})`;
    return { layer: 'tcp', status: 'failed', detail, advice: adviseOnTcp(reason, isLoopback, env) };
  } finally {
    socket.destroy();
  }
}

async function connected(socket: Socket, { timeoutMs, signal }: ConnectOptions): Promise<void> {
  try {
    await once(socket, 'connect', { signal: toLimit(timeoutMs, signal) });
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    throw new Error(`no answer within ${timeoutMs} ms`, { cause: error });
  } finally {
    // Later errors of the socket have no effect.
    socket.on('error', () => undefined);
  }
}

function adviseOnTcp(reason: string, isLoopback: boolean, env: Readonly<Record<string, string | undefined>>): string {
  if (isLoopback) return 'Nothing listens there: start the server, or mend the port in baseUrl.';
  const proxy = PROXY_VARIABLES.find((name) => env[name]);
  if (proxy !== undefined) {
    return `${proxy} is set, but the gateway uses no proxies of the environment: it needs a direct way out.`;
  }
  return reason === 'ECONNREFUSED'
    ? 'The machine is there, but nothing listens at this port: mend the port in baseUrl, or start the server.'
    : 'A firewall may be in the way, or the machine is down. The gateway needs a direct way out.';
}
