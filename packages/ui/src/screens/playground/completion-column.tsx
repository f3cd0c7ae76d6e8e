import type { ChatCompletionRequest } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Square, X } from 'lucide-react';
import { memo, useId, useState, useSyncExternalStore } from 'react';

import { modelsQuery } from '../../api/queries.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration, formatSpeed } from '../../format/quantity.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton, copyText } from '../../parts/controls/copy-button.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { FormattedText } from '../../parts/text/formatted-text.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { useSaveFixture } from '../fixtures/use-save-fixture.ts';
import { toChatCurl } from '../generations/detail/to-curl.ts';
import { GENERATION_STATUSES } from '../generations/generation-status.tsx';
import type { Run, RunState } from './create-run.ts';
import { StreamedText } from './stream/streamed-text.tsx';
import { useFollowEnd } from './use-follow-end.ts';

interface CompletionColumnProps {
  readonly run: Run;
  /** The request of the completion. */
  readonly readSent: () => ChatCompletionRequest | undefined;
  readonly model: string;
  readonly onModel: (model: string) => void;
  readonly onRemove: (() => void) | undefined;
}

/** Beyond it only the lines in sight are kept in the document. */
const MAX_STREAMED_CHARACTERS = 50_000;

/** A call that has ended is called as in the list of generations, where it is by then. */
const STATUSES: Readonly<Record<RunState['status'], { readonly label: string; readonly tone: Tone }>> = {
  idle: { label: 'idle', tone: 'neutral' },
  waiting: { label: 'waiting', tone: 'neutral' },
  streaming: { label: 'streaming', tone: 'accent' },
  done: GENERATION_STATUSES.ok,
  stopped: GENERATION_STATUSES.cancelled,
  failed: GENERATION_STATUSES.failed,
};

export function CompletionColumn({ run, readSent, model, onModel, onRemove }: CompletionColumnProps) {
  const state = useSyncExternalStore(run.subscribe, run.getState);
  const [isRaw, setIsRaw] = useState(false);
  const isRunning = state.status === 'waiting' || state.status === 'streaming';
  const followed = useFollowEnd(state.text, isRunning);
  return (
    <section aria-label={`Answer of ${model}`} className="card flex min-h-0 min-w-0 flex-col">
      <header className="flex items-center gap-1 border-b border-line p-2">
        <ModelInput model={model} onModel={onModel} />
        {isRunning && (
          <Button
            look="quiet"
            aria-label={`Stop ${model}`}
            title="Stop"
            icon={<Square size={14} aria-hidden />}
            onClick={() => run.stop()}
          />
        )}
        {onRemove !== undefined && (
          <Button
            look="quiet"
            aria-label={`Remove ${model}`}
            title="Remove"
            icon={<X size={15} aria-hidden />}
            onClick={onRemove}
          />
        )}
      </header>
      <div {...followed} className="scroll-thin flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto p-3">
        {state.status === 'idle' && <p className="m-auto text-sm text-ink-faint">Nothing sent yet</p>}
        {state.status === 'waiting' && (
          <p className="m-auto animate-pulse text-sm text-ink-faint">Waiting for the first token…</p>
        )}
        {state.reasoning !== '' && (
          <details className="rounded-md bg-raised px-3 py-2 text-ink-soft">
            <summary className="text-sm">Reasoning</summary>
            <PlainText text={state.reasoning} />
          </details>
        )}
        {state.text !== '' && <CompletionText text={state.text} isRunning={isRunning} isRaw={isRaw} />}
        {state.status === 'failed' && <ErrorPanel error={state.error} title="No answer" />}
      </div>
      <Footer state={state} readSent={readSent} isRaw={isRaw} onRaw={setIsRaw} />
    </section>
  );
}

/** Formatted once it is whole: doing so for every token is what makes such pages slow. */
function CompletionText({ text, isRunning, isRaw }: { text: string; isRunning: boolean; isRaw: boolean }) {
  if (isRunning && text.length <= MAX_STREAMED_CHARACTERS) return <StreamedText text={text} />;
  return isRunning || isRaw ? <PlainText text={text} /> : <FormattedText text={text} />;
}

// Its list of models is long, and does not change with every token.
const ModelInput = memo(function ModelInput({ model, onModel }: Pick<CompletionColumnProps, 'model' | 'onModel'>) {
  const listId = useId();
  const { data: models = [] } = useQuery(modelsQuery);
  const [text, setText] = useState<string | null>(null);
  const commit = (value: string): void => {
    setText(null);
    if (value.trim() !== '' && value !== model) onModel(value.trim());
  };
  return (
    <>
      <input
        aria-label="Model"
        list={listId}
        className="field min-w-0 flex-1 border-transparent font-mono text-xs"
        value={text ?? model}
        onFocus={(event) => event.target.select()}
        onChange={(event) => {
          setText(event.target.value);
          if (models.some(({ id }) => id === event.target.value)) commit(event.target.value);
        }}
        onBlur={(event) => commit(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit(event.currentTarget.value);
        }}
      />
      <datalist id={listId}>
        {models
          .filter(({ architecture }) => architecture.output_modalities.includes('text'))
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </datalist>
    </>
  );
});

interface FooterProps extends Pick<CompletionColumnProps, 'readSent'> {
  readonly state: RunState;
  readonly isRaw: boolean;
  readonly onRaw: (isRaw: boolean) => void;
}

function Footer({ state, readSent, isRaw, onRaw }: FooterProps) {
  const { status, usage, elapsedMs, firstTokenMs, generationId, text } = state;
  if (status === 'idle') return null;
  const streamingMs = (elapsedMs ?? 0) - (firstTokenMs ?? 0);
  const speed = usage !== null && streamingMs > 0 ? (usage.completion_tokens / streamingMs) * 1000 : null;
  return (
    <footer className="figures flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3 py-2 text-xs text-ink-faint">
      <span role="status">
        <Badge tone={STATUSES[status].tone}>{STATUSES[status].label}</Badge>
      </span>
      {state.provider !== null && <span>{state.provider}</span>}
      {firstTokenMs !== null && <span>first token {formatDuration(firstTokenMs)}</span>}
      {elapsedMs !== null && <span>{formatDuration(elapsedMs)}</span>}
      {speed !== null && Number.isFinite(speed) && <span>{formatSpeed(speed)}</span>}
      {usage !== null && <span>{usage.cost == null ? 'cost unknown' : formatUsd(usage.cost)}</span>}
      {usage !== null && (
        <span>
          {formatCount(usage.prompt_tokens)} in / {formatCount(usage.completion_tokens)} out
        </span>
      )}
      <span className="flex-1" />
      {text !== '' && (
        <>
          <button
            type="button"
            aria-pressed={isRaw}
            className="rounded px-1 hover:text-ink"
            onClick={() => onRaw(!isRaw)}
          >
            {isRaw ? 'Formatted' : 'As written'}
          </button>
          <CopyButton isIcon look="quiet" text={text} label="Copy the answer" className="min-h-6 px-1 py-0" />
        </>
      )}
      <button
        type="button"
        className="rounded px-1 hover:text-ink"
        onClick={() => {
          const request = readSent();
          if (request !== undefined) void copyText(toChatCurl(request), 'Copied as curl');
        }}
      >
        Copy as curl
      </button>
      {generationId !== null && status === 'done' && <SaveFixture generationId={generationId} />}
      {generationId !== null && elapsedMs !== null && (
        <Link to="/generations/$id" params={{ id: generationId }} className="text-accent underline">
          Generation
        </Link>
      )}
    </footer>
  );
}

function SaveFixture({ generationId }: { generationId: string }) {
  const { mutate, isPending } = useSaveFixture();
  return (
    <button
      type="button"
      disabled={isPending}
      className="rounded px-1 hover:text-ink"
      onClick={() => mutate(generationId)}
    >
      Save as fixture
    </button>
  );
}
