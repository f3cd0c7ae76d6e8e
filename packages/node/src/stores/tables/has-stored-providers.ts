import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether the store of a data directory has providers, without opening it: another process may own it. Of a damaged
 * file the copy counts, as when the store is opened.
 */
export function hasStoredProviders(dir: string): boolean {
  const tables = readTables(join(dir, 'config.json')) ?? readTables(join(dir, 'config.copy.json'));
  return Array.isArray(tables?.['providers']) && tables['providers'].length > 0;
}

function readTables(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
