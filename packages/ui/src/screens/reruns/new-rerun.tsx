import type { AnyKey, Rerun, RerunEstimate } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useMemo, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { allKeysQuery } from '../../api/queries.ts';
import { type KeyHashes, toFilterText } from '../../features/generations/search/filter-text.ts';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../parts/controls/labelled.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { partMessages } from '../../parts/part-messages.ts';
import { scrollIntoView } from '../../parts/scroll-into-view.ts';
import { EstimateTable } from './estimate-table.tsx';
import { rerunFormMessages } from './form-messages.ts';
import { JudgeFields } from './judge-fields.tsx';
import { type DraftIssues, findIssues, type RerunDraft, toDraft, toPlanBody, toRerunBody } from './rerun-draft.ts';
import { rerunsQuery } from './rerun-queries.ts';
import type { RerunSearch } from './rerun-search.ts';
import { SetFields } from './set-fields.tsx';
import { TargetFields } from './target-fields.tsx';

interface NewRerunProps {
  /** Which requests the form begins with. */
  readonly search: RerunSearch;
  readonly onClose: () => void;
  readonly onStarted: (id: string) => void;
}

/** Names of keys by their hashes, without those that several have. */
function toUniqueNames(keys: readonly { readonly hash: string; readonly name: string }[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const { name } of keys) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(keys.filter(({ name }) => counts.get(name) === 1).map(({ hash, name }) => [hash, name]));
}

/** An estimate, and the parts of the form that it is of. */
interface Estimated {
  readonly of: string;
  readonly estimate: RerunEstimate;
}

/** What an estimate depends on. */
const toPlanKey = (draft: RerunDraft): string =>
  JSON.stringify({ ...draft, name: '', maxCost: '', concurrency: '', payer: '' } satisfies RerunDraft);

const NO_KEYS: readonly AnyKey[] = [];

/** All keys, as far as they are known, and their names by their hashes. */
function useKeys() {
  const { data: keys = NO_KEYS } = useQuery(allKeysQuery);
  const names = useMemo(() => toUniqueNames(keys), [keys]);
  // Those of the configuration are nobody's to run something as.
  const payers = useMemo(() => keys.filter(({ source, disabled }) => source === 'stored' && !disabled), [keys]);
  return { names, payers };
}

function useRerunForm({ search, onStarted }: NewRerunProps) {
  const client = useQueryClient();
  const { names, payers } = useKeys();
  const hashes: KeyHashes = useMemo(() => new Map(Array.from(names, ([hash, name]) => [name, hash])), [names]);
  const [draft, setDraft] = useState(() => toDraft(search, names));
  // Until their names are there, keys stand in the filter by their hashes, which works as well.
  useEffect(
    () =>
      setDraft((before) =>
        before.filter === toFilterText(search) ? { ...before, filter: toFilterText(search, names) } : before,
      ),
    [search, names],
  );
  const [issues, setIssues] = useState<DraftIssues>({});
  const [estimated, setEstimated] = useState<Estimated>();
  const estimate = useMutation({
    mutationFn: async (of: RerunDraft) => {
      const body = toPlanBody(of, Date.now(), hashes);
      const { data } = await callApi<{ data: RerunEstimate }>('/admin/v1/reruns/estimate', { method: 'POST', body });
      return { of: toPlanKey(of), estimate: data };
    },
    onSuccess: setEstimated,
  });
  const start = useMutation({
    mutationFn: () =>
      callApi<{ data: Rerun }>('/admin/v1/reruns', { method: 'POST', body: toRerunBody(draft, Date.now(), hashes) }),
    onSuccess: async ({ data }) => {
      await client.invalidateQueries({ queryKey: rerunsQuery.queryKey });
      onStarted(data.id);
    },
  });
  const current = estimated?.of === toPlanKey(draft) ? estimated.estimate : undefined;
  return {
    draft,
    change(part: Partial<RerunDraft>): void {
      setDraft((before) => ({ ...before, ...part }));
      setIssues({});
    },
    issues,
    /** Keys that it may run as. */
    keys: payers,
    /** Of the form as it is now. */
    current,
    estimate,
    start,
    ask(): void {
      const found = findIssues(draft, hashes);
      setIssues(found);
      if (Object.keys(found).length > 0) return;
      start.reset();
      estimate.mutate(draft);
    },
    begin(): void {
      if (!(Number(draft.maxCost) > 0)) return setIssues({ max_cost_usd: rerunFormMessages().issues.noCost });
      estimate.reset();
      start.mutate();
    },
  };
}

/** Which calls are run again, against which models, who judges and what it may cost: estimated first, then started. */
export function NewRerun(props: NewRerunProps) {
  const t = rerunFormMessages();
  const formId = useId();
  const { draft, change, issues, keys, current, estimate, start, ask, begin } = useRerunForm(props);
  const error = start.error ?? estimate.error;
  const fields = { draft, onChange: change, issues, error };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ask();
  };
  return (
    <Dialog
      title={t.title}
      width="wide"
      onClose={props.onClose}
      actions={
        <>
          {current === undefined && (
            <p id={`${formId}-hint`} className="mr-auto self-center text-xs text-ink-faint">
              {t.estimateFirst}
            </p>
          )}
          <Button onClick={props.onClose}>{partMessages().actions.cancel}</Button>
          <Button type="submit" form={formId} isBusy={estimate.isPending}>
            {t.estimate}
          </Button>
          <Button
            look="primary"
            disabled={current === undefined}
            aria-describedby={current === undefined ? `${formId}-hint` : undefined}
            isBusy={start.isPending}
            onClick={begin}
          >
            {t.start}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-5">
        <SetFields {...fields} />
        <TargetFields {...fields} />
        <JudgeFields {...fields} />
        <div className="grid items-start gap-3 sm:grid-cols-2">
          <LabelledInput
            label={t.maxCost}
            hint={t.maxCostHint}
            error={issues.max_cost_usd ?? issueFor(error, 'max_cost_usd')}
            type="number"
            inputMode="decimal"
            min={0}
            step="any"
            required
            value={draft.maxCost}
            onChange={(maxCost) => change({ maxCost })}
          />
          <LabelledInput
            label={t.concurrency}
            hint={t.concurrencyHint}
            error={issueFor(error, 'concurrency')}
            type="number"
            min={1}
            max={32}
            value={draft.concurrency}
            onChange={(concurrency) => change({ concurrency })}
          />
          <LabelledSelect
            label={t.payer}
            hint={t.payerHint}
            error={issueFor(error, 'run_as_key')}
            value={draft.payer}
            options={[['', t.yourself], ...keys.map(({ hash, name }) => [hash, name] as const)]}
            onChange={(payer) => change({ payer })}
          />
          <LabelledInput
            label={t.name}
            error={issueFor(error, 'name')}
            maxLength={100}
            value={draft.name}
            onChange={(name) => change({ name })}
          />
        </div>
        {current !== undefined && (
          <div ref={scrollIntoView}>
            <EstimateTable estimate={current} maxCost={Number(draft.maxCost)} />
          </div>
        )}
        {error !== null && (
          <div ref={scrollIntoView}>
            <UnsavedPanel
              error={error}
              title={start.error === null ? t.notEstimated : t.notStarted}
              onRetry={start.error === null ? ask : begin}
            />
          </div>
        )}
      </form>
    </Dialog>
  );
}
