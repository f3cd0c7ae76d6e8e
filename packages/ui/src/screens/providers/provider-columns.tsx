import { useNavigate } from '@tanstack/react-router';
import { FileText, Maximize2, Power } from 'lucide-react';

import { RowMenu } from '../../features/list-screen/list-screen.tsx';
import { providerMessages } from '../../features/providers/messages.ts';
import type { ProviderRow } from '../../features/providers/provider-queries.ts';
import { ProviderStatusBadge } from '../../features/providers/provider-states.tsx';
import { useToggleProvider } from '../../features/providers/use-toggle-provider.ts';
import { toUsdColumn } from '../../format/money.ts';
import { formatCount, formatDuration, formatPercent } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Logo } from '../../parts/logo.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { HistoryBars } from './history/hour-bar.tsx';
import { providersMessages } from './messages.ts';
import type { ProviderSort } from './provider-search.ts';

/** A provider of the list with its speed, which its history does not have. */
export interface ListedProvider extends ProviderRow {
  /** Tokens a second of the last 24 hours, in the middle. */
  readonly speed: number | null;
}

/** What each order of the list goes by; null for what is not known. */
export const PROVIDER_VALUES: Readonly<Record<ProviderSort, (row: ListedProvider) => number | string | null>> = {
  name: ({ name }) => name.toLowerCase(),
  requests: ({ past }) => past?.totals.calls ?? null,
  errors: ({ past }) => toErrorRate(past),
  p50: ({ past }) => past?.totals.first_token_p50 ?? null,
  p95: ({ past }) => past?.totals.first_token_p95 ?? null,
  speed: ({ speed }) => speed,
  spend: ({ past }) => past?.totals.cost ?? null,
  models: ({ state }) => state?.models ?? null,
};

/** Per cent of the last day's requests that failed; null without requests. */
function toErrorRate(past: ProviderRow['past']): number | null {
  if (past === undefined || past.totals.calls === 0) return null;
  return (past.totals.failed / past.totals.calls) * 100;
}

const NONE = <span className="text-ink-faint">—</span>;

const withMeaning = (text: string, meaning: string) => <span title={meaning}>{text}</span>;

/** The columns of the list; what matters least leaves first where there is little room. */
export function toProviderColumns(rows: readonly ListedProvider[]): readonly Column<ListedProvider>[] {
  const t = providersMessages().columns;
  const writeUsd = toUsdColumn(rows.map(({ past }) => past?.totals.cost));
  return [
    {
      id: 'name',
      header: t.name,
      sort: 'name',
      width: 'minmax(190px,2fr)',
      narrow: { width: 'minmax(120px,2fr)' },
      cell: NameCell,
    },
    {
      id: 'status',
      header: t.status,
      width: 'minmax(116px,0.6fr)',
      narrow: { width: '88px' },
      cell: (row) => <StatusCell row={row} />,
    },
    {
      id: 'past',
      leaves: 3,
      header: t.past,
      width: 'minmax(140px,1fr)',
      cell: ({ past }) => <HistoryBars past={past} />,
    },
    {
      id: 'requests',
      leaves: 7,
      header: t.requests,
      sort: 'requests',
      width: 'minmax(84px,0.4fr)',
      isNumeric: true,
      cell: ({ past }) => (past === undefined ? NONE : formatCount(past.totals.calls)),
    },
    {
      id: 'errors',
      header: withMeaning(t.errors, t.errorsMeaning),
      sort: 'errors',
      width: 'minmax(128px,0.6fr)',
      narrow: { width: '72px', cell: ({ past }) => <ErrorCell past={past} isShort /> },
      isNumeric: true,
      cell: ({ past }) => <ErrorCell past={past} />,
    },
    {
      id: 'p50',
      leaves: 5,
      header: withMeaning(t.p50, t.p50Meaning),
      sort: 'p50',
      width: 'minmax(88px,0.4fr)',
      isNumeric: true,
      cell: ({ past }) => (past?.totals.first_token_p50 == null ? NONE : formatDuration(past.totals.first_token_p50)),
    },
    {
      id: 'p95',
      leaves: 2,
      header: withMeaning(t.p95, t.p95Meaning),
      sort: 'p95',
      width: 'minmax(80px,0.4fr)',
      isNumeric: true,
      cell: ({ past }) => (past?.totals.first_token_p95 == null ? NONE : formatDuration(past.totals.first_token_p95)),
    },
    {
      id: 'speed',
      leaves: 4,
      header: withMeaning(t.speed, t.speedMeaning),
      sort: 'speed',
      width: 'minmax(80px,0.4fr)',
      isNumeric: true,
      cell: ({ speed }) => (speed === null ? NONE : formatCount(Math.round(speed))),
    },
    {
      id: 'spend',
      leaves: 6,
      header: withMeaning(t.spend, t.spendMeaning),
      sort: 'spend',
      width: 'minmax(96px,0.5fr)',
      isNumeric: true,
      cell: ({ past }) => (past === undefined || past.totals.calls === 0 ? NONE : writeUsd(past.totals.cost)),
    },
    {
      id: 'models',
      leaves: 1,
      header: t.models,
      sort: 'models',
      width: 'minmax(72px,0.4fr)',
      isNumeric: true,
      cell: ({ state }) => (state === undefined ? NONE : formatCount(state.models)),
    },
    {
      id: 'menu',
      header: <span className="sr-only">{t.actions}</span>,
      width: '72px',
      narrow: { width: '32px', cell: (row) => <ActionsCell row={row} /> },
      cell: (row) => (
        <span className="flex justify-end">
          <ToggleCell row={row} />
          <ActionsCell row={row} />
        </span>
      ),
    },
  ];
}

function NameCell({ name, slug }: ListedProvider) {
  return (
    <span className="flex items-center gap-2.5">
      <Logo name={slug} size={18} className="text-ink-soft" />
      <span className="truncate">
        <span className="font-medium">{name}</span>{' '}
        {slug !== name.toLowerCase() && <code className="font-mono text-xs text-ink-faint">{slug}</code>}
      </span>
    </span>
  );
}

/** What is not well, and that there is no key to call it with. */
function StatusCell({ row }: { row: ListedProvider }) {
  const { state, setup } = row;
  const hasKey = state === undefined ? setup?.has_key : state.has_key;
  return (
    <span className="flex gap-1">
      <ProviderStatusBadge row={row} />
      {hasKey === false && state?.byok !== true && needsKey(row) && (
        <Badge tone="caution">{providersMessages().columns.noKey}</Badge>
      )}
    </span>
  );
}

/** Servers on this machine and in its network are called without a key. */
const needsKey = ({ host }: ListedProvider): boolean =>
  host !== null && !/^(?:localhost|127\.|10\.|192\.168\.|\[)/.test(host);

const MANY_FAILED = 10;

function ErrorCell({ past, isShort = false }: { past: ListedProvider['past']; isShort?: boolean }) {
  const rate = toErrorRate(past);
  if (rate === null || past === undefined) return NONE;
  const { failed, calls } = past.totals;
  if (failed === 0) return <span className="text-ink-faint">{formatPercent(0)}</span>;
  return (
    <span title={providerMessages().history.shareFailed(failed, calls)}>
      {!isShort && <span className="mr-2 text-xs text-ink-faint">{formatCount(failed)}</span>}
      <span className={rate > MANY_FAILED ? 'font-medium text-bad' : 'text-caution'}>{formatPercent(rate)}</span>
    </span>
  );
}

/** Whether a provider can be switched off here, which what the configuration sets cannot. */
const canToggle = (setup: ListedProvider['setup']): setup is NonNullable<ListedProvider['setup']> =>
  setup?.source === 'stored' && setup.status !== 'shadowed';

/** Disables a provider with one click, as when it fails right now; the message offers to undo it. */
function ToggleCell({ row: { name, setup } }: { row: ListedProvider }) {
  const { toggle: words } = providerMessages();
  const toggle = useToggleProvider();
  if (!canToggle(setup)) return null;
  const label = (setup.enabled ? words.disableNamed : words.enableNamed)(name);
  return (
    // A click here does not open the row.
    <span onClick={(event) => event.stopPropagation()}>
      <Button
        look="quiet"
        icon={<Power size={14} />}
        aria-label={label}
        title={label}
        onClick={() => void toggle(setup)}
      />
    </span>
  );
}

function ActionsCell({ row: { slug, name, setup } }: { row: ListedProvider }) {
  const { columns: t } = providersMessages();
  const { toggle: words } = providerMessages();
  const navigate = useNavigate();
  const toggle = useToggleProvider();
  return (
    <RowMenu
      label={t.menu(name)}
      items={[
        {
          label: t.openPage,
          icon: <Maximize2 size={14} />,
          onSelect: () => void navigate({ to: '/providers/$slug', params: { slug } }),
        },
        {
          label: t.viewRequests,
          icon: <FileText size={14} />,
          onSelect: () => void navigate({ to: '/generations', search: { provider: name.includes(',') ? slug : name } }),
        },
        ...(canToggle(setup)
          ? [
              {
                label: setup.enabled ? words.disable : words.enable,
                icon: <Power size={14} />,
                onSelect: () => void toggle(setup),
              },
            ]
          : []),
      ]}
    />
  );
}
