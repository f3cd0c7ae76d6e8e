import { createRandomId, type Platform } from '../foundation/platform.ts';
import type { AuditEntry, AuditRepository } from '../stores/audit.ts';
import { toCanonicalJson } from '../stores/kit/audit-chain.ts';
import { type AuditedTable, cut, redact, toFingerprint } from './redact.ts';

type RecordingPlatform = Pick<Platform, 'sha256' | 'randomBytes' | 'now'>;

interface CommandChange extends Pick<AuditEntry, 'action' | 'target'> {
  readonly table: AuditedTable;
  /** The row that was made. */
  readonly row: object;
}

/** Records what a command has made in a store on which no gateway runs. `name` is the user of the system. */
export async function recordCommand(
  audit: AuditRepository | undefined,
  platform: RecordingPlatform,
  { action, target, table, row }: CommandChange,
  name: string | null,
): Promise<void> {
  const after = cut(await redact(table, row, platform));
  await audit?.append([toEntry(platform, { action, target, after, actor: toActor('cli', name) })]);
}

const CHANGE = 'config.change';

/**
 * Records which sections of the configuration are others than those that were recorded last, as fingerprints: they may
 * hold secrets. `file` is where it came from; null for none.
 */
export async function noteConfiguration(
  audit: AuditRepository | undefined,
  platform: RecordingPlatform,
  sections: object,
  file: string | null,
): Promise<void> {
  if (audit === undefined) return;
  const { records } = await audit.page({ filter: { action: CHANGE }, limit: 500 });
  const known: Record<string, unknown> = {};
  for (const { after } of records)
    for (const [name, print] of Object.entries(after ?? {})) if (!Object.hasOwn(known, name)) known[name] = print;
  const prints: Record<string, unknown> = Object.fromEntries(Object.keys(known).map((name) => [name, null]));
  for (const [name, section] of Object.entries(sections)) {
    const text = JSON.stringify(section) as string | undefined;
    if (text !== undefined) prints[name] = await toFingerprint(toCanonicalJson(JSON.parse(text)), platform);
  }
  const changed = Object.keys(prints).filter((name) => prints[name] !== (known[name] ?? null));
  if (changed.length === 0) return;
  const pick = (from: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(changed.map((name) => [name, from[name] ?? null]));
  const target = { kind: 'config', id: null, name: file, workspace: null } as const;
  const before = records.length === 0 ? null : pick(known);
  const actor = toActor('config', file);
  await audit.append([toEntry(platform, { action: CHANGE, target, before, after: pick(prints), actor })]);
}

const toActor = (kind: AuditEntry['actor']['kind'], name: string | null): AuditEntry['actor'] => ({
  kind,
  id: null,
  name,
  member: null,
  key: null,
});

function toEntry(
  platform: RecordingPlatform,
  facts: Pick<AuditEntry, 'action' | 'target' | 'actor'> & Partial<Pick<AuditEntry, 'before' | 'after'>>,
): AuditEntry {
  return {
    id: `aud-${createRandomId(platform)}`,
    at: new Date(platform.now()).toISOString(),
    from: { address: null, user_agent: null },
    before: null,
    after: null,
    outcome: 'done',
    reason: null,
    count: 1,
    ...facts,
  };
}
