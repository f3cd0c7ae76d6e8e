import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { BackLink, ResourceState } from '../../features/resource-page/resource-page.tsx';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { Moment } from '../../parts/text/moment.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { rerunsMessages } from './messages.ts';
import { PairDialog } from './pair-dialog.tsx';
import { PairList } from './pair-list.tsx';
import { RerunActions } from './rerun-actions.tsx';
import { isMoving, refreshPairs, type RerunReport, rerunQuery } from './rerun-queries.ts';
import { RerunProgress, RerunStateBadge, toCostText, toRerunName } from './rerun-state.tsx';
import { TargetResults } from './target-results.tsx';

/** One rerun: how far it is, what became of each target, and each pair of completions. */
export function RerunPage() {
  const t = rerunsMessages();
  const { id } = useParams({ from: '/reruns/$id' });
  const query = useQuery(rerunQuery(id));
  const { data, error } = query;
  const isMissing = error instanceof ApiError && error.status === 404;
  const back = <BackLink to="/reruns" label={t.title} />;
  if (data === undefined || isMissing) {
    return (
      <ResourceState
        back={back}
        what={t.one}
        name={id}
        query={query}
        isMissing={isMissing}
        why={t.page.missing}
        filter={{ session: id }}
      />
    );
  }
  return (
    <div className="flex w-full flex-col gap-4 px-4 py-3">
      <header className="flex flex-col gap-1">
        {back}
        <Head rerun={data} />
      </header>
      <TargetResults rerun={data} />
      <Pairs rerun={data} />
    </div>
  );
}

function Head({ rerun }: { rerun: RerunReport }) {
  const t = rerunsMessages();
  const navigate = useNavigate();
  const { id, reason, counts, judge_cost_usd: judging, lost_usd: lost } = rerun;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="flex min-w-0 flex-1 basis-60 flex-wrap items-center gap-x-2.5 gap-y-1 text-xl font-semibold tracking-tight">
          <span className="min-w-0 break-words">{toRerunName(rerun)}</span> <RerunStateBadge rerun={rerun} />
        </h1>
        <RerunActions rerun={rerun} onGone={() => void navigate({ to: '/reruns', search: {} })} />
      </div>
      <div className="figures flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
        <RerunProgress counts={counts} />
        {counts.failed > 0 && <span className="text-bad">{t.failed(formatCount(counts.failed))}</span>}
        <span>
          {toCostText(rerun)}
          {judging > 0 && `, ${t.page.judgeCost(formatUsd(judging))}`}
        </span>
        <span>{t.page.concurrency(formatCount(rerun.concurrency))}</span>
        <span>
          <Moment at={rerun.created_at} /> {t.page.createdBy(showControls(rerun.created_by))}
        </span>
        {rerun.run_as_key !== null && <span>{t.page.runAs(showControls(rerun.run_as_key.name))}</span>}
        <Link to="/generations" search={{ session: id }} className="text-accent underline">
          {t.page.generations}
        </Link>
      </div>
      {lost > 0 && <p className="text-sm text-ink-faint">{t.page.lostCost(formatUsd(lost))}</p>}
      {reason !== null && (
        <p role="status" className="max-w-prose rounded-lg bg-caution-soft p-3 text-sm text-caution">
          {showControls(reason)}
        </p>
      )}
    </>
  );
}

/** The pairs, read anew as the rerun goes on, and the one that is open. */
function Pairs({ rerun }: { rerun: RerunReport }) {
  const { id, counts } = rerun;
  const search = useSearch({ from: '/reruns/$id' });
  const navigate = useNavigateWithin('/reruns/$id');
  const client = useQueryClient();
  const over = counts.done + counts.failed;
  const isOver = !isMoving(rerun);
  useEffect(() => {
    void refreshPairs(client, id, isOver);
  }, [client, id, over, isOver]);
  const open = (pair: string | undefined): void =>
    void navigate({ search: (before) => ({ ...before, pair }), replace: search.pair !== undefined });
  return (
    <>
      <PairList
        rerun={rerun}
        target={search.target}
        onTarget={(target) => void navigate({ search: (before) => ({ ...before, target }), replace: true })}
        openItem={search.pair}
        onOpen={open}
      />
      {search.pair !== undefined && (
        <PairDialog
          rerun={rerun}
          item={search.pair}
          target={search.target}
          onOpen={open}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
}
