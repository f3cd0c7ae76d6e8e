import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { sendWhole, toText, type Transport } from '../foundation/transport.ts';
import type { TokenIssuer } from './token-issuers.ts';

type FindKey = JWTVerifyGetKey;

/** The public keys of an issuer, as they are known. */
export interface KeySet {
  /** The key of a token by its header; rejects with the errors of `jose`, or `provider_overloaded` while none is known. */
  readonly find: FindKey;
}

interface KeySetParts {
  readonly transport: Transport;
  readonly platform: Platform;
  readonly logger: Logger | undefined;
}

/** An unknown `kid` makes them read anew at most so often: anybody can send one. */
const READ_AT_MOST_EVERY_MS = 30_000;
/** Where none is known, a call tries again after this. */
const RETRY_AFTER_MS = 5000;
/** Read again beside the next call after this, and before it after an hour: a key may have been withdrawn. */
const FRESH_MS = 10 * 60 * 1000;
const STALE_MS = 60 * 60 * 1000;

/** Keys are read when the first token comes. An issuer that is away keeps those that are known. */
export function createKeySet(
  { issuer, jwksUrl }: Pick<TokenIssuer, 'issuer' | 'jwksUrl'>,
  { transport, platform, logger }: KeySetParts,
): KeySet {
  let known: { readonly find: FindKey; readonly at: number } | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    triedAt = platform.monotonicNow();
    try {
      const url = jwksUrl ?? (await discover(issuer, transport));
      const keys = (await readJson(url, transport)) as unknown as JSONWebKeySet;
      known = { find: createLocalJWKSet(keys), at: platform.monotonicNow() };
    } catch (error) {
      failedAt = platform.monotonicNow();
      logger?.warn('the keys of an issuer of tokens could not be read', { issuer, reason: String(error) });
    }
  };
  /** Those that ask meanwhile wait for the same reading, where requests can share promises. */
  const readOnce = (): Promise<void> => {
    if (platform.isPerRequest === true) return read();
    reading ??= read().finally(() => (reading = undefined));
    return reading;
  };
  const sinceTry = (): number => platform.monotonicNow() - triedAt;

  const current = async (): Promise<FindKey> => {
    if (known === undefined) {
      // That another call has begun to read them is no failure: this one waits for it, or reads them itself.
      if (platform.monotonicNow() - failedAt > RETRY_AFTER_MS) await readOnce();
    } else {
      const age = platform.monotonicNow() - known.at;
      if (age > FRESH_MS && sinceTry() > RETRY_AFTER_MS) {
        const done = readOnce();
        if (age > STALE_MS || platform.isPerRequest === true) await done;
      }
    }
    if (known !== undefined) return known.find;
    throw new GatewayError('provider_overloaded', 'The keys of the issuer of the token cannot be read at present', {
      retryAfterSeconds: RETRY_AFTER_MS / 1000,
    });
  };

  return {
    async find(header, token) {
      const find = await current();
      try {
        return await find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        if (reading === undefined && sinceTry() < READ_AT_MOST_EVERY_MS) throw error;
        await readOnce();
        return (known?.find ?? find)(header, token);
      }
    },
  };
}

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1024 * 1024;

async function discover(issuer: string, transport: Transport): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: keys } = await readJson(url, transport);
  if (named !== issuer) throw new Error(`${url} is of another issuer`);
  if (typeof keys !== 'string') throw new Error(`${url} has no jwks_uri`);
  return keys;
}

async function readJson(url: string, transport: Transport): Promise<Readonly<Record<string, unknown>>> {
  const { status, bytes } = await sendWhole(transport, {
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    signal: new AbortController().signal,
    headersTimeoutMs: TIMEOUT_MS,
    idleTimeoutMs: TIMEOUT_MS,
    totalTimeoutMs: TIMEOUT_MS * 2,
    maxBodyBytes: MAX_BYTES,
  });
  if (status !== 200) throw new Error(`${url} responds with ${status}`);
  const value: unknown = JSON.parse(toText(bytes));
  if (typeof value !== 'object' || value === null) throw new Error(`${url} responds without a JSON object`);
  return value as Record<string, unknown>;
}
