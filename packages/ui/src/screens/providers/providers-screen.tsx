import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plug, RotateCw, Search } from 'lucide-react';
import { useRef } from 'react';

import { formatCount } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { EmptyState, Loading, ScreenHeader } from '../../parts/messages/states.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { getDesktopInfo } from '../../shell/desktop.ts';
import { useShortcut } from '../../shell/shortcuts.ts';
import { ProviderPanel } from './provider-panel.tsx';
import { filterProviders, type ProviderState, providerStatesQuery } from './provider-queries.ts';
import type { ProviderSearch } from './provider-search.ts';
import { PROVIDER_STATES, ProviderStateBadge } from './standings.tsx';

type Change = { readonly [Name in keyof ProviderSearch]?: string | undefined };

export function ProvidersScreen() {
  const search = useSearch({ from: '/providers' });
  const navigate = useNavigate({ from: '/providers' });
  const { data: providers, error, refetch, isFetching } = useQuery(providerStatesQuery);
  const change = (next: Change): void =>
    void navigate({ search: (before) => ({ ...before, ...next }) as ProviderSearch, replace: !('open' in next) });
  const shown = providers === undefined ? [] : filterProviders(providers, search);
  const opened = providers?.find(({ slug }) => slug === search.open);
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex flex-col gap-3 border-b border-line px-4 py-3">
          <ScreenHeader
            title="Providers"
            note="Whom the gateway calls. Keys of providers are never shown, here or anywhere."
          >
            <Button icon={<RotateCw size={14} aria-hidden />} isBusy={isFetching} onClick={() => void refetch()}>
              Refresh
            </Button>
          </ScreenHeader>
          <Filters search={search} onChange={change} />
        </div>
        {error !== null ? (
          <div className="p-4">
            <ErrorPanel error={error} title="The providers could not be loaded" onRetry={() => void refetch()} />
          </div>
        ) : providers === undefined ? (
          <Loading what="providers" />
        ) : providers.length === 0 ? (
          <EmptyState icon={<Plug size={22} aria-hidden />} title="No provider is configured">
            <p>
              Set the key of one in the environment, <code className="font-mono text-xs">OPENAI_API_KEY</code> for
              instance, or name it under <code className="font-mono text-xs">providers</code> in the configuration file,
              and start the gateway again.
            </p>
          </EmptyState>
        ) : shown.length === 0 ? (
          <EmptyState title="No provider fits">
            <p>
              None of {formatCount(providers.length)} has this in its name, slug or host
              {search.status === undefined ? '' : ` and is ${search.status}`}.
            </p>
            <Button onClick={() => change({ q: undefined, status: undefined })}>Clear the filter</Button>
          </EmptyState>
        ) : (
          <VirtualTable
            label="Providers"
            rows={shown}
            columns={COLUMNS}
            idOf={({ slug }) => slug}
            openId={search.open}
            onOpen={({ slug }) => change({ open: slug })}
          />
        )}
      </div>
      {opened !== undefined && <ProviderPanel provider={opened} onClose={() => change({ open: undefined })} />}
    </div>
  );
}

function Filters({ search, onChange }: { search: ProviderSearch; onChange: (change: Change) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: 'Filter', group: 'This screen' }, () => input.current?.focus());
  return (
    <div role="search" className="flex flex-wrap items-center gap-2">
      <div className="relative min-w-40 flex-1 basis-60">
        <Search size={15} aria-hidden className="absolute top-2.5 left-2.5 text-ink-faint" />
        <input
          ref={input}
          type="search"
          aria-label="Filter providers"
          placeholder="Name, slug or host  ( / )"
          className="field pl-8"
          value={search.q ?? ''}
          onChange={(event) => onChange({ q: event.target.value || undefined })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            if (event.currentTarget.value === '') event.currentTarget.blur();
            else onChange({ q: undefined });
          }}
        />
      </div>
      <select
        aria-label="State"
        className="field w-auto"
        value={search.status ?? ''}
        onChange={(event) => onChange({ status: event.target.value || undefined })}
      >
        <option value="">Any state</option>
        {Object.entries(PROVIDER_STATES).map(([value, { label }]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {getDesktopInfo() !== null && (
        <Link to="/settings" className="text-sm text-accent underline">
          Provider keys
        </Link>
      )}
      <Link to="/keys" className="text-sm text-accent underline">
        Keys of callers
      </Link>
    </div>
  );
}

const COLUMNS: readonly Column<ProviderState>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(150px,2fr)',
    cell: ({ name, slug }) => (
      <>
        <span className="font-medium">{name}</span> <code className="font-mono text-xs text-ink-faint">{slug}</code>
      </>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: '96px',
    cell: ({ health }) => <ProviderStateBadge health={health} />,
  },
  {
    id: 'host',
    header: 'Host',
    width: 'minmax(140px,2fr)',
    cell: ({ host }) => host ?? <span className="text-ink-faint">not told</span>,
  },
  {
    id: 'key',
    header: 'Key',
    width: '110px',
    cell: ({ has_key: hasKey, byok }) =>
      hasKey === null ? (
        <span className="text-ink-faint">not told</span>
      ) : hasKey ? (
        <Badge tone="good">set</Badge>
      ) : (
        <Badge tone={byok ? 'neutral' : 'caution'}>{byok ? 'the caller’s' : 'none'}</Badge>
      ),
  },
  { id: 'models', header: 'Models', width: '72px', isNumeric: true, cell: ({ models }) => formatCount(models) },
  {
    id: 'trouble',
    header: 'In trouble',
    width: '84px',
    isNumeric: true,
    cell: ({ health: { endpoints } }) =>
      formatCount(endpoints.unstable + endpoints.resting + endpoints.failing + endpoints.half_open + endpoints.open),
  },
];
