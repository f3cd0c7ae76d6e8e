import type { AuditRecord } from '@model-gateway/core/wire';
import type { ReactNode } from 'react';

import { formatCount } from '../../format/quantity.ts';
import { formatFull } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { Facts } from '../../parts/facts.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { OutcomeBadge, toActorName, toTargetName } from './audit-parts.tsx';
import { toFieldChanges } from './audit-queries.ts';
import { auditMessages, toActionWords, toReasonWords } from './messages.ts';

interface RecordPanelProps {
  readonly record: AuditRecord;
  readonly onClose: () => void;
}

/** One record: who, from where, and each field as it was and as it is. */
export function RecordPanel({ record, onClose }: RecordPanelProps) {
  const { panel: t } = auditMessages();
  return (
    <SidePanel
      label={t.record(record.sequence)}
      onClose={onClose}
      title={
        <h2 className="flex items-center gap-2 font-semibold">
          <span className="truncate">{toActionWords(record)}</span>
          <OutcomeBadge record={record} />
        </h2>
      }
      actions={<CopyButton look="quiet" label={t.copyId} text={record.id} />}
    >
      <div tabIndex={0} className="scroll-thin flex flex-1 flex-col gap-5 overflow-y-auto p-4">
        {record.outcome === 'done' && <Changes record={record} />}
        <RecordFacts record={record} />
      </div>
    </SidePanel>
  );
}

interface MissingRecordProps {
  /** Whether older records are not loaded yet. */
  readonly hasMore: boolean;
  /** Undefined where nothing is filtered. */
  readonly onClear: (() => void) | undefined;
  readonly onClose: () => void;
}

/** In place of a record that an address names, and the list does not have. */
export function MissingRecord({ hasMore, onClear, onClose }: MissingRecordProps) {
  const { clear, missing: t } = auditMessages();
  return (
    <SidePanel label={t.title} title={<h2 className="truncate font-semibold">{t.label}</h2>} onClose={onClose}>
      <EmptyState title={t.title}>
        {hasMore && <p>{t.hint}</p>}
        {onClear !== undefined && <Button onClick={onClear}>{clear}</Button>}
      </EmptyState>
    </SidePanel>
  );
}

function Changes({ record }: { record: AuditRecord }) {
  const { panel: t } = auditMessages();
  const changes = toFieldChanges(record);
  if (record.before === null && record.after === null) return null;
  return (
    <section aria-label={t.changes}>
      <h3 className="mb-2 text-sm font-semibold">{t.changes}</h3>
      {changes.length === 0 ? (
        <p className="text-sm text-ink-faint">{t.none}</p>
      ) : (
        <dl className="flex flex-col gap-3 text-sm">
          {changes.map(({ field, before, after }) => (
            <div key={field} className="min-w-0">
              <dt className="mb-1 font-mono text-xs break-all text-ink-faint">{showControls(field)}</dt>
              {before !== null && <Value mark="−" name={t.before} text={before} className="bg-bad-soft/60" />}
              {after !== null && <Value mark="+" name={t.after} text={after} className="bg-good-soft/60" />}
            </div>
          ))}
        </dl>
      )}
      {changes.some(({ before, after }) => /\bsha256:/.test(`${before} ${after}`)) && (
        <p className="mt-2 text-xs text-ink-faint">{t.secretNote}</p>
      )}
    </section>
  );
}

interface ValueProps {
  /** Stands before it, so that the colour is not all that tells them apart. */
  readonly mark: string;
  readonly name: string;
  readonly text: string;
  readonly className: string;
}

function Value({ mark, name, text, className }: ValueProps) {
  return (
    <dd className={`flex gap-2 px-2 py-1 font-mono text-xs first-of-type:rounded-t last:rounded-b ${className}`}>
      <span aria-hidden="true">{mark}</span>
      <span className="sr-only">{name}</span>
      <span className="min-w-0 flex-1 break-all whitespace-pre-wrap">{showControls(text)}</span>
    </dd>
  );
}

function RecordFacts({ record }: { record: AuditRecord }) {
  const { panel: t, actors, kinds } = auditMessages();
  const { actor, from, target, reason, count, at, hash, previous_hash: previous } = record;
  const code = (text: string): ReactNode => <code className="font-mono text-xs break-all">{showControls(text)}</code>;
  const facts: readonly (readonly [string, ReactNode | null])[] = [
    [t.time, formatFull(at)],
    [t.by, actor.name === null ? actors[actor.kind] : `${toActorName(record)} (${actors[actor.kind]})`],
    [t.signedInBy, actor.kind === 'session' && actor.key !== null ? code(actor.key) : null],
    [t.member, actor.member],
    [t.address, from.address],
    [t.client, from.user_agent === null ? null : showControls(from.user_agent)],
    [t.subject, `${kinds[target.kind]}: ${toTargetName(record)}`],
    [t.subjectId, target.id === null || target.name === null ? null : code(target.id)],
    [t.workspace, target.workspace],
    [t.reason, reason === null ? null : showControls(toReasonWords(reason))],
    [t.requests, count === 1 ? null : formatCount(count)],
    [t.hash, code(hash)],
    [t.previous, code(previous)],
  ];
  return <Facts facts={facts.filter(([, value]) => value !== null)} />;
}
