import { createHash } from 'node:crypto';

import { ErrorReply } from '@redis/client';

import type { RedisClient } from './connection/redis-link.ts';

/** A script that Redis runs as one step. */
export interface RedisScript {
  readonly text: string;
  readonly sha1: string;
  /** The connections on which its text has been sent. */
  readonly sentOn: WeakSet<RedisClient>;
}

export const toScript = (text: string): RedisScript => ({
  text,
  sha1: createHash('sha1').update(text).digest('hex'),
  sentOn: new WeakSet(),
});

/** Runs a script by its text once, then by its hash, unless Redis has forgotten it: after a restart, say. */
export async function runScript(
  client: RedisClient,
  { text, sha1, sentOn }: RedisScript,
  options: { readonly keys: string[]; readonly arguments: string[] },
): Promise<unknown> {
  if (!sentOn.has(client)) {
    sentOn.add(client);
    return client.eval(text, options);
  }
  try {
    return await client.evalSha(sha1, options);
  } catch (error) {
    if (!(error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))) throw error;
    return client.eval(text, options);
  }
}
