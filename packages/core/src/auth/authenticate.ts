import { GatewayError } from '../errors.ts';
import type { BootstrapKey, GatewayOptions } from '../options.ts';
import type { Platform } from '../platform.ts';
import { type GatewayRequest, headerOf } from '../request.ts';
import type { KeyRecord } from '../stores/store.ts';
import type { Principal } from './principal.ts';

/** Tells who calls, or throws `authentication`. */
export type Authenticate = (request: GatewayRequest) => Promise<Principal>;

/** No key of ours is near this long; hashing megabytes of nonsense would be a gift to an attacker. */
const MAX_KEY_LENGTH = 512;

/**
 * Creates the check that every call passes: the host's own principal, else the embedder's `authenticate`, else the
 * bearer key, looked up by its SHA-256 among the configured and the stored ones.
 */
export function createAuthenticate(options: GatewayOptions, platform: Platform): Authenticate {
  const bootstrap = hashBootstrapKeys(options.bootstrapKeys ?? [], platform);
  return async (request) => {
    if (request.principal !== undefined) return request.principal;
    if (options.authenticate !== undefined) {
      const principal = await options.authenticate(request);
      if (principal === null) throw new GatewayError('authentication', 'Not authenticated');
      return principal;
    }
    const key = readBearer(request);
    const hash = await platform.sha256(key);
    const configured = (await bootstrap).get(hash);
    if (configured !== undefined) return configured;
    const record = await options.store.keys.get(hash);
    return toPrincipal(record, platform.now());
  };
}

function readBearer({ headers }: GatewayRequest): string {
  const header = headerOf(headers, 'authorization');
  if (header === undefined || header === '') {
    throw new GatewayError('authentication', 'Missing Authentication header; send "Authorization: Bearer <key>"');
  }
  const key = /^Bearer +(\S+) *$/i.exec(header.slice(0, MAX_KEY_LENGTH + 16))?.[1];
  if (key === undefined || key.length > MAX_KEY_LENGTH) {
    throw new GatewayError('authentication', 'Malformed Authentication header; send "Authorization: Bearer <key>"');
  }
  return key;
}

function toPrincipal(record: KeyRecord | undefined, nowMs: number): Principal {
  if (record === undefined) throw new GatewayError('authentication', 'Unknown API key');
  if (record.disabled) throw new GatewayError('authentication', 'This API key is disabled');
  if (record.expiresAt !== null && Date.parse(record.expiresAt) <= nowMs) {
    throw new GatewayError('authentication', 'This API key has expired');
  }
  return {
    kind: record.kind,
    id: record.hash,
    name: record.name,
    userId: record.creatorUserId ?? undefined,
    limitUsd: record.limitUsd,
  };
}

async function hashBootstrapKeys(keys: readonly BootstrapKey[], platform: Platform): Promise<Map<string, Principal>> {
  const principals = new Map<string, Principal>();
  for (const { key, kind, name } of keys) {
    const id = await platform.sha256(key);
    principals.set(id, { kind, id, name });
  }
  return principals;
}
