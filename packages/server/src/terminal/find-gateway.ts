import process from 'node:process';

import { findStore, isDatabase } from '../open/find-store.ts';
import { UsageError } from '../process/flags.ts';
import type { GatewayFlags } from '../process/gateway-flags.ts';
import { askOwner, DEMO_DATA_DIR, describeReply, type Owner, readOwnerFile } from '../process/owner-file.ts';
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
  const owner = await readOwnerFile(named.store.dir);
  if (owner !== undefined) return owner;
  const isAnyMeant = flags.config === undefined && flags.dataDir === undefined;
  const demo = isAnyMeant ? await readOwnerFile(DEMO_DATA_DIR) : undefined;
  if (demo !== undefined) return demo;
  throw new StartError(`No gateway is running with the data directory ${named.store.dir}: start one with "serve".`);
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
  throw new StartError(`The gateway at ${gateway.url} refused: ${describeReply(reply)}.`);
}
