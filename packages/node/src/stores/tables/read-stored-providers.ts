import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type StoredProvider, tablesSchema } from '@model-gateway/core';

/**
 * Whether the store of a data directory has providers, without opening it: another process may own it. Of a damaged
 * file the copy counts, as when the store is opened.
 */
export function hasStoredProviders(dir: string): boolean {
  const rows = readRows(dir);
  return Array.isArray(rows) && rows.length > 0;
}

/** The providers in the store of a data directory, in the same way. What cannot be read as a list of them is none. */
export function readStoredProviders(dir: string): readonly StoredProvider[] {
  return tablesSchema.shape.providers.safeParse(readRows(dir)).data ?? [];
}

const readRows = (dir: string): unknown =>
  (readTables(join(dir, 'config.json')) ?? readTables(join(dir, 'config.copy.json')))?.['providers'];

function readTables(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
