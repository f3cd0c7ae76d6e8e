import type { RunningCallRow } from '@model-gateway/core/wire';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleX } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';

import { ApiError } from '../../../api/api-error.ts';
import { callApi } from '../../../api/call-api.ts';
import { refreshEvery } from '../../../api/queries.ts';
import { may } from '../../../api/session.ts';
import { useShortcut } from '../../../app/shortcuts.ts';
import { formatUsd, formatUsdInColumn } from '../../../format/money.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { ConfirmDialog } from '../../../parts/dialogs/dialog.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { runningMessages } from './messages.ts';
import { BUSY_MS, runningQuery, toRunningState, toShownCalls } from './running-query.ts';

const FEW = 4;

interface RunningBarProps {
  readonly openId?: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly className?: string;
  /** Looks every second even while there are none, so that one appears as soon as it can be read. */
  readonly isWatched?: boolean;
}

/** The requests that have not ended, above those that have; none where there are none. Keys: `w` to it, `Delete` cancels. */
export function RunningBar({ openId, onOpen, className, isWatched = false }: RunningBarProps) {
  const t = runningMessages();
  const { data } = useQuery(isWatched ? { ...runningQuery, refetchInterval: refreshEvery(BUSY_MS) } : runningQuery);
  const [isWhole, setIsWhole] = useState(false);
  const [cancelling, setCancelling] = useState<RunningCallRow>();
  const list = useRef<HTMLUListElement>(null);
  const { shown, others } = toShownCalls(data?.data ?? [], isWhole ? Number.POSITIVE_INFINITY : FEW);
  const toRows = (): readonly HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('[data-call]') ?? [])];
  useShortcut({ keys: 'w', label: t.goTo, group: t.group }, () => {
    const [first] = toRows();
    if (first === undefined) showToast({ tone: 'neutral', title: t.none });
    first?.focus();
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const rows = toRows();
    const at = rows.findIndex((row) => row.parentElement?.contains(document.activeElement));
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step !== undefined) rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
    else if (event.key === 'Delete' || event.key === 'Backspace') setCancelling(shown[at]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      {shown.length > 0 && (
        <section aria-label={t.title} className={classNames('border-b border-line bg-raised/40', className)}>
          <h2 className="flex items-center gap-2 px-4 pt-2 text-xs font-medium text-ink-soft">
            <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-good" />
            {t.count(formatCount(data?.total_count))}
          </h2>
          <ul ref={list} onKeyDown={onKeyDown} className="scroll-thin max-h-56 overflow-y-auto px-2 py-1">
            {shown.map((call) => (
              <RunningRow
                key={call.id}
                call={call}
                keyName={data?.key_names[call.key_hash]}
                isOpen={call.id === openId}
                onOpen={() => onOpen(call.id)}
                onCancel={() => setCancelling(call)}
              />
            ))}
          </ul>
          {(others > 0 || isWhole) && (
            <Button look="quiet" className="mx-2 mb-1 text-xs" onClick={() => setIsWhole(!isWhole)}>
              {isWhole ? t.fewer : t.more(formatCount(others))}
            </Button>
          )}
        </section>
      )}
      {cancelling !== undefined && <CancelDialog call={cancelling} onClose={() => setCancelling(undefined)} />}
    </>
  );
}

interface RunningRowProps {
  readonly call: RunningCallRow;
  readonly keyName: string | undefined;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onCancel: () => void;
}

function RunningRow({ call, keyName, isOpen, onOpen, onCancel }: RunningRowProps) {
  const t = runningMessages();
  const { label, meaning } = toRunningState(call.state);
  return (
    <li className={classNames('figures flex items-center gap-1 rounded-md text-sm', isOpen && 'bg-accent-soft')}>
      <button
        type="button"
        data-call={call.id}
        onClick={onOpen}
        aria-current={isOpen || undefined}
        className="flex min-h-9 min-w-0 flex-1 items-center gap-3 rounded-md px-2 text-left hover:bg-raised"
      >
        <span className="hidden sm:inline">
          <Badge tone={call.state === 'responding' ? 'good' : 'neutral'} title={meaning}>
            {label}
          </Badge>
        </span>
        <span className="min-w-0 flex-1 truncate">
          <span className="font-medium">{showControls(call.model)}</span>
          {call.provider_name !== null && (
            <span className="text-ink-faint"> {t.via(showControls(call.provider_name))}</span>
          )}
        </span>
        {call.attempts > 1 && (
          <span className="text-caution">{t.attempts(call.attempts, formatCount(call.attempts))}</span>
        )}
        {keyName !== undefined && (
          <span className="hidden max-w-32 truncate text-ink-soft lg:inline" title={t.key}>
            {showControls(keyName)}
          </span>
        )}
        <span className="hidden text-ink-soft sm:inline" title={t.tokensSoFar}>
          {call.tokens_completion === null ? '—' : t.tokensOut(formatCount(call.tokens_completion))}
        </span>
        <span className="hidden w-24 text-right text-ink-soft sm:inline" title={t.costSoFar}>
          {formatUsdInColumn(call.cost)}
        </span>
        <span className="w-16 text-right whitespace-nowrap">{formatDuration(call.elapsed_ms)}</span>
      </button>
      {may('cancelGeneration') && (
        <Button
          look="quiet"
          aria-label={t.cancelOf(call.model)}
          title={t.cancelTitle}
          icon={<CircleX size={15} />}
          onClick={onCancel}
          className="px-1.5 text-bad"
        >
          <span className="hidden md:inline">{t.cancel}</span>
        </Button>
      )}
    </li>
  );
}

/** Asks before a running request is cancelled. It goes on meanwhile, and may be over before the reply. */
export function CancelDialog({ call, onClose }: { call: RunningCallRow; onClose: () => void }) {
  const t = runningMessages().dialog;
  const { via } = runningMessages();
  const client = useQueryClient();
  const cancel = async (): Promise<void> => {
    try {
      await callApi(`/admin/v1/generations/${encodeURIComponent(call.id)}/cancel`, { method: 'POST' });
      showToast({ tone: 'good', title: t.cancelled });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      showToast({ tone: 'neutral', title: t.hadEnded });
    }
    await client.invalidateQueries({ queryKey: runningQuery.queryKey });
  };
  return (
    <ConfirmDialog title={t.title} action={t.action} dismiss={t.dismiss} onConfirm={cancel} onClose={onClose}>
      <p>
        <span className="font-medium">{showControls(call.model)}</span>
        {call.provider_name !== null && ` ${via(showControls(call.provider_name))}`},{' '}
        {t.runningFor(formatDuration(call.elapsed_ms))}
        {call.cost !== null && `, ${t.costSoFar(formatUsd(call.cost))}`}.
      </p>
      <p>{t.effect}</p>
    </ConfirmDialog>
  );
}
