import type { SessionRow } from '@model-gateway/core/wire';

import { formatUsd } from '../../../format/money.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { formatMoment, formatShortMoment } from '../../../format/time.ts';
import type { Column } from '../../../parts/table/table-row.tsx';
import { Moment } from '../../../parts/text/moment.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { sessionsMessages } from './messages.tsx';

/** Left out where there is no room for them, the first of these first. */
export const LEAVING: readonly string[] = ['key', 'session', 'span', 'models', 'errors', 'calls'];

/** The columns of the list of sessions; names are those of keys by their hashes. */
export function toSessionColumns(keyNames: Readonly<Record<string, string>>): readonly Column<SessionRow>[] {
  const t = sessionsMessages().columns;
  return [
    {
      id: 'time',
      header: t.time,
      width: '104px',
      cell: ({ last_call_at: at }) => <LatestCall at={at} text={formatMoment(at)} />,
      narrow: { width: '68px', cell: ({ last_call_at: at }) => <LatestCall at={at} text={formatShortMoment(at)} /> },
    },
    {
      id: 'prompt',
      header: t.prompt,
      width: 'minmax(140px,5fr)',
      narrow: { width: 'minmax(96px,3fr)' },
      cell: ({ first_prompt: prompt }) => (
        <span className="font-medium" title={prompt ?? t.notStored}>
          {prompt === null ? '—' : showControls(prompt)}
        </span>
      ),
    },
    {
      id: 'session',
      header: t.session,
      // A UUID in whole where there is room.
      width: 'minmax(120px,2fr)',
      cell: ({ session_id: id }) => (
        <code className="font-mono text-xs text-ink-faint" title={id}>
          {showControls(id)}
        </code>
      ),
    },
    {
      id: 'calls',
      header: t.requests,
      width: '76px',
      isNumeric: true,
      cell: ({ matching, requests }) =>
        matching === requests ? (
          formatCount(requests)
        ) : (
          <span title={t.matching(formatCount(matching))}>{t.of(formatCount(matching), formatCount(requests))}</span>
        ),
    },
    {
      id: 'span',
      header: t.span,
      width: '84px',
      isNumeric: true,
      cell: (row) => formatDuration(toSpanMs(row)),
    },
    {
      id: 'models',
      header: t.models,
      width: 'minmax(130px,2fr)',
      cell: ({ models }) => <span title={models.join('\n')}>{toFew(models.map(withoutAuthor))}</span>,
    },
    {
      id: 'key',
      header: t.key,
      width: 'minmax(130px,2fr)',
      cell: ({ key_hashes: hashes }) => (
        <span className="text-ink-soft">{toFew(hashes.map((hash) => keyNames[hash] ?? `${hash.slice(0, 8)}…`))}</span>
      ),
    },
    {
      id: 'errors',
      header: t.errors,
      width: '64px',
      isNumeric: true,
      cell: (row) => {
        const errors = countErrors(row);
        return errors === 0 ? (
          <span className="text-ink-faint">—</span>
        ) : (
          <span className="text-bad">{formatCount(errors)}</span>
        );
      },
    },
    {
      id: 'cost',
      header: t.cost,
      width: '96px',
      narrow: { width: '96px' },
      isNumeric: true,
      cell: (row) => <SessionCost row={row} />,
    },
  ];
}

function LatestCall({ at, text }: { at: string; text: string }) {
  return (
    <Moment at={at} className="figures text-ink-soft">
      {text}
    </Moment>
  );
}

/** The name is enough here; the whole id is shown on pointing. */
const withoutAuthor = (model: string): string => showControls(model.slice(model.indexOf('/') + 1));

/** The first of several, and how many more there are. */
const toFew = ([first = '—', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} +${others.length}`;

export const countErrors = ({ failed, interrupted }: Pick<SessionRow, 'failed' | 'interrupted'>): number =>
  failed + interrupted;

/** From the beginning of the first request to the end of the last. */
export const toSpanMs = ({ started_at: from, ended_at: to }: Pick<SessionRow, 'started_at' | 'ended_at'>): number =>
  Date.parse(to) - Date.parse(from);

/** The cost of a session; where that of some request is not known, the sum of the others is the least that it was. */
export function SessionCost({ row: { cost, cost_known: isKnown } }: { row: Pick<SessionRow, 'cost' | 'cost_known'> }) {
  return isKnown ? formatUsd(cost) : <span title={sessionsMessages().columns.costUnknown}>≥ {formatUsd(cost)}</span>;
}
