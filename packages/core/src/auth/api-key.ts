import type { Platform } from '../foundation/platform.ts';
import type { KeyRecord } from '../stores/store.ts';

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

/** The workspace of everything until there are others. */
export const DEFAULT_WORKSPACE_ID = '00000000-0000-4000-8000-000000000000';

/** The key with its middle left out, for people to recognise it by. */
export function toKeyLabel(key: string): string {
  return `${key.slice(0, PREFIX.length + 3)}...${key.slice(-3)}`;
}
