import { Pin, Shuffle } from 'lucide-react';
import type { ReactNode } from 'react';

import { formatUsd, formatUsdInColumn } from '../../../format/money.ts';
import { formatCompact, formatDuration } from '../../../format/quantity.ts';
import { formatFull, formatMoment, formatShortMoment } from '../../../format/time.ts';
import { measureText } from '../../../parts/table/measure-text.ts';
import type { Column } from '../../../parts/table/table-row.tsx';
import { GENERATION_STATUSES, StatusBadge, StatusMark } from './generation-status.tsx';
import { endOf, type ListRow, toAppName, toFirstTokenMs, toSpeed } from './list-row.ts';
import { generationListMessages } from './messages.ts';

interface CostProps {
  readonly generation: Pick<ListRow, 'cost_known' | 'total_cost'>;
  readonly format?: (usd: number) => string;
}

/** Cost of the generation; an unknown price is not shown as zero. */
export function Cost({ generation, format = formatUsd }: CostProps) {
  const t = generationListMessages();
  return generation.cost_known ? (
    format(generation.total_cost)
  ) : (
    <span title={t.noPrice} className="text-ink-faint">
      {t.unknownCost}
    </span>
  );
}

/** What the list knows beside its rows. */
export interface ListContext {
  readonly rows: readonly ListRow[];
  readonly pins: readonly string[];
  /** Names of keys by their hashes. */
  readonly keyNames: Readonly<Record<string, string>>;
  /** Ids of columns that are not shown. */
  readonly hidden: readonly string[];
  /** Whether the list is sorted by when requests began, and not by when they ended. */
  readonly isByStart: boolean;
}

/** All columns of the list, in their order by default. */
export function toColumns(context: ListContext): readonly Column<ListRow>[] {
  const { rows, keyNames, isByStart } = context;
  const t = generationListMessages();
  const heads = t.columns;
  const toKeyName = ({ key_hash: hash }: ListRow): string => keyNames[hash] ?? `${hash.slice(0, 8)}…`;
  const model = createModelCell(context);
  return [
    {
      id: 'time',
      sort: 'time',
      header: isByStart ? heads.started : heads.ended,
      width: '104px',
      cell: (row) => <Ended row={row} isByStart={isByStart} format={formatMoment} />,
      narrow: {
        width: '58px',
        cell: (row) => <Ended row={row} isByStart={isByStart} format={formatShortMoment} />,
      },
    },
    {
      id: 'status',
      sort: 'status',
      header: heads.status,
      width: '92px',
      cell: ({ status }) =>
        status === 'ok' ? (
          <span className="text-ink-faint">{GENERATION_STATUSES.ok.label}</span>
        ) : (
          <StatusBadge status={status} />
        ),
    },
    {
      id: 'model',
      sort: 'model',
      header: heads.model,
      width: toModelWidth(context),
      cell: (row) => model(row, row.model),
      narrow: {
        width: 'minmax(70px,2fr)',
        cell: (row) => model(row, row.model.slice(row.model.indexOf('/') + 1), true),
      },
    },
    {
      id: 'attempts',
      sort: 'attempts',
      header: heads.attempts,
      width: '80px',
      isNumeric: true,
      cell: ({ attempts }) =>
        attempts < 2 ? (
          <span className="text-ink-faint">{attempts === 0 ? '—' : attempts}</span>
        ) : (
          <Attempts count={attempts} />
        ),
    },
    {
      id: 'prompt',
      header: heads.prompt,
      width: 'minmax(160px,1fr)',
      narrow: { width: 'minmax(84px,3fr)' },
      cell: ({ prompt_preview: preview }) => (
        <span className="text-ink-soft" title={preview ?? t.notStored}>
          {preview ?? '—'}
        </span>
      ),
    },
    {
      id: 'provider',
      sort: 'provider',
      header: heads.provider,
      width: toFittingWidth(rows, (row) => row.provider_name ?? '', { least: 76, most: 150 }),
      cell: ({ provider_name: name }) => <span title={name ?? undefined}>{name ?? '—'}</span>,
    },
    {
      id: 'key',
      header: heads.key,
      width: toFittingWidth(rows, toKeyName, { least: 64, most: 150 }),
      cell: (row) => (
        <span className="text-ink-soft" title={row.key_hash}>
          {toKeyName(row)}
        </span>
      ),
    },
    {
      id: 'origin',
      header: heads.app,
      width: toFittingWidth(rows, (row) => toAppName(row) ?? '', { least: 64, most: 150 }),
      cell: (row) => (
        <span className="text-ink-soft" title={row.origin || (row.user_agent ?? undefined)}>
          {toAppName(row) ?? '—'}
        </span>
      ),
    },
    {
      id: 'user',
      header: heads.user,
      width: toFittingWidth(rows, (row) => row.external_user ?? '', { least: 64, most: 150 }),
      cell: ({ external_user: user }) => <span className="text-ink-soft">{user ?? '—'}</span>,
    },
    {
      id: 'finish',
      header: heads.finish,
      width: '96px',
      cell: ({ finish_reason: reason, streamed }) => (
        <span className="text-ink-soft" title={streamed === true ? t.streamed : t.notStreamed}>
          {reason ?? '—'}
        </span>
      ),
    },
    {
      id: 'in',
      sort: 'tokens_in',
      header: heads.tokensIn,
      width: '76px',
      isNumeric: true,
      cell: (row) => formatCompact(row.tokens_prompt),
    },
    {
      id: 'out',
      sort: 'tokens_out',
      header: heads.tokensOut,
      width: '80px',
      isNumeric: true,
      cell: (row) => formatCompact(row.tokens_completion),
    },
    {
      id: 'ttft',
      sort: 'latency',
      header: heads.firstToken,
      width: '92px',
      isNumeric: true,
      cell: (row) => formatDuration(toFirstTokenMs(row)),
    },
    {
      id: 'speed',
      sort: 'speed',
      header: heads.speed,
      width: '76px',
      isNumeric: true,
      cell: (row) => {
        const speed = toSpeed(row);
        return speed === null ? '—' : formatCompact(Math.round(speed));
      },
    },
    {
      id: 'duration',
      sort: 'duration',
      header: heads.duration,
      width: '92px',
      isNumeric: true,
      cell: (row) => formatDuration(row.generation_time),
    },
    {
      id: 'cost',
      sort: 'cost',
      header: heads.cost,
      width: '124px',
      // Without the spaces that keep the points under each other.
      narrow: { width: '82px', cell: (row) => <Cost generation={row} format={formatUsd} /> },
      isNumeric: true,
      cell: (row) => <Cost generation={row} format={formatUsdInColumn} />,
    },
  ];
}

/** Shown where the user has chosen no columns and the window is wide. */
const EXTRA = ['provider', 'finish', 'ttft', 'speed'] as const;
const HIDDEN = ['status', 'attempts', 'user'] as const;

/** The columns that are not shown where the user has chosen none. */
export const toDefaultHidden = (isWide: boolean): readonly string[] => (isWide ? HIDDEN : [...HIDDEN, ...EXTRA]);

/** Left out where there is no room for them, the first of these first: what was added on purpose stays longest. */
export const toLeavingOrder = (isByDefault: boolean): readonly string[] => {
  const usual = ['in', 'origin', 'out', 'key', 'duration'];
  const others = ['user', 'finish', 'speed', 'ttft', 'provider', 'attempts', 'status'];
  return isByDefault ? [...others, ...usual] : [...usual, ...others];
};

/** The time that the list is sorted by; both on pointing. */
function Ended({ row, isByStart, format }: { row: ListRow; isByStart: boolean; format: (iso: string) => string }) {
  const t = generationListMessages();
  const ended = endOf(row);
  const at = isByStart ? row.created_at : ended;
  const title = `${t.startedAt(formatFull(row.created_at))}\n${t.endedAt(formatFull(ended))}`;
  return (
    <time dateTime={at} title={title} className="figures text-ink-soft">
      {format(at)}
    </time>
  );
}

/** The model; behind it, at the edge of the column, what is worth a mark: more than one attempt, and a bad end. */
function createModelCell({ pins, hidden }: ListContext): (row: ListRow, name: string, isNarrow?: boolean) => ReactNode {
  const t = generationListMessages();
  const pinned = new Set(pins);
  return ({ id, model, status, attempts }, name, isNarrow = false) => (
    <span className="flex min-w-0 items-center gap-1.5">
      {pinned.has(id) && (
        <>
          <Pin size={13} className="shrink-0 text-accent" />
          <span className="sr-only">{t.pinned} </span>
        </>
      )}
      <span className="min-w-0 flex-1 truncate font-medium" title={model}>
        {name}
      </span>
      {attempts > 1 && hidden.includes('attempts') && <Attempts count={attempts} />}
      {status !== 'ok' &&
        hidden.includes('status') &&
        (isNarrow ? <StatusMark status={status} /> : <StatusBadge status={status} />)}
    </span>
  );
}

/** How many endpoints were tried. */
function Attempts({ count }: { count: number }) {
  const t = generationListMessages();
  return (
    <span
      className="inline-flex shrink-0 items-center gap-0.5 align-bottom text-xs text-ink-soft"
      title={t.fellBack(count)}
    >
      <Shuffle size={12} aria-hidden="true" />
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{t.attempts(count)}</span>
    </span>
  );
}

/** How wide the marks behind a model are, in pixels. */
function toMarksPx({ status, attempts }: ListRow, hidden: readonly string[]): number {
  const label = GENERATION_STATUSES[status].label;
  const ofStatus = status === 'ok' || !hidden.includes('status') ? 0 : measureText(label, BADGE) + 18;
  return ofStatus + (attempts > 1 && hidden.includes('attempts') ? 30 : 0);
}

const NAME = { weight: 500 };
const BADGE = { size: 12, weight: 500 };

/** The width for every model with the marks of its own row. The room is not kept where nothing is marked. */
function toModelWidth({ rows, hidden }: ListContext): string {
  const namePx = measureText(
    findLongest(rows, ({ model }) => model),
    NAME,
  );
  const widths = rows
    .filter(({ status, attempts }) => status !== 'ok' || attempts > 1)
    .map((row) => [row, toMarksPx(row, hidden)] as const)
    .filter(([, marksPx]) => marksPx > 0)
    .map(([{ model }, marksPx]) => measureText(model, NAME) + marksPx + 6);
  return toTrack(Math.max(namePx, ...widths), { least: 120, most: 320 });
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** The width in which the longest of the texts fits, within bounds: nothing is cut while there is room. */
const toFittingWidth = (rows: readonly ListRow[], textOf: (row: ListRow) => string, bounds: Bounds): string =>
  toTrack(measureText(findLongest(rows, textOf)), bounds);

/** By the number of characters: to measure each of thousands would take too long. */
function findLongest(rows: readonly ListRow[], textOf: (row: ListRow) => string): string {
  let longest = '';
  for (const row of rows) {
    const text = textOf(row);
    if (text.length > longest.length) longest = text;
  }
  return longest;
}

const toTrack = (px: number, { least, most }: Bounds): string =>
  `${Math.min(most, Math.max(least, Math.ceil(px) + SPARE_PX))}px`;
/** A text of fewer characters may be a little wider than the longest. */
const SPARE_PX = 6;
