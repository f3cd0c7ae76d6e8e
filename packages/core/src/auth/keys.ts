import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { KeyRecord, Store } from '../stores/store.ts';
import { DEFAULT_WORKSPACE_ID } from '../wire/values.ts';
import { type BootstrapKey, createConfiguredKeys } from './authenticate.ts';
import { type MemberDirectory } from './member-principal.ts';

/** A stored key by its hash. Throws `not_found`; keys of the configuration are not stored. */
export async function findKey(
  hash: string | undefined,
  { store }: { readonly store: Pick<Store, 'keys'> },
): Promise<KeyRecord> {
  const record = await store.keys.get(hash ?? '');
  if (record === undefined) throw noKey(hash);
  return record;
}

export function noKey(hash: string | undefined): GatewayError {
  return new GatewayError('not_found', `There is no key with the hash ${(hash ?? '').slice(0, 100)}`);
}

const PREFIX = 'sk-gw-v1-';

export interface NewKey {
  readonly platform: Platform;
  readonly name: string;
  readonly kind: KeyRecord['kind'];
  /** USD; null for no limit. */
  readonly limitUsd: number | null;
  readonly limitReset?: KeyRecord['limitReset'] | undefined;
  readonly includeByokInLimit?: boolean | undefined;
  /** Default: the default workspace. */
  readonly workspaceId?: string | undefined;
  readonly expiresAt?: string | null | undefined;
  readonly creatorUserId?: string | null | undefined;
  readonly externalUser?: string | undefined;
}

/** Makes a key of 256 random bits and the record to store. The key itself can never be had again. */
export async function createKeyRecord(options: NewKey): Promise<{ key: string; record: KeyRecord }> {
  const { platform } = options;
  const secret = Array.from(platform.randomBytes(32), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const key = PREFIX + secret;
  return {
    key,
    record: {
      hash: await platform.sha256(key),
      kind: options.kind,
      name: options.name,
      label: toKeyLabel(key),
      disabled: false,
      limitUsd: options.limitUsd,
      limitReset: options.limitReset ?? null,
      includeByokInLimit: options.includeByokInLimit ?? false,
      creatorUserId: options.creatorUserId ?? null,
      workspaceId: options.workspaceId ?? DEFAULT_WORKSPACE_ID,
      createdAt: new Date(platform.now()).toISOString(),
      updatedAt: null,
      expiresAt: options.expiresAt ?? null,
      ...(options.externalUser !== undefined && { externalUser: options.externalUser }),
    },
  };
}

export { DEFAULT_WORKSPACE_ID };

/** The key with its middle left out, for people to recognise it by. */
export function toKeyLabel(key: string): string {
  return `${key.slice(0, PREFIX.length + 3)}...${key.slice(-3)}`;
}

interface Directories {
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
  readonly store: Pick<Store, 'members'>;
}

/** Throws `permission_denied` where the host manages the members, because a change here would have no effect. */
export function refuseForeignDirectory({ members, store }: Directories): void {
  if (members === store.members) return;
  throw new GatewayError(
    'permission_denied',
    'Members are managed by the host application of this gateway; change them there',
  );
}

export function noMember(id: string | undefined): GatewayError {
  return new GatewayError('not_found', `There is no member ${(id ?? '').slice(0, 100)}`);
}

export type { MemberDirectory } from './member-principal.ts';

/** Names of keys by their hashes; of keys that are gone there is none. */
export type FindKeyNames = (hashes: ReadonlySet<string>) => Promise<Record<string, string>>;

export function createFindKeyNames(
  bootstrapKeys: readonly BootstrapKey[],
  { platform, store }: { readonly platform: Pick<Platform, 'sha256'>; readonly store: Pick<Store, 'keys'> },
): FindKeyNames {
  const configuredKeys = createConfiguredKeys(bootstrapKeys, platform);
  return async (hashes) => {
    const configured = await configuredKeys();
    const names: Record<string, string> = {};
    for (const hash of hashes) {
      const name = configured.get(hash)?.name ?? (await store.keys.get(hash))?.name;
      if (name !== undefined) names[hash] = name;
    }
    return names;
  };
}
