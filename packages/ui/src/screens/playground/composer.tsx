import { FileText, Music, Paperclip, Send, Square, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';

import { ACCEPTED, type Attachment, toLimits } from '../../features/playground/attachments.ts';
import type { Column } from '../../features/playground/experiment.ts';
import { formatUsd } from '../../format/money.ts';
import { formatBytes } from '../../format/quantity.ts';
import { classNames } from '../../parts/class-names.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { playgroundMessages } from './messages.tsx';

interface ComposerProps {
  readonly text: string;
  readonly attached: readonly Attachment[];
  readonly onText: (text: string) => void;
  readonly onAttached: (attached: readonly Attachment[]) => void;
  readonly onFiles: (files: readonly File[]) => void;
  /** The columns that can be sent to. */
  readonly columns: readonly { readonly column: Column; readonly at: number }[];
  /** Id of the only column that it is sent to; empty for all. */
  readonly target: string;
  readonly onTarget: (target: string) => void;
  readonly onSend: () => void;
  readonly onStop: () => void;
  readonly isRunning: boolean;
  /** Models that do not take what is attached, with what they do not take. */
  readonly unsupported: readonly string[];
  /** Cost of all that it is sent to; null where a price is not known. */
  readonly estimateUsd: number | null | undefined;
  readonly isFocused: boolean;
  /** As wide as what is above it, also with one conversation. */
  readonly isWide: boolean;
}

/** The next message, to all columns or to one. */
export function Composer(props: ComposerProps) {
  const { text, attached, columns, target, isRunning, unsupported, estimateUsd, isFocused, isWide } = props;
  const { stop, composer: t } = playgroundMessages();
  const hasNote = unsupported.length > 0;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isFocused) field.current?.focus();
  }, [isFocused]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    props.onSend();
  };
  return (
    <section
      aria-label={t.label}
      className={classNames(
        'card flex shrink-0 flex-col gap-2 p-2.5',
        columns.length < 2 && !isWide && 'mx-auto w-full max-w-4xl',
      )}
      onKeyDown={onKeyDown}
    >
      {text === '' && attached.length === 0 && columns.every(({ column }) => column.turns.length === 0) && (
        <Examples
          onPick={(example) => {
            props.onText(example);
            field.current?.focus();
          }}
        />
      )}
      <textarea
        ref={field}
        aria-label={t.message}
        placeholder={t.placeholder}
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        className="field resize-y"
        value={text}
        onChange={(event) => props.onText(event.target.value)}
      />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <AttachedFiles attached={attached} onAdd={props.onFiles} onChange={props.onAttached} />
        <p role="status" className={classNames('min-w-0 flex-1 text-xs text-caution', hasNote && 'basis-40')}>
          {hasNote && t.unsupported(unsupported.join('; '))}
        </p>
        {estimateUsd !== undefined && (
          <span className="figures text-xs text-ink-soft" title={t.estimateHint}>
            {estimateUsd === null ? t.priceUnknown : t.estimate(formatUsd(Number(estimateUsd.toPrecision(2))))}
          </span>
        )}
        {columns.length > 1 && (
          <Select
            label={t.sendTo}
            className="w-auto max-w-56"
            value={target}
            options={[
              ['', t.allColumns(columns.length)],
              ...columns.map(({ column, at }) => [column.id, `${at + 1}: ${showControls(column.model)}`] as const),
            ]}
            onChange={props.onTarget}
          />
        )}
        {isRunning ? (
          <Button look="primary" icon={<Square size={14} />} onClick={props.onStop}>
            {stop}
          </Button>
        ) : (
          <Button look="primary" icon={<Send size={14} />} onClick={props.onSend} title={t.sendKeys}>
            {t.send}
          </Button>
        )}
      </div>
    </section>
  );
}

/** First messages for a conversation that is empty: they fill the field in, and are sent by the user. */
function Examples({ onPick }: { readonly onPick: (text: string) => void }) {
  const { composer: t } = playgroundMessages();
  return (
    <div role="group" aria-label={t.examples} className="flex flex-wrap gap-1.5">
      {t.exampleTexts.map((example) => (
        <button
          key={example}
          type="button"
          className="rounded-full border border-line px-3 py-1 text-left text-xs text-ink-soft hover:bg-raised hover:text-ink"
          onClick={() => onPick(example)}
        >
          {example}
        </button>
      ))}
    </div>
  );
}

interface AttachedFilesProps {
  readonly attached: readonly Attachment[];
  readonly onAdd: (files: readonly File[]) => void;
  readonly onChange: (attached: readonly Attachment[]) => void;
}

const ICONS: Readonly<Record<Attachment['kind'], (attachment: Attachment) => ReactNode>> = {
  image: ({ url }) => <img src={url} alt="" className="size-6 rounded object-cover" />,
  file: () => <FileText size={16} className="m-1" />,
  audio: () => <Music size={16} className="m-1" />,
};

function AttachedFiles({ attached, onAdd, onChange }: AttachedFilesProps) {
  const { composer: t } = playgroundMessages();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        ref={input}
        type="file"
        multiple
        accept={ACCEPTED}
        aria-label={t.files}
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same file can be chosen again after it was removed.
          target.value = '';
          onAdd(files);
        }}
      />
      <Button
        look="quiet"
        icon={<Paperclip size={15} />}
        title={t.attachHint(toLimits())}
        onClick={() => input.current?.click()}
      >
        {t.attach}
      </Button>
      {attached.map((attachment, at) => (
        <span
          key={`${at} ${attachment.name}`}
          className="flex items-center gap-1.5 rounded-md border border-line bg-raised p-1 text-xs"
        >
          {ICONS[attachment.kind](attachment)}
          <span className="max-w-32 truncate">{showControls(attachment.name)}</span>
          <span className="figures text-ink-faint">{formatBytes(attachment.bytes)}</span>
          <button
            type="button"
            aria-label={t.remove(attachment.name)}
            className="grid size-6 place-items-center rounded text-ink-faint hover:text-ink"
            onClick={() => onChange(attached.filter((other) => other !== attachment))}
          >
            <X size={14} />
          </button>
        </span>
      ))}
    </div>
  );
}
