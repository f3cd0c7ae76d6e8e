import type { AuditRecord } from '@model-gateway/core/wire';

import { formatCount } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { auditMessages, toActionWords, toReasonWords } from './messages.ts';

/** Who it was, in one line. */
export function toActorName({ actor }: Pick<AuditRecord, 'actor'>): string {
  const { actors } = auditMessages();
  return actor.name === null ? actors[actor.kind] : showControls(actor.name);
}

/** What it was done to, by its name, else by its id. */
export const toTargetName = ({ target }: Pick<AuditRecord, 'target'>): string =>
  showControls(target.name ?? target.id ?? '—');

/** What it was done to; of a refusal why, too. */
function toDescription({ target, reason }: Pick<AuditRecord, 'target' | 'reason'>): string {
  const parts = [target.name ?? target.id, reason === null ? null : toReasonWords(reason)];
  return showControls(parts.filter((part) => part !== null).join(' · ')) || '—';
}

/** Only what was refused stands out. */
export function OutcomeBadge({ record: { outcome, count } }: { record: Pick<AuditRecord, 'outcome' | 'count'> }) {
  const t = auditMessages();
  if (outcome === 'done') return null;
  return <Badge tone="caution">{count === 1 ? t.refused : t.refusedTimes(formatCount(count))}</Badge>;
}

/** The columns of the list. */
export function toAuditColumns(): readonly Column<AuditRecord>[] {
  const { columns: t } = auditMessages();
  return [
    {
      id: 'action',
      header: t.action,
      width: 'minmax(220px,3fr)',
      narrow: { width: 'minmax(120px,3fr)' },
      cell: (record) => (
        <div className="leading-tight">
          <p className="flex items-center gap-2">
            <span className="truncate">{toActionWords(record)}</span>
            <OutcomeBadge record={record} />
          </p>
          <p className="mt-0.5 truncate text-xs text-ink-faint">{toDescription(record)}</p>
        </div>
      ),
    },
    {
      id: 'actor',
      header: t.actor,
      width: 'minmax(130px,1.5fr)',
      narrow: { width: 'minmax(84px,1.5fr)' },
      cell: (record) => (
        <div className="leading-tight">
          <p className="truncate">{toActorName(record)}</p>
          <p className="mt-0.5 truncate text-xs text-ink-faint">{auditMessages().actors[record.actor.kind]}</p>
        </div>
      ),
    },
    {
      id: 'address',
      leaves: 1,
      header: t.address,
      width: 'minmax(110px,1fr)',
      cell: ({ from }) => <span className="figures text-ink-soft">{from.address ?? '—'}</span>,
    },
    {
      id: 'time',
      header: t.time,
      width: '120px',
      narrow: { width: '84px' },
      cell: ({ at }) => (
        <Moment at={at} className="figures text-ink-soft">
          {formatMoment(at)}
        </Moment>
      ),
    },
  ];
}
