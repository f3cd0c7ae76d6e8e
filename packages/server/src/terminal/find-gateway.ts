import process from 'node:process';

import { findOwner, findStore, isDatabase } from '../open/find-store.ts';
import { UsageError } from '../process/flags.ts';
import type { GatewayFlags } from '../process/gateway-flags.ts';
import { askOwner, describeReply, type Owner } from '../process/owner-file.ts';
import { StartError } from '../process/start-error.ts';

/**
 * Finds the running gateway. Without flags that is also one in demo mode in this directory. Throws `UsageError` and
 * `StartError` with what to do.
 */
export async function findGateway({ url, ...flags }: GatewayFlags, env = process.env): Promise<Owner> {
  if (url !== undefined) {
    const token = env['MODEL_GATEWAY_MANAGEMENT_KEY'];
    if (!token) throw new UsageError('--url needs a management key in MODEL_GATEWAY_MANAGEMENT_KEY.');
    return { pid: 0, url, token };
  }
  const named = await findStore(flags);
  if (isDatabase(named)) {
    throw new UsageError('This config uses a database: name the address of a gateway with --url.');
  }
  const { owner, dir } = await findOwner(named, flags);
  if (owner !== undefined) return owner;
  throw new StartError(`No gateway is running with the data directory ${dir}: start one with "serve".`);
}

/** Asks a gateway. Rejects with `StartError` that says why it did not do it, unless it succeeded. */
export async function askGateway<Body>(
  gateway: Owner,
  method: string,
  path: string,
  body?: object,
  timeoutMs?: number,
): Promise<Body> {
  const reply = await askOwner(gateway, method, path, body, timeoutMs);
  if (reply !== undefined && reply.status < 300) return reply.body as Body;
  if (reply === undefined) throw new StartError(toSilence(gateway.url));
  throw new StartError(`The gateway at ${gateway.url} refused: ${describeReply(reply)}.`);
}

/** What is said of a gateway without a response. */
export const toSilence = (url: string): string =>
  `The gateway at ${url} does not respond. Check the address and that it runs.`;
