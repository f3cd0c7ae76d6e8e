import type { ConfiguredKey } from '../../auth/authenticate.ts';
import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import type { KeyRecord } from '../../stores/rows.ts';
import type { AnyKey } from '../../wire/keys.ts';
import type { KeyParts } from './key-parts.ts';
import { toKeyBody } from './to-key-body.ts';

/** A key that was made here, as the gateway's own list shows it. */
export async function toAnyKeyBody(record: KeyRecord, parts: KeyParts): Promise<AnyKey> {
  return { ...(await toKeyBody(record, parts)), source: 'stored' };
}

/** A key of the configuration. It has neither limit nor end, and its label is its name: its text may be short. */
export async function toConfiguredKeyBody(
  hash: string,
  { kind, name }: ConfiguredKey,
  parts: KeyParts,
): Promise<AnyKey> {
  const record: KeyRecord = {
    hash,
    kind,
    name,
    label: name,
    disabled: false,
    limitUsd: null,
    limitReset: null,
    includeByokInLimit: false,
    creatorUserId: null,
    workspaceId: DEFAULT_WORKSPACE_ID,
    createdAt: '',
    updatedAt: null,
    expiresAt: null,
  };
  return { ...(await toKeyBody(record, parts)), source: 'config', created_at: null };
}
