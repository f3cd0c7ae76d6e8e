import type { ChatCompletionRequest } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';
import { Archive, Code, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';

import { useSaveFixture } from '../../../features/fixtures/save-fixture.ts';
import { GENERATION_STATUSES } from '../../../features/generations/list/generation-status.tsx';
import { toChatCurl } from '../../../features/generations/to-curl.ts';
import type { RunState } from '../../../features/playground/create-run.ts';
import type { AssistantTurn } from '../../../features/playground/experiment.ts';
import { formatUsd } from '../../../format/money.ts';
import { formatCount, formatDuration, formatSpeed } from '../../../format/quantity.ts';
import { formatFull } from '../../../format/time.ts';
import { Badge, type Tone } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { CopyButton, copyText } from '../../../parts/controls/copy-button.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { columnMessages } from './messages.tsx';

/** A call that has ended is called as in the list of generations, where it is by then. */
function toStatusWords(status: RunState['status']): { readonly label: string; readonly tone: Tone } {
  const { footer: t } = columnMessages();
  switch (status) {
    case 'idle':
      return { label: t.idle, tone: 'neutral' };
    case 'waiting':
      return { label: t.waiting, tone: 'neutral' };
    case 'streaming':
      return { label: t.streaming, tone: 'accent' };
    case 'done':
      return GENERATION_STATUSES.ok;
    case 'stopped':
      return GENERATION_STATUSES.cancelled;
    case 'failed':
      return GENERATION_STATUSES.failed;
  }
}

interface ColumnFooterProps {
  /** Status of the run under way; null when none is. */
  readonly live: RunState['status'] | null;
  readonly turn: AssistantTurn | undefined;
  readonly isRaw: boolean;
  readonly onRaw: (isRaw: boolean) => void;
  /** The request of the completion; a text where it cannot be made. Absent for what was recorded. */
  readonly readRequest: (() => ChatCompletionRequest | string) | undefined;
  readonly onAgain: (() => void) | undefined;
}

/** The figures of the last completion, and what can be done with it. */
export function ColumnFooter({ live, turn, isRaw, onRaw, readRequest, onAgain }: ColumnFooterProps) {
  const { footer: t } = columnMessages();
  const outcome = turn?.outcome ?? null;
  if (live === null && outcome === null) return null;
  const { label, tone } = toStatusWords(live ?? outcome?.status ?? 'idle');
  return (
    <footer className="figures flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3 py-2 text-xs text-ink-faint">
      <span role="status">
        <Badge tone={tone}>{label}</Badge>
      </span>
      {live === null && turn !== undefined && outcome !== null && (
        <>
          <Figures outcome={outcome} />
          <span className="ml-auto flex flex-wrap items-center gap-x-2 gap-y-1">
            {turn.text !== '' && (
              <>
                <Quiet isPressed={isRaw} onClick={() => onRaw(!isRaw)}>
                  {isRaw ? t.formatted : t.raw}
                </Quiet>
                <CopyButton isIcon look="quiet" text={turn.text} label={t.copyText} />
              </>
            )}
            {onAgain !== undefined && (
              <IconButton label={t.regenerate} icon={<RotateCw size={14} />} onClick={onAgain} />
            )}
            {readRequest !== undefined && (
              <IconButton label={t.copyCurl} icon={<Code size={14} />} onClick={() => void copyCurl(readRequest())} />
            )}
            {outcome.generationId !== null && (
              <>
                {outcome.status === 'done' && <SaveFixture generationId={outcome.generationId} />}
                <Link to="/generations/$id" params={{ id: outcome.generationId }} className="text-accent underline">
                  {t.generation}
                </Link>
              </>
            )}
          </span>
        </>
      )}
    </footer>
  );
}

/** What came in one piece has no speed. */
const MIN_STREAMING_MS = 50;
/** One token has no time between it and the next. */
const MIN_TOKENS = 2;

function Figures({ outcome }: { outcome: NonNullable<AssistantTurn['outcome']> }) {
  const { provider, firstTokenMs, elapsedMs, completionTokens, promptTokens, costUsd, endedAt } = outcome;
  const { footer: t } = columnMessages();
  const streamingMs = (elapsedMs ?? 0) - (firstTokenMs ?? 0);
  const speed =
    firstTokenMs !== null && (completionTokens ?? 0) >= MIN_TOKENS && streamingMs >= MIN_STREAMING_MS
      ? ((completionTokens ?? 0) / streamingMs) * 1000
      : null;
  const hasTokens = promptTokens !== null || completionTokens !== null;
  return (
    <>
      {provider !== null && <span>{showControls(provider)}</span>}
      {firstTokenMs !== null && <span>{t.firstToken(formatDuration(firstTokenMs))}</span>}
      {elapsedMs !== null && (
        <span title={endedAt === null ? undefined : formatFull(endedAt)}>{formatDuration(elapsedMs)}</span>
      )}
      {speed !== null && <span>{formatSpeed(speed)}</span>}
      {hasTokens && <span>{costUsd === null ? t.costUnknown : formatUsd(costUsd)}</span>}
      {hasTokens && <span>{t.tokens(formatCount(promptTokens), formatCount(completionTokens))}</span>}
    </>
  );
}

async function copyCurl(request: ChatCompletionRequest | string): Promise<void> {
  if (typeof request === 'string') showToast({ tone: 'bad', title: request });
  else await copyText(toChatCurl(request), columnMessages().footer.copiedCurl);
}

interface QuietProps {
  readonly isPressed: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function Quiet({ isPressed, onClick, children }: QuietProps) {
  return (
    <button type="button" aria-pressed={isPressed} className="rounded px-1 hover:text-ink" onClick={onClick}>
      {children}
    </button>
  );
}

interface IconButtonProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly isBusy?: boolean;
  readonly onClick: () => void;
}

function IconButton({ label, icon, isBusy = false, onClick }: IconButtonProps) {
  return <Button look="quiet" aria-label={label} title={label} icon={icon} isBusy={isBusy} onClick={onClick} />;
}

function SaveFixture({ generationId }: { generationId: string }) {
  const { mutate, isPending } = useSaveFixture();
  return (
    <IconButton
      label={columnMessages().footer.saveFixture}
      icon={<Archive size={14} />}
      isBusy={isPending}
      onClick={() => mutate(generationId)}
    />
  );
}
