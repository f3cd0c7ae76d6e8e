import { existsSync } from 'node:fs';
import process from 'node:process';

import type { StoredAuditRecord } from '@model-gateway/core';

import {
  asksForHelp,
  guess,
  type Parsed,
  readFlags,
  STORE_FLAGS,
  type StoreFlags,
  toHelp,
  UsageError,
} from '../process/flags.ts';
import { StartError } from '../process/start-error.ts';

export interface AuditVerifyOptions extends StoreFlags {
  /** A hash that an earlier check has printed. */
  readonly contains: string | undefined;
}

export interface AuditExportOptions extends StoreFlags {
  readonly format: 'ndjson' | 'csv';
}

const HELP = `Usage: model-gateway audit <action> [flags]

  verify             check that no record of the audit log was changed or is missing
  export             print the audit log, oldest first

  --help             of an action, too: model-gateway audit verify --help
`;

const STORE_HELP = `  --data-dir DIR     the data directory of the gateway (./data)
  --config FILE      or the config file that names it, or a database
`;

const VERIFY_HELP = `Usage: model-gateway audit verify [flags]

${STORE_HELP}  --contains HASH    fail unless this record is still there: the hash that an earlier check has printed

Checks the chain of the audit log, beside a running gateway too, and names the first record that is wrong. It exits with
1 then.
`;

const EXPORT_HELP = `Usage: model-gateway audit export [flags]

${STORE_HELP}  --format FORMAT    ndjson: whole records, a line each (the default); csv

Prints the audit log on stdout, oldest first, beside a running gateway too.
`;

export type AuditCommand = Parsed<'audit-verify', AuditVerifyOptions> | Parsed<'audit-export', AuditExportOptions>;

const ACTIONS = ['verify', 'export'] as const;

/** Reads the arguments after `audit`. Throws `UsageError`. */
export function parseAudit([action = '', ...rest]: readonly string[]): AuditCommand {
  if (asksForHelp(action)) return toHelp(HELP);
  if (action === 'verify') {
    const values = readFlags(rest, { ...STORE_FLAGS, contains: { type: 'string' } }, VERIFY_HELP);
    if (values.help === true) return toHelp(VERIFY_HELP);
    const { contains, config, 'data-dir': dataDir } = values;
    if (contains !== undefined && !/^[0-9a-f]{64}$/.test(contains))
      throw new UsageError(`--contains takes a hash of 64 hexadecimal digits.\n\n${VERIFY_HELP}`);
    return { type: 'audit-verify', options: { contains, config, dataDir } };
  }
  if (action === 'export') {
    const values = readFlags(rest, { ...STORE_FLAGS, format: { type: 'string' } }, EXPORT_HELP);
    if (values.help === true) return toHelp(EXPORT_HELP);
    const { format = 'ndjson', config, 'data-dir': dataDir } = values;
    if (format !== 'ndjson' && format !== 'csv')
      throw new UsageError(`--format takes ndjson or csv, not "${format}".\n\n${EXPORT_HELP}`);
    return { type: 'audit-export', options: { format, config, dataDir } };
  }
  if (action === '') throw new UsageError(`Missing what to do with the audit log.\n\n${HELP}`);
  throw new UsageError(`There is no "audit ${action}".${guess(action, ACTIONS)}\n\n${HELP}`);
}

const WRONG = {
  unreadable: 'is unreadable',
  changed: 'was changed',
  missing: 'does not follow the one before: records between them are missing',
  broken: 'does not follow the one before, which was replaced',
  beginning: 'is the first, but the records before it were not dropped by retention',
} as const;

/** Checks the chain, and says what is wrong. */
export async function verifyAudit({ contains, ...flags }: AuditVerifyOptions): Promise<void> {
  const [{ verifyChain }, { createNodePlatform }] = await Promise.all([
    import('@model-gateway/core'),
    import('@model-gateway/node'),
  ]);
  await withAuditLog(flags, async (stored) => {
    const watched = watchFor(stored, contains);
    const { count, first, last, problem } = await verifyChain(watched.records, createNodePlatform().sha256);
    if (problem !== null) {
      const { sequence, id, at, place, kind } = problem;
      const which = [sequence === null ? 'A record' : `Record ${sequence}`, id && `(${id}, ${at})`];
      const where = `in ${place}: it ${WRONG[kind]}.`;
      process.stderr.write(`The audit log is not whole. ${which.filter(Boolean).join(' ')} ${where}\n`);
      process.stderr.write(`Good records before it: ${count}.\n`);
      process.exitCode = 1;
    } else if (!watched.hasFound()) {
      process.stderr.write(
        `The audit log is not whole. No record has the hash ${contains}: the log was cut off, or is another one.\n`,
      );
      process.exitCode = 1;
    } else if (first === null || last === null) process.stdout.write('The audit log is empty.\n');
    else
      process.stdout.write(
        `The audit log is whole: ${count === 1 ? '1 record' : `${count} records, ${first.sequence} to ${last.sequence}`}.\nLast hash: ${last.hash}\n`,
      );
  });
}

/** Looks for a hash among the records that pass. */
function watchFor(stored: AsyncIterable<StoredAuditRecord>, hash: string | undefined) {
  let hasFound = hash === undefined;
  return {
    hasFound: () => hasFound,
    records: (async function* () {
      for await (const record of stored) {
        hasFound ||= record.text.includes(`"hash":"${hash}"`);
        yield record;
      }
    })(),
  };
}

/** Prints the records as they are stored. */
export async function exportAudit({ format, ...flags }: AuditExportOptions): Promise<void> {
  const { AUDIT_CSV_HEAD, toAuditCsvLine } = await import('@model-gateway/core');
  await withAuditLog(flags, async (stored) => {
    if (format === 'csv') process.stdout.write(AUDIT_CSV_HEAD);
    for await (const { text, place, isDamaged } of stored) {
      if (isDamaged) process.stderr.write(`The record in ${place} is damaged: run model-gateway audit verify.\n`);
      if (format === 'ndjson') process.stdout.write(`${text}\n`);
      else if (!isDamaged)
        process.stdout.write(toAuditCsvLine(JSON.parse(text) as Parameters<typeof toAuditCsvLine>[0]));
    }
  });
}

async function withAuditLog(
  flags: StoreFlags,
  use: (stored: AsyncIterable<StoredAuditRecord>) => Promise<void>,
): Promise<void> {
  const { findStore, isDatabase, openDatabase } = await import('../open/find-store.ts');
  const named = await findStore(flags);
  if (!isDatabase(named)) {
    const { dir } = named.store;
    // A name that is mistyped must not pass as a log without a fault.
    if (!existsSync(dir)) {
      throw new StartError(`There is no data directory ${dir}. Name that of the gateway with --data-dir or --config.`);
    }
    const { readAuditLog } = await import('@model-gateway/node');
    return use(readAuditLog(dir));
  }
  const store = await openDatabase(named, { migrates: false });
  try {
    if (store.audit !== undefined) await use(store.audit.read());
  } finally {
    await store.close();
  }
}
