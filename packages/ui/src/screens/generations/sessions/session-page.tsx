import { useInfiniteQuery, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';

import type { ListRow } from '../../../features/generations/list/list-row.ts';
import { ModelNames } from '../../../features/models/model-names.tsx';
import { BackLink } from '../../../features/resource-page/resource-page.tsx';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { formatMoment } from '../../../format/time.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { copyText } from '../../../parts/controls/copy-button.tsx';
import { LinkButton } from '../../../parts/controls/link-button.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { EmptyState, Loading } from '../../../parts/messages/states.tsx';
import { Moment } from '../../../parts/text/moment.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { IdChip } from '../detail/generation-title.tsx';
import { sessionsMessages } from './messages.tsx';
import { SessionCache, sessionCacheQuery } from './session-cache.tsx';
import { countErrors, SessionCost, toSpanMs } from './session-columns.tsx';
import { MAX_BEFORE, sessionCallsQuery, sessionQuery, threadQuery } from './session-queries.ts';
import { SessionTimeline, useTools } from './session-timeline.tsx';
import { ThreadCall } from './thread-call.tsx';
import { type SessionCall, splitByPauses } from './to-session-timeline.ts';

/** A session as a thread: its requests one under the other, each with what is new in it. */
export function SessionPage() {
  const { id } = useParams({ from: '/generations/sessions/$id' });
  return <Session key={id} id={id} />;
}

function Session({ id }: { id: string }) {
  const t = sessionsMessages().page;
  const session = useQuery(sessionQuery(id));
  const prompt = session.data?.first_prompt ?? null;
  const calls = useInfiniteQuery(sessionCallsQuery(id));
  const rows = useMemo(() => calls.data?.pages.flatMap((page) => page.data) ?? [], [calls.data]);
  const isComing = useIsComing(id, rows, [session, calls]);
  if (isComing) {
    return (
      <Frame>
        <BackLink to="/generations/sessions" label={sessionsMessages().list.title} />
        <h1 className="sr-only">{t.session(showControls(id))}</h1>
        <Loading what={t.what} />
      </Frame>
    );
  }
  return (
    <Frame>
      <header className="flex flex-col gap-1">
        <BackLink to="/generations/sessions" label={sessionsMessages().list.title} />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <div className="flex min-w-0 flex-1 basis-60 flex-wrap items-center gap-x-3 gap-y-1">
            <h1
              title={prompt === null ? undefined : showControls(prompt)}
              className="line-clamp-2 min-w-0 text-xl font-semibold tracking-tight break-words"
            >
              {prompt === null ? t.session(showControls(id)) : showControls(prompt)}
            </h1>
            <IdChip id={id} isWhole onCopy={() => void copyText(id, t.copiedId)} />
          </div>
          <LinkButton to="/generations" search={{ session: id }}>
            {t.listRequests}
          </LinkButton>
        </div>
      </header>
      <Sums id={id} />
      {calls.error !== null || calls.data === undefined ? (
        <NotLoaded what={t.what} failure={t.notLoaded} query={calls} isFlush />
      ) : rows.length === 0 ? (
        <EmptyState title={t.notFound}>{t.notFoundNote}</EmptyState>
      ) : (
        // A wide window keeps the times in sight beside the thread.
        <div className="flex flex-col gap-4 min-[112rem]:grid min-[112rem]:grid-cols-2 min-[112rem]:items-start">
          <div className="flex min-w-0 flex-col gap-4 min-[112rem]:sticky min-[112rem]:top-3">
            <SessionTimeline calls={rows} />
            <SessionCache id={id} />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            {rows.map((row, at) => (
              <ThreadCall
                key={row.id}
                row={row}
                place={at + 1}
                before={idsBefore(rows, at)}
                isFirst={at < FIRST_CALLS}
              />
            ))}
            {calls.hasNextPage && (
              <Button
                className="self-center"
                isBusy={calls.isFetchingNextPage}
                onClick={() => void calls.fetchNextPage()}
              >
                {t.later}
              </Button>
            )}
          </div>
        </div>
      )}
    </Frame>
  );
}

const Frame = ({ children }: { children: ReactNode }) => (
  <div className="mx-auto flex w-full max-w-7xl flex-col gap-4 px-4 py-3 min-[112rem]:max-w-[140rem]">{children}</div>
);

/** Requests of the thread that are in sight at once, also in a high window. */
const FIRST_CALLS = 4;

/**
 * Whether the page still waits for what is in sight first: its figures, the tools on its axis, and the first requests of
 * the thread. All of it is shown at once, so that nothing that comes later moves what is there.
 */
function useIsComing(id: string, rows: readonly SessionCall[], lists: readonly Answer[]): boolean {
  const [wasShown, setWasShown] = useState(false);
  const cache = useQuery(sessionCacheQuery(id));
  const { isLoaded } = useTools(useMemo(() => splitByPauses(rows)[0] ?? [], [rows]));
  const first = useQueries({
    queries: rows.slice(0, FIRST_CALLS).map((row, at) => threadQuery(row.id, idsBefore(rows, at))),
    combine: areAnswered,
  });
  const isComing = !wasShown && !(isLoaded && first && areAnswered([...lists, cache]));
  if (!isComing && !wasShown) setWasShown(true);
  return isComing;
}

type Answer = Pick<UseQueryResult, 'data' | 'errorUpdateCount'>;

/** Whether all have come or have failed. */
const areAnswered = (queries: readonly Answer[]): boolean =>
  queries.every(({ data, errorUpdateCount }) => data !== undefined || errorUpdateCount > 0);

const idsBefore = (rows: readonly ListRow[], at: number): string[] =>
  rows
    .slice(Math.max(0, at - MAX_BEFORE), at)
    .map(({ id }) => id)
    .toReversed();

/** Facts side by side, each below its name. */
function FactLine({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="figures flex flex-wrap gap-x-8 gap-y-2 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-ink-faint">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What all requests of the session are together. */
function Sums({ id }: { id: string }) {
  const t = sessionsMessages().page;
  const { data } = useQuery(sessionQuery(id));
  if (data == null) return null;
  const { started_at: from, ended_at: to, requests, models, key_hashes: hashes, keyNames } = data;
  const errors = countErrors(data);
  return (
    <section aria-label={t.figures}>
      <FactLine
        facts={[
          [t.requests, errors === 0 ? formatCount(requests) : t.failed(formatCount(requests), formatCount(errors))],
          [t.cost, <SessionCost row={data} />],
          [
            t.time,
            t.fromTo(
              <Moment at={from}>{formatMoment(from)}</Moment>,
              <Moment at={to}>{formatMoment(to)}</Moment>,
              formatDuration(toSpanMs(data)),
            ),
          ],
          [t.models, <ModelNames ids={models} />],
          [
            t.keys,
            <span className="flex flex-wrap gap-x-3">
              {hashes.map((hash) => (
                <Link key={hash} to="/keys/$hash" params={{ hash }} className="text-accent hover:underline">
                  {keyNames[hash] ?? `${hash.slice(0, 8)}…`}
                </Link>
              ))}
            </span>,
          ],
        ]}
      />
    </section>
  );
}
