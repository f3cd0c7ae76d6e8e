import type { Guardrail, GuardrailHitList, KeyAssignment, MemberAssignment } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Plus, ShieldCheck } from 'lucide-react';
import { useMemo, useState } from 'react';

import { guardrailsQuery, keyAssignmentsQuery, memberAssignmentsQuery } from '../../api/queries.ts';
import { useTask } from '../../app/tasks.ts';
import { formMessages } from '../../features/form/messages.ts';
import { isDefault } from '../../features/guardrails/is-default.ts';
import { ListBody, ListScreen } from '../../features/list-screen/list-screen.tsx';
import { formatUsd } from '../../format/money.ts';
import { formatCompact } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { useHeldDeletions } from '../../parts/messages/toast-store.ts';
import type { Column } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { countRules } from './guardrail-draft.ts';
import { GuardrailPanel } from './guardrail-panel.tsx';
import { recentHitsQuery, useWorkspaceOf } from './guardrail-queries.ts';
import { countHits, describeEffects, describeSubjects } from './guardrail-words.ts';
import { guardrailsMessages } from './messages.ts';
import { NewGuardrail } from './new-guardrail.tsx';

const NONE: readonly never[] = [];

export function GuardrailsScreen() {
  const t = guardrailsMessages();
  const { open } = useSearch({ from: '/guardrails' });
  const navigate = useNavigateWithin('/guardrails');
  const [isCreating, setIsCreating] = useState(false);
  useTask('new-guardrail', () => setIsCreating(true));
  const query = useQuery(guardrailsQuery);
  const guardrails = query.data;
  const { data: keys = NONE } = useQuery(keyAssignmentsQuery);
  const { data: members = NONE } = useQuery(memberAssignmentsQuery);
  const { data: hits } = useQuery(recentHitsQuery);
  const going = useHeldDeletions();
  const workspaceOf = useWorkspaceOf();
  const columns = useMemo(
    () => toColumns({ keys, members, hits, going, workspaceOf }),
    [keys, members, hits, going, workspaceOf],
  );
  const show = (id: string | undefined): void => void navigate({ search: id === undefined ? {} : { open: id } });
  const opened = guardrails?.find(({ id }) => id === open);
  const create = (): void => setIsCreating(true);
  return (
    <ListScreen
      title={t.title}
      actions={
        <Button look="primary" icon={<Plus size={15} />} onClick={create}>
          {t.newGuardrail}
        </Button>
      }
      opened={
        <>
          {opened !== undefined && (
            <GuardrailPanel key={opened.id} guardrail={opened} onClose={() => show(undefined)} />
          )}
          {isCreating && (
            <NewGuardrail
              onClose={() => setIsCreating(false)}
              onCreated={(id) => {
                setIsCreating(false);
                show(id);
              }}
            />
          )}
        </>
      }
    >
      <ListBody what={t.what} query={query} rows={guardrails} empty={<NoGuardrails onCreate={create} />}>
        {(rows) => (
          <VirtualTable
            label={t.title}
            lines={2}
            rows={rows}
            columns={columns}
            idOf={({ id }) => id}
            onOpen={({ id }) => show(id)}
            openId={open}
          />
        )}
      </ListBody>
    </ListScreen>
  );
}

function NoGuardrails({ onCreate }: { onCreate: () => void }) {
  const t = guardrailsMessages();
  return (
    <EmptyState icon={<ShieldCheck size={22} />} title={t.empty.title}>
      <p>{t.empty.text}</p>
      <Button onClick={onCreate}>{t.newGuardrail}</Button>
    </EmptyState>
  );
}

interface Shown {
  readonly keys: readonly KeyAssignment[];
  readonly members: readonly MemberAssignment[];
  readonly hits: GuardrailHitList | undefined;
  /** Ids of those that are about to be deleted. */
  readonly going: ReadonlySet<string>;
  readonly workspaceOf: ReturnType<typeof useWorkspaceOf>;
}

function toColumns({ keys, members, hits, going, workspaceOf }: Shown): readonly Column<Guardrail>[] {
  const t = guardrailsMessages();
  return [
    {
      id: 'name',
      header: t.columns.name,
      width: 'minmax(150px,3fr)',
      cell: ({ id, name, description, workspace_id }) => {
        const workspace = workspaceOf({ workspace_id });
        const details = [workspace && t.workspace(workspace), description].filter(Boolean).join(' · ');
        return (
          <div className="leading-tight">
            <p className="truncate">
              <span className="font-medium">{name}</span>{' '}
              {going.has(id) && <Badge tone="caution">{t.beingDeleted}</Badge>}
            </p>
            {details !== '' && (
              <p
                className="mt-0.5 line-clamp-2 text-xs leading-[0.9375rem] whitespace-normal text-ink-faint"
                title={details}
              >
                {details}
              </p>
            )}
          </div>
        );
      },
    },
    {
      id: 'hits',
      leaves: 4,
      header: t.columns.hits,
      width: 'minmax(132px,0.8fr)',
      cell: ({ id }) => (
        <RecentHits hits={hits?.data.find(({ guardrail_id: of }) => of === id)} isKnown={hits !== undefined} />
      ),
    },
    {
      id: 'subjects',
      header: t.columns.assigned,
      width: 'minmax(112px,1fr)',
      cell: (guardrail) => {
        const isOwn = ({ guardrail_id: of }: { guardrail_id: string }): boolean => of === guardrail.id;
        if (isDefault(guardrail)) return t.itsWorkspace;
        const subjects = describeSubjects(keys.filter(isOwn).length, members.filter(isOwn).length);
        return subjects ?? <span className="text-ink-faint">{t.none}</span>;
      },
    },
    {
      id: 'budget',
      leaves: 3,
      header: t.columns.budget,
      width: 'minmax(150px,1fr)',
      cell: ({ limit_usd: limit, reset_interval: interval }) =>
        limit === null ? (
          <span className="text-ink-faint">{t.none}</span>
        ) : (
          <>
            {formatUsd(limit)} <span className="text-ink-faint">{formMessages().periods[interval ?? 'total']}</span>
          </>
        ),
    },
    { id: 'rules', leaves: 1, header: t.columns.rules, width: 'minmax(64px,0.3fr)', isNumeric: true, cell: countRules },
    {
      id: 'contents',
      leaves: 2,
      header: t.columns.content,
      width: 'minmax(140px,1fr)',
      cell: ({ content_filter_builtins: builtins, content_filters: own }) => {
        const actions = [...new Set([...(builtins ?? []), ...(own ?? [])].map(({ action }) => action))];
        if (actions.length === 0) return <span className="text-ink-faint">{t.noFilters}</span>;
        return (
          <span className="flex gap-1">
            {actions.map((action) => (
              <Badge key={action} tone={action === 'block' ? 'bad' : action === 'redact' ? 'caution' : 'neutral'}>
                {t.actions[action]}
              </Badge>
            ))}
          </span>
        );
      },
    },
  ];
}

interface RecentHitsProps {
  readonly hits: GuardrailHitList['data'][number] | undefined;
  readonly isKnown: boolean;
}

function RecentHits({ hits, isKnown }: RecentHitsProps) {
  if (hits === undefined) return <span className="text-ink-faint">{isKnown ? guardrailsMessages().noHits : ''}</span>;
  const words = describeEffects(hits.totals);
  return (
    <span className="flex items-center gap-2" title={words}>
      <Sparkline values={hits.buckets.map(countHits)} />
      <span aria-hidden className="figures">
        {formatCompact(countHits(hits.totals))}
      </span>
      <span className="sr-only">{words}</span>
    </span>
  );
}
