import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Plug, Plus, RotateCw } from 'lucide-react';
import { useRef, useState } from 'react';

import { getDesktopInfo } from '../../app/desktop.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import {
  ListBody,
  ListScreen,
  SearchField,
  type SearchChange,
  useSearchChange,
} from '../../features/list-screen/list-screen.tsx';
import {
  filterProviders,
  joinProviders,
  type ProviderRow,
  type ProviderState,
  providerStatesQuery,
} from '../../features/providers/provider-queries.ts';
import { PROVIDER_STATES, ProviderStateBadge, SETUP_STATES } from '../../features/providers/provider-states.tsx';
import { AddProvider } from '../../features/providers/setup/add-provider.tsx';
import { providerSetupsQuery } from '../../features/providers/setup/setup-queries.ts';
import { formatCount } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { FilterSelect } from '../../parts/controls/select.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { providerHistoriesQuery } from './history/history-queries.ts';
import { HistoryCell } from './history/hour-bar.tsx';
import { ProviderPanel } from './provider-panel.tsx';
import type { ProviderSearch } from './provider-search.ts';

export function ProvidersScreen() {
  const search = useSearch({ from: '/providers' });
  const change = useSearchChange<ProviderSearch>('/providers');
  const navigate = useNavigateWithin('/providers');
  const query = useQuery(providerStatesQuery);
  const { data: setups } = useQuery(providerSetupsQuery);
  const { data: pasts } = useQuery(providerHistoriesQuery);
  const [isAdding, setIsAdding] = useState(false);
  const providers = query.data && joinProviders(query.data, setups?.data ?? [], pasts);
  const isEditable = setups?.editable === true;
  const opened = providers?.find(({ slug }) => slug === search.open);
  return (
    <ListScreen
      title="Providers"
      actions={
        <>
          <Button icon={<RotateCw size={14} />} isBusy={query.isFetching} onClick={() => void query.refetch()}>
            Refresh
          </Button>
          {isEditable && (
            <Button look="primary" icon={<Plus size={15} />} onClick={() => setIsAdding(true)}>
              Add a provider
            </Button>
          )}
        </>
      }
      filters={<Filters search={search} onChange={change} />}
      opened={
        <>
          {isAdding && (
            <AddProvider
              onClose={() => setIsAdding(false)}
              onSaved={(slug) => {
                setIsAdding(false);
                change({ open: slug, q: undefined, status: undefined });
              }}
            />
          )}
          {opened !== undefined && (
            <ProviderPanel
              key={opened.slug}
              row={opened}
              isEditable={isEditable}
              onClose={() => change({ open: undefined })}
            />
          )}
        </>
      }
    >
      <ListBody
        what="providers"
        query={query}
        rows={providers && filterProviders(providers, search)}
        empty={
          providers?.length === 0 ? (
            <NoProviders isEditable={isEditable} />
          ) : (
            <NoneFits
              count={providers?.length}
              status={search.status}
              onClear={() => change({ q: undefined, status: undefined })}
            />
          )
        }
      >
        {(rows) => (
          <VirtualTable
            label="Providers"
            rows={rows}
            columns={COLUMNS}
            idOf={({ slug }) => slug}
            openId={search.open}
            onOpen={({ slug }) => change({ open: slug })}
            onEnter={({ slug }) => void navigate({ to: '/providers/$slug', params: { slug } })}
          />
        )}
      </ListBody>
    </ListScreen>
  );
}

function NoProviders({ isEditable }: { isEditable: boolean }) {
  return (
    <EmptyState icon={<Plug size={22} />} title="No providers yet">
      <p>
        {isEditable
          ? 'Add one with its key or address; it is available at once.'
          : 'Add one to the configuration and restart the gateway.'}
      </p>
    </EmptyState>
  );
}

interface NoneFitsProps {
  readonly count: number | undefined;
  readonly status: string | undefined;
  readonly onClear: () => void;
}

function NoneFits({ count, status, onClear }: NoneFitsProps) {
  return (
    <EmptyState title="No matching providers">
      <p>
        None of {formatCount(count)} has this in its name, slug or host
        {status === undefined ? '' : ` and is ${status}`}.
      </p>
      <Button onClick={onClear}>Clear the filter</Button>
    </EmptyState>
  );
}

interface FiltersProps {
  readonly search: ProviderSearch;
  readonly onChange: (change: SearchChange<ProviderSearch>) => void;
}

function Filters({ search, onChange }: FiltersProps) {
  const input = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: 'Filter', group: 'This screen' }, () => input.current?.focus());
  return (
    <div role="search" className="flex flex-wrap items-center gap-2">
      <SearchField
        ref={input}
        label="Filter providers"
        placeholder="Name, slug or host"
        value={search.q}
        onChange={(q) => onChange({ q })}
      />
      <FilterSelect
        label="State"
        any="Any state"
        value={search.status}
        options={Object.entries({ ...PROVIDER_STATES, ...SETUP_STATES }).map(
          ([value, { label }]) => [value, label] as const,
        )}
        onChange={(status) => onChange({ status })}
      />
      {getDesktopInfo() !== null && (
        <Link to="/settings" className="text-sm text-accent underline">
          Provider keys
        </Link>
      )}
    </div>
  );
}

const UNKNOWN = <span className="text-ink-faint">—</span>;

const COLUMNS: readonly Column<ProviderRow>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(120px,2fr)',
    narrow: { width: 'minmax(90px,2fr)' },
    cell: ({ name, slug }) => (
      <>
        <span className="font-medium">{name}</span> <code className="font-mono text-xs text-ink-faint">{slug}</code>
      </>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: '110px',
    cell: ({ state, setup, past }) => <ProviderStateBadge health={state?.health} setup={setup} past={past} />,
  },
  {
    id: 'past',
    leaves: 5,
    header: 'Last 24 h',
    width: 'minmax(240px,2fr)',
    cell: ({ past }) => <HistoryCell past={past} />,
  },
  {
    id: 'host',
    leaves: 1,
    header: 'Host',
    width: 'minmax(140px,2fr)',
    cell: ({ host }) => host ?? <span className="text-ink-faint">unknown</span>,
  },
  {
    id: 'source',
    leaves: 2,
    header: 'Set up',
    width: '96px',
    cell: ({ setup }) => (setup?.source === 'stored' ? 'here' : 'in the file'),
  },
  { id: 'key', header: 'Key', width: '110px', narrow: { width: '90px' }, cell: (row) => <KeyCell row={row} /> },
  {
    id: 'models',
    leaves: 3,
    header: 'Models',
    width: '72px',
    isNumeric: true,
    cell: ({ state }) => (state === undefined ? UNKNOWN : formatCount(state.models)),
  },
  {
    id: 'trouble',
    leaves: 4,
    header: 'Unhealthy',
    width: '84px',
    isNumeric: true,
    cell: ({ state }) => (state === undefined ? UNKNOWN : formatCount(countTroubled(state))),
  },
];

function KeyCell({ row: { state, setup } }: { row: ProviderRow }) {
  const hasKey = state === undefined ? setup?.has_key : state.has_key;
  const isCallers = state?.byok === true;
  if (hasKey === null || hasKey === undefined) return <span className="text-ink-faint">unknown</span>;
  if (hasKey) return 'set';
  return <Badge tone={isCallers ? 'neutral' : 'caution'}>{isCallers ? 'the caller’s' : 'none'}</Badge>;
}

function countTroubled({ health: { endpoints } }: ProviderState): number {
  const { unstable, resting, failing, half_open: halfOpen, open } = endpoints;
  return unstable + resting + failing + halfOpen + open;
}
