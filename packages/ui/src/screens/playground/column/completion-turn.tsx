import { Bot, Wrench } from 'lucide-react';
import { memo, type ReactNode, useMemo, useState } from 'react';

import { ApiError } from '../../../api/api-error.ts';
import { toPlayable } from '../../../features/kinds/sound-file.ts';
import { SoundPlayer } from '../../../features/kinds/sound-player.tsx';
import { DiffText } from '../../../features/playground/diff/diff-text.tsx';
import type { AssistantTurn, Audio, Failure, ToolCall } from '../../../features/playground/experiment.ts';
import { formatCount } from '../../../format/quantity.ts';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { FormattedText } from '../../../parts/text/formatted-text.tsx';
import { JsonText } from '../../../parts/text/json-text.tsx';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { TurnButtons } from './message-turn.tsx';
import { columnMessages } from './messages.tsx';
import { type TurnActions, TurnEditor } from './turn-editor.tsx';

interface CompletionTurnProps {
  readonly turn: AssistantTurn;
  readonly actions: TurnActions | undefined;
  readonly isRaw: boolean;
  /** It was seen as it came. */
  readonly isFresh: boolean;
  /** The text that it is compared with, and what that is of. */
  readonly base: { readonly text: string; readonly name: string } | undefined;
}

/** A completion as it was when it had ended. None of it can be trusted. */
export const CompletionTurn = memo(function CompletionTurn(props: CompletionTurnProps) {
  const { turn, actions, isRaw, base, isFresh } = props;
  const { turn: words, response: t } = columnMessages();
  const [isEditing, setIsEditing] = useState(false);
  const { text, reasoning, toolCalls, images, audio, outcome } = turn;
  if (isEditing && actions !== undefined) {
    return (
      <TurnEditor turn={turn} what="response" sharedBy={1} actions={actions} onClose={() => setIsEditing(false)} />
    );
  }
  return (
    <article aria-label={words.assistant} className="flex flex-col gap-2 px-1">
      <CompletionHeader>
        {actions !== undefined && (
          <TurnButtons what="response" onEdit={() => setIsEditing(true)} onRemove={() => actions.remove(turn.id)} />
        )}
      </CompletionHeader>
      {reasoning !== '' && <Reasoning text={reasoning} />}
      {base !== undefined && text !== '' ? (
        <DiffText before={base.text} after={text} than={base.name} />
      ) : (
        text !== '' && (isRaw ? <PlainText text={text} /> : <FormattedText text={text} isAtOnce={isFresh} />)
      )}
      {images.map((url, at) => (
        <MadeImage key={at} url={url} />
      ))}
      {audio !== null && <Player audio={audio} />}
      {toolCalls.map((call) => (
        <CalledTool key={call.id} call={call} />
      ))}
      {outcome?.error != null && <ErrorPanel error={toError(outcome.error)} title={t.failed} />}
      {outcome?.status === 'stopped' && text === '' && <p className="text-sm text-ink-faint">{t.stoppedEarly}</p>}
      {outcome?.finishReason === 'length' && (
        <p className="text-xs text-caution">
          {outcome.fittedTokens === undefined ? t.cutOff : t.cutOffByKey(formatCount(outcome.fittedTokens))}
        </p>
      )}
    </article>
  );
});

export function CompletionHeader({ children }: { children?: ReactNode }) {
  return (
    <header className="flex min-h-6 items-center gap-1.5 text-xs text-ink-faint">
      <Bot size={13} />
      <span className="min-w-0 flex-1 truncate">{columnMessages().turn.assistant}</span>
      {children}
    </header>
  );
}

export function Reasoning({ text }: { text: string }) {
  return (
    <details className="rounded-md bg-raised px-3 py-2 text-ink-soft">
      <summary className="text-sm">{columnMessages().response.reasoning}</summary>
      <PlainText text={text} />
    </details>
  );
}

/** Only what is part of the page is shown: an address elsewhere would tell its owner who looks. */
export function MadeImage({ url }: { url: string }) {
  const { response: t } = columnMessages();
  if (!/^data:image\/(png|jpeg|webp|gif)[;,]/.test(url)) {
    return (
      <p className="text-sm break-all text-ink-faint">
        {url === '' ? t.imageTooLarge : url.startsWith('data:') ? t.imageUnknown : t.imageLinked(showControls(url))}
      </p>
    );
  }
  return (
    <a href={url} download="image" title={t.saveImage} className="self-start">
      <img src={url} alt={t.madeByModel} className="max-h-96 max-w-full rounded-lg border border-line" />
    </a>
  );
}

function Player({ audio }: { audio: Audio }) {
  const { response: t } = columnMessages();
  const file = useMemo(() => {
    try {
      return audio.data === '' ? null : toPlayable(audio);
    } catch {
      return null;
    }
  }, [audio]);
  if (file === null) return <p className="text-sm text-ink-faint">{t.audioGone}</p>;
  return <SoundPlayer file={file} label={t.spoken} />;
}

function CalledTool({ call }: { call: ToolCall }) {
  const { tools: t } = columnMessages();
  return (
    <section aria-label={t.callOf(call.name)} className="rounded-md border border-line px-3 py-2">
      <p className="flex items-center gap-2 text-sm">
        <Wrench size={14} />
        <span>{t.calls(<code className="font-mono text-xs break-all">{showControls(call.name)}</code>)}</span>
      </p>
      <div className="mt-1">
        <JsonText text={call.arguments} />
      </div>
    </section>
  );
}

const toError = ({ message, ...facts }: Failure): Error =>
  facts.status < 0 ? new Error(message) : new ApiError(message, facts);
