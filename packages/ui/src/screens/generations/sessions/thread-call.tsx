import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronsDownUp } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';

import { ApiError } from '../../../api/api-error.ts';
import { contentQuery, ContentTooLong } from '../../../features/generations/content/generation-queries.ts';
import { messagesOf } from '../../../features/generations/content/messages-of.ts';
import { Cost } from '../../../features/generations/list/generation-columns.tsx';
import { StatusBadge } from '../../../features/generations/list/generation-status.tsx';
import type { ListRow } from '../../../features/generations/list/list-row.ts';
import { toModelParams } from '../../../features/models/model-facts.ts';
import { formatBytes, formatCompact, formatCount, formatDuration } from '../../../format/quantity.ts';
import { formatMoment } from '../../../format/time.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Loaded, NotLoaded } from '../../../parts/messages/loaded.tsx';
import { Moment } from '../../../parts/text/moment.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { Messages, Output } from '../detail/conversation.tsx';
import { sessionsMessages } from './messages.tsx';
import { threadQuery } from './session-queries.ts';

interface ThreadCallProps {
  readonly row: ListRow;
  /** Its place in the session, from 1. */
  readonly place: number;
  /** Ids of the calls before, the nearest first. */
  readonly before: readonly string[];
  /** Whether its contents are there already, to be shown with the page. */
  readonly isFirst: boolean;
}

/** One request of a session: when, by whom, for how much, and what it added to the conversation. */
export function ThreadCall({ row, place, before, isFirst }: ThreadCallProps) {
  const t = sessionsMessages().thread;
  const article = useRef<HTMLElement>(null);
  const isNear = useIsNear(article, isFirst);
  const { id, created_at: at, model, provider_name: provider, status, generation_time: ms } = row;
  return (
    <article ref={article} aria-label={t.request(place)} className="card min-w-0">
      <header className="figures flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 text-sm">
        <span className="text-ink-faint">{formatCount(place)}</span>
        <Moment at={at} className="text-ink-soft">
          {formatMoment(at)}
        </Moment>
        {status !== 'ok' && <StatusBadge status={status} />}
        <Link
          to="/models/$author/$"
          params={toModelParams(model)}
          className="min-w-0 truncate leading-6 font-medium hover:underline"
        >
          {showControls(model)}
        </Link>
        <span className="text-ink-faint">{provider === null ? t.noProvider : showControls(provider)}</span>
        <span className="flex-1" />
        <span className="text-ink-soft" title={t.tokens}>
          {formatCompact(row.tokens_prompt)} → {formatCompact(row.tokens_completion)}
        </span>
        <span className="text-ink-soft">{formatDuration(ms)}</span>
        <span>
          <Cost generation={row} />
        </span>
        <Link
          to="/generations/$id"
          params={{ id }}
          search={{ ...(row.session_id !== null && { session: row.session_id }) }}
          className="leading-6 text-accent hover:underline"
        >
          {t.open}
          <span className="sr-only">{t.openWhich(place)}</span>
        </Link>
      </header>
      <div className="flex min-h-24 flex-col gap-3 p-4">{isNear && <CallContent id={id} before={before} />}</div>
    </article>
  );
}

/** Whether an element is in sight or near it, or was: what is far away is not loaded. */
function useIsNear(element: { readonly current: Element | null }, isFirst: boolean): boolean {
  const [isNear, setIsNear] = useState(isFirst);
  useEffect(() => {
    if (element.current === null || isNear) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setIsNear(true),
      {
        rootMargin: '400px',
      },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, isNear]);
  return isNear;
}

function CallContent({ id, before }: { id: string; before: readonly string[] }) {
  const t = sessionsMessages().thread;
  const query = useQuery(threadQuery(id, before));
  const { data, error } = query;
  const [isWhole, setIsWhole] = useState(false);
  if (error instanceof ApiError && error.status === 404) return <Note>{t.notStored}</Note>;
  if (error instanceof ContentTooLong) return <Note>{t.tooLarge(formatBytes(error.bytes))}</Note>;
  if (data === undefined || error !== null) {
    return (
      // About as high as what comes, so that the requests below hardly move.
      <div className={error === null ? 'min-h-56' : ''}>
        <NotLoaded what={t.what} query={query} isFlush />
      </div>
    );
  }
  return (
    <>
      {isWhole ? (
        <WholeInput id={id} />
      ) : (
        data.pieces.map((piece, at) =>
          piece.type === 'new' ? (
            <Messages key={at} messages={piece.messages} toolNames={data.toolNames} />
          ) : (
            <Button
              key={at}
              look="quiet"
              className="self-start"
              icon={<ChevronsDownUp size={14} />}
              onClick={() => setIsWhole(true)}
            >
              {toFoldedText(piece)}
            </Button>
          ),
        )
      )}
      <Output content={data} />
    </>
  );
}

function toFoldedText({ count, reason }: { count: number; reason: 'known' | 'early' }): string {
  return sessionsMessages().thread[reason](count, formatCount(count));
}

/** All messages of a request. */
function WholeInput({ id }: { id: string }) {
  const query = useQuery(contentQuery(id));
  return (
    <Loaded what={sessionsMessages().thread.all} query={query} data={query.data} isFlush>
      {(content) => <Messages messages={messagesOf(content)} />}
    </Loaded>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <p className="text-sm text-ink-faint">{children}</p>;
}
