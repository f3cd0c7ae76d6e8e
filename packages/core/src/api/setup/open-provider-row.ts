import type { Issue } from '../../foundation/parse.ts';
import type { ProviderRecord } from '../../stores/store.ts';
import type { ProviderSettings, ProviderSetup } from '../../wire/provider-setup.ts';
import { readOpenSettings, readProviderRow } from './provider-rows.ts';
import type { SetupHost } from './setup-host.ts';

/** What became of a stored provider. */
export interface ProviderStanding {
  readonly status: ProviderSetup['status'];
  readonly problem: string | null;
}

/** A stored provider with its key, or why it is not called. */
export type OpenedProvider =
  | { readonly status: 'ready'; readonly problem: null; readonly settings: ProviderSettings }
  | (ProviderStanding & { readonly status: Exclude<ProviderStanding['status'], 'ready'> });

/** Reads a stored provider, and opens what it has sealed. Never rejects. */
export async function openProviderRow(
  row: ProviderRecord,
  host: Pick<SetupHost, 'configured' | 'objectTo' | 'secrets'>,
): Promise<OpenedProvider> {
  if (isShadowed(row, host)) {
    return { status: 'shadowed', problem: 'The configuration has a provider of the same slug, which counts' };
  }
  if (!row.enabled) return { status: 'off', problem: null };
  try {
    const objections = host.objectTo({ ...readOpenSettings(row), ...(row.keyHint !== null && { apiKey: null }) });
    if (objections.length > 0) return { status: 'failed', problem: describeObjections(objections) };
  } catch (error) {
    return { status: 'failed', problem: `Its settings cannot be read: ${messageOf(error)}` };
  }
  try {
    return { status: 'ready', problem: null, settings: await readProviderRow(row, host) };
  } catch (error) {
    return { status: 'locked', problem: `Its key cannot be opened: ${messageOf(error)}. Give the key anew` };
  }
}

/** Whether the configuration has a provider of the same slug. */
export const isShadowed = ({ id }: ProviderRecord, { configured }: Pick<SetupHost, 'configured'>): boolean =>
  configured.providers.some(({ slug }) => slug === id);

export const describeObjections = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => `${path}: ${message}`).join('; ');

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
