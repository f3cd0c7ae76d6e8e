import type { Model, ModelList } from '@model-gateway/core/wire';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Package, Plus, SearchX } from 'lucide-react';
import { useMemo, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { refreshEvery } from '../../api/queries.ts';
import { ListBody, ListScreen, useSearchChange } from '../../features/list-screen/list-screen.tsx';
import { formatColumnPrice, toModelParams } from '../../features/models/model-facts.ts';
import {
  MAX_COMPARED,
  type ModelSearch,
  hasModelFilters,
  splitWords,
  toModelQuery,
  toggleWord,
} from '../../features/models/model-search.ts';
import { modelSetupsQuery } from '../../features/models/model-setup-queries.ts';
import { formatCompact } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { CompareModels } from './compare-models.tsx';
import { ModelFilters } from './model-filters.tsx';
import { ModelPanel } from './model-panel.tsx';
import { ModelDialog } from './setup/model-dialog.tsx';

type Dialog = 'add' | 'compare';

export function ModelsScreen() {
  const search = useSearch({ from: '/models' });
  const update = useSearchChange<ModelSearch>('/models');
  const navigate = useNavigateWithin('/models');
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const path = search.usable === 'true' ? '/api/v1/models/user' : '/api/v1/models';
  const filters = toModelQuery(search);
  const query = useQuery({
    queryKey: ['models', path, filters],
    queryFn: ({ signal }) => callApi<ModelList>(path, { query: filters, signal }),
    placeholderData: keepPreviousData,
    // The gateway reads the lists of model servers as often.
    refetchInterval: refreshEvery(60_000),
  });
  const compared = splitWords(search.compare);
  const columns = useColumns(search.compare, update);
  return (
    <ListScreen
      title="Models"
      note={
        <span role="status">
          {query.data === undefined ? query.error === null && 'Loading…' : toFound(query.data, search)}
        </span>
      }
      actions={<Actions compared={compared} onOpen={setDialog} onClear={() => update({ compare: undefined })} />}
      filters={
        <>
          <ModelFilters search={search} onChange={update} />
          <UnservedModels onOpen={(id) => update({ open: id })} />
        </>
      }
      opened={
        <>
          {search.open !== undefined && (
            <ModelPanel key={search.open} id={search.open} onClose={() => update({ open: undefined })} />
          )}
          {dialog === 'add' && (
            <ModelDialog
              onClose={() => setDialog(null)}
              onSaved={(id) => {
                setDialog(null);
                update({ open: id });
              }}
            />
          )}
          {dialog === 'compare' && <CompareModels ids={compared} onClose={() => setDialog(null)} />}
        </>
      }
    >
      <ListBody
        what="models"
        query={query}
        rows={query.data?.data}
        empty={<NoModels search={search} onClear={() => void navigate({ search: {} })} />}
      >
        {(rows) => (
          <div className={`flex min-h-0 flex-1 flex-col ${query.isPlaceholderData ? 'opacity-60' : ''}`}>
            <VirtualTable
              label="Models"
              rows={rows}
              columns={columns}
              idOf={({ id }) => id}
              onOpen={({ id }) => update({ open: id })}
              onEnter={({ id }) => void navigate({ to: '/models/$author/$', params: toModelParams(id) })}
              openId={search.open}
              hidden={search.open === undefined ? [] : ['modalities', 'abilities']}
              onKey={(key, { id }) => {
                if (key !== 'x') return false;
                update({ compare: toggleWord(search.compare, id, MAX_COMPARED) });
                return true;
              }}
            />
          </div>
        )}
      </ListBody>
    </ListScreen>
  );
}

interface ActionsProps {
  /** Ids of the models that are compared. */
  readonly compared: readonly string[];
  readonly onOpen: (dialog: Dialog) => void;
  readonly onClear: () => void;
}

function Actions({ compared: { length: count }, onOpen, onClear }: ActionsProps) {
  const { data: setups } = useQuery(modelSetupsQuery);
  return (
    <>
      {count > 0 && (
        <Button look="quiet" onClick={onClear}>
          Clear {count} selected
        </Button>
      )}
      <Button disabled={count < 2} onClick={() => onOpen('compare')}>
        Compare{count > 0 ? ` ${count}` : ''}
      </Button>
      {setups?.editable === true && (
        <Button look="primary" icon={<Plus size={15} />} onClick={() => onOpen('add')}>
          Add a model
        </Button>
      )}
    </>
  );
}

function toFound({ total_count: count }: ModelList, search: ModelSearch): string {
  return `${count} ${count === 1 ? 'model' : 'models'}${hasModelFilters(search) ? ' match' : ''}`;
}

function NoModels({ search, onClear }: { search: ModelSearch; onClear: () => void }) {
  if (!hasModelFilters(search)) {
    return (
      <EmptyState icon={<Package size={22} />} title="No providers yet">
        <p>Add a provider to see its models here.</p>
        <Link to="/providers" className="text-accent underline">
          Providers
        </Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<SearchX size={22} />} title="No model matches these filters">
      <p>
        All filters must match
        {search.max_price !== undefined && ', and models without a known price match no price filter'}.
      </p>
      <Button onClick={onClear}>Clear the filters</Button>
    </EmptyState>
  );
}

function useColumns(compare: string | undefined, update: (change: { compare: string | undefined }) => void) {
  return useMemo((): readonly Column<Model>[] => {
    const compared = splitWords(compare);
    return [
      {
        id: 'select',
        header: <span className="sr-only">Compare</span>,
        width: '20px',
        cell: ({ id }) => (
          <input
            type="checkbox"
            aria-label={`Compare ${id}`}
            className="size-4 align-middle accent-accent"
            tabIndex={-1}
            checked={compared.includes(id)}
            disabled={!compared.includes(id) && compared.length >= MAX_COMPARED}
            onClick={(event) => event.stopPropagation()}
            onChange={() => update({ compare: toggleWord(compare, id, MAX_COMPARED) })}
          />
        ),
      },
      ...FACT_COLUMNS,
    ];
  }, [compare, update]);
}

const FACT_COLUMNS: readonly Column<Model>[] = [
  {
    id: 'name',
    header: 'Model',
    width: 'minmax(150px,3fr)',
    // Without the author, with whom the names of most models begin.
    narrow: {
      width: 'minmax(96px,3fr)',
      cell: ({ id, name }) => (
        <span title={id} className="font-medium">
          {name.slice(name.indexOf(': ') + 1).trim()}
        </span>
      ),
    },
    cell: ({ id, name }) => (
      <span title={id}>
        <span className="font-medium">{name}</span> <span className="font-mono text-xs text-ink-faint">{id}</span>
      </span>
    ),
  },
  {
    id: 'context',
    leaves: 3,
    header: 'Context',
    width: '80px',
    isNumeric: true,
    cell: (model) => formatCompact(model.context_length),
  },
  {
    id: 'prompt',
    header: 'In $/M',
    width: '84px',
    narrow: { width: '64px' },
    isNumeric: true,
    cell: ({ pricing }) => formatColumnPrice(pricing, 'prompt'),
  },
  {
    id: 'completion',
    header: 'Out $/M',
    width: '84px',
    isNumeric: true,
    cell: ({ pricing }) => formatColumnPrice(pricing, 'completion'),
  },
  {
    id: 'modalities',
    leaves: 2,
    header: 'In → out',
    width: 'minmax(160px,1fr)',
    cell: ({ architecture }) => (
      <span className="text-ink-soft">
        {architecture.input_modalities.join(', ')} → {architecture.output_modalities.join(', ')}
      </span>
    ),
  },
  {
    id: 'abilities',
    leaves: 1,
    header: 'Abilities',
    width: 'minmax(172px,1fr)',
    cell: ({ supported_parameters: parameters }) => (
      <span className="flex gap-1">
        {parameters.includes('tools') && <Badge>tools</Badge>}
        {parameters.includes('reasoning') && <Badge>reasoning</Badge>}
        {parameters.includes('response_format') && <Badge>json</Badge>}
      </span>
    ),
  },
];

/** Models that were set up and are not served, which the list below does not have. */
function UnservedModels({ onOpen }: { onOpen: (id: string) => void }) {
  const { data: setups } = useQuery(modelSetupsQuery);
  const unserved = setups?.data.filter(({ status }) => status === 'idle' || status === 'failed') ?? [];
  if (unserved.length === 0) return null;
  return (
    <p className="text-sm text-ink-soft">
      Saved but currently not served:{' '}
      {unserved.map(({ id, problem }) => (
        <button
          key={id}
          type="button"
          title={problem ?? undefined}
          className="mr-2 font-mono text-xs text-accent underline"
          onClick={() => onOpen(id)}
        >
          {id}
        </button>
      ))}
    </p>
  );
}
