import type { ModelList } from '@model-gateway/core/wire';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Package, Plus, SearchX } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { refreshEvery } from '../../api/queries.ts';
import { ListBody, ListScreen, type SearchChange, useSearchChange } from '../../features/list-screen/list-screen.tsx';
import { toModelParams } from '../../features/models/model-facts.ts';
import { modelFiguresQuery, modelProvidersQuery, type ModelRow } from '../../features/models/model-figures.ts';
import {
  MAX_COMPARED,
  type ModelSearch,
  hasModelFilters,
  splitWords,
  toModelQuery,
  toggleWord,
} from '../../features/models/model-search.ts';
import { modelSetupsQuery } from '../../features/models/model-setup-queries.ts';
import { sortModels } from '../../features/models/sort-models.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Choice } from '../../parts/controls/field.tsx';
import { EmptyState, Loading } from '../../parts/messages/states.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { CompareModels } from './compare-models.tsx';
import { modelsMessages } from './messages.tsx';
import { useModelColumns } from './model-columns.tsx';
import { ModelFilters } from './model-filters.tsx';
import { ModelPanel } from './model-panel.tsx';
import { ModelDialog } from './setup/model-dialog.tsx';
import { updateMessages } from './updates/messages.ts';
import { UpdateDialog } from './updates/update-dialog.tsx';
import { UpdateNotice } from './updates/update-notice.tsx';

const ModelChart = lazy(async () => ({ default: (await import('./model-chart.tsx')).ModelChart }));

type Dialog = 'add' | 'compare' | 'check' | 'review';

export function ModelsScreen() {
  const t = modelsMessages().list;
  const search = useSearch({ from: '/models' });
  const update = useSearchChange<ModelSearch>('/models');
  const navigate = useNavigateWithin('/models');
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const { query, rows } = useModelRows(search);
  const compared = splitWords(search.compare);
  return (
    <ListScreen
      title={t.title}
      note={
        <span role="status">
          {query.data === undefined ? query.error === null && t.loading : toFound(query.data, search)}
        </span>
      }
      actions={<Actions search={search} compared={compared} onOpen={setDialog} onChange={update} />}
      filters={
        <>
          <ModelFilters search={search} onChange={update} />
          <UnservedModels onOpen={(id) => update({ open: id })} />
          <UpdateNotice onOpen={() => setDialog('review')} />
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
          {(dialog === 'check' || dialog === 'review') && (
            <UpdateDialog isFresh={dialog === 'check'} onClose={() => setDialog(null)} />
          )}
          {dialog === 'compare' && <CompareModels ids={compared} onClose={() => setDialog(null)} />}
        </>
      }
    >
      <ListBody
        what={t.what}
        failure={t.failure}
        query={query}
        rows={rows}
        empty={<NoModels search={search} onClear={() => void navigate({ search: {} })} />}
      >
        {(shown) => (
          <div className={`flex min-h-0 flex-1 flex-col ${query.isPlaceholderData ? 'opacity-60' : ''}`}>
            {search.view === 'chart' ? (
              <Suspense fallback={<Loading what={t.what} />}>
                <ModelChart rows={shown} onOpen={(id) => update({ open: id })} />
              </Suspense>
            ) : (
              <ModelTable rows={shown} search={search} onChange={update} />
            )}
          </div>
        )}
      </ListBody>
    </ListScreen>
  );
}

/** The models that the filters leave, in their order, with what is known of each. */
function useModelRows(search: ModelSearch) {
  const path = search.usable === 'true' ? '/api/v1/models/user' : '/api/v1/models';
  const filters = toModelQuery(search);
  const query = useQuery({
    queryKey: ['models', path, filters],
    queryFn: ({ signal }) => callApi<ModelList>(path, { query: filters, signal }),
    placeholderData: keepPreviousData,
    // The gateway reads the lists of model servers as often.
    refetchInterval: refreshEvery(60_000),
  });
  const { data: figures } = useQuery(modelFiguresQuery);
  const { data: providers } = useQuery(modelProvidersQuery);
  const { sort, order = sort === 'name' ? 'asc' : 'desc' } = search;
  const rows = useMemo(() => {
    const found = query.data?.data.map((model): ModelRow => ({
      model,
      figures: figures?.get(model.id),
      providers: providers?.get(model.id),
    }));
    return found && sortModels(found, sort, order);
  }, [query.data, figures, providers, sort, order]);
  return { query, rows };
}

interface ModelTableProps {
  readonly rows: readonly ModelRow[];
  readonly search: ModelSearch;
  readonly onChange: (change: SearchChange<ModelSearch>) => void;
}

const idOf = ({ model: { id } }: ModelRow): string => id;
/** Beside an open panel there is no room for them. */
const WIDE = ['modalities', 'abilities', 'added'];

function ModelTable({ rows, search, onChange }: ModelTableProps) {
  const t = modelsMessages().list;
  const navigate = useNavigateWithin('/models');
  const columns = useModelColumns(rows, search.compare, onChange);
  const { sort, order = sort === 'name' ? 'asc' : 'desc', open } = search;
  return (
    <VirtualTable
      label={t.title}
      rows={rows}
      columns={columns}
      idOf={idOf}
      sort={sort && { by: sort, order }}
      onSort={(next) => onChange({ sort: next.by, order: next.order })}
      onOpen={({ model: { id } }) => onChange({ open: id })}
      onEnter={({ model: { id } }) => void navigate({ to: '/models/$author/$', params: toModelParams(id) })}
      openId={open}
      hidden={open === undefined ? [] : WIDE}
      onKey={(key, { model: { id } }) => {
        if (key !== 'x') return false;
        onChange({ compare: toggleWord(search.compare, id, MAX_COMPARED) });
        return true;
      }}
    />
  );
}

interface ActionsProps {
  readonly search: ModelSearch;
  /** Ids of the models that are compared. */
  readonly compared: readonly string[];
  readonly onOpen: (dialog: Dialog) => void;
  readonly onChange: (change: SearchChange<ModelSearch>) => void;
}

function Actions({ search, compared: { length: count }, onOpen, onChange }: ActionsProps) {
  const t = modelsMessages().list;
  const { data: setups } = useQuery(modelSetupsQuery);
  return (
    <>
      <Choice
        label={t.view}
        value={search.view ?? 'list'}
        options={{ list: t.asList, chart: t.asChart }}
        onChange={(view) => onChange({ view: view === 'chart' ? view : undefined })}
      />
      {count > 0 && (
        <Button look="quiet" onClick={() => onChange({ compare: undefined })}>
          {t.clearSelected(count)}
        </Button>
      )}
      <Button
        className={count < 2 ? 'max-sm:hidden' : undefined}
        disabled={count < 2}
        onClick={() => onOpen('compare')}
      >
        {t.compare(count)}
      </Button>
      {setups?.editable === true && <Button onClick={() => onOpen('check')}>{updateMessages().check}</Button>}
      {setups?.editable === true && (
        <Button look="primary" icon={<Plus size={15} />} onClick={() => onOpen('add')}>
          {t.add}
        </Button>
      )}
    </>
  );
}

function toFound({ total_count: count }: ModelList, search: ModelSearch): string {
  const t = modelsMessages().list;
  return (hasModelFilters(search) ? t.matching : t.found)(count);
}

function NoModels({ search, onClear }: { search: ModelSearch; onClear: () => void }) {
  const t = modelsMessages().list;
  if (!hasModelFilters(search)) {
    return (
      <EmptyState icon={<Package size={22} />} title={t.noProviders}>
        <p>{t.addProvider}</p>
        <Link to="/providers" className="text-accent underline">
          {t.providers}
        </Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<SearchX size={22} />} title={t.noneMatch}>
      <p>{search.max_price === undefined ? t.allMustMatch : t.priceMustMatch}</p>
      <Button onClick={onClear}>{t.clear}</Button>
    </EmptyState>
  );
}

/** Models that were set up and are not served, which the list below does not have. */
function UnservedModels({ onOpen }: { onOpen: (id: string) => void }) {
  const { data: setups } = useQuery(modelSetupsQuery);
  const unserved = setups?.data.filter(({ status }) => status === 'idle' || status === 'failed') ?? [];
  if (unserved.length === 0) return null;
  return (
    <p className="text-sm text-ink-soft">
      {modelsMessages().list.unserved}{' '}
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
