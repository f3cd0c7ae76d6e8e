import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { generationQuery } from '../../../features/generations/content/generation-queries.ts';
import { formatUsd } from '../../../format/money.ts';
import { formatDuration } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Spinner } from '../../../parts/controls/button.tsx';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import type { KindRun } from './kind-runs.ts';
import { benchKindMessages } from './messages.ts';

interface RunCardProps {
  readonly run: Pick<KindRun<unknown, unknown>, 'model' | 'status' | 'outcome' | 'error' | 'elapsedMs'>;
  /** What has come. */
  readonly children: ReactNode;
}

/** One call of the workbench with its figures. */
export function RunCard({ run, children }: RunCardProps) {
  const t = benchKindMessages();
  const { model, status, outcome, error, elapsedMs } = run;
  return (
    <article aria-label={t.result(model)} className="card flex max-w-5xl shrink-0 flex-col">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-2 text-xs text-ink-faint">
        <span className="min-w-0 flex-1 truncate font-mono" title={model}>
          {showControls(model)}
        </span>
        <span role="status" className="flex items-center gap-1.5">
          {status === 'running' && (
            <>
              <Spinner /> {t.running}
            </>
          )}
          {status === 'stopped' && <Badge tone="caution">{t.stopped}</Badge>}
          {status === 'failed' && <Badge tone="bad">{t.failed}</Badge>}
        </span>
        {elapsedMs !== null && <span className="figures">{formatDuration(elapsedMs)}</span>}
        {outcome?.generationId != null && <Recorded id={outcome.generationId} />}
      </header>
      {status === 'failed' && (
        <div className="p-3">
          <ErrorPanel error={error} title={t.failed} />
        </div>
      )}
      {outcome !== null && <div className="p-3">{children}</div>}
    </article>
  );
}

/** It is recorded a moment after its end. */
const RETRIES = 5;
const RETRY_MS = 400;

/** The cost as it was recorded, and the way to the record. */
function Recorded({ id }: { id: string }) {
  const t = benchKindMessages();
  const { data } = useQuery({ ...generationQuery(id), retry: RETRIES, retryDelay: RETRY_MS });
  return (
    <>
      {data !== undefined && (
        <span className="figures">{data.cost_known ? formatUsd(data.total_cost) : t.costUnknown}</span>
      )}
      <Link to="/generations/$id" params={{ id }} className="text-accent underline">
        {t.generation}
      </Link>
    </>
  );
}
