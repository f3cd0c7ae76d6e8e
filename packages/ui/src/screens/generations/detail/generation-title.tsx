import { useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useMemo } from 'react';

import type { GenerationContent } from '../../../api/types.ts';
import { contentQuery, generationQuery } from '../../../features/generations/content/generation-queries.ts';
import { messagesOf } from '../../../features/generations/content/messages-of.ts';
import { classNames } from '../../../parts/class-names.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { toParts } from './message-parts.ts';
import { detailMessages } from './messages.ts';

/** What a request is called: its model, and what was said last. Neither can be trusted. */
export function GenerationTitle({ id, model: known }: { id: string; model?: string | undefined }) {
  const { data: generation } = useQuery({ ...generationQuery(id), enabled: known === undefined });
  const { data: content } = useQuery({ ...contentQuery(id), enabled: known === undefined });
  const model = generation?.model ?? known;
  const said = useMemo(() => (content === undefined ? '' : toLastSaid(content)), [content]);
  if (model === undefined) return <span className="truncate text-ink-faint">{id}</span>;
  return (
    <span className="min-w-0 truncate" title={showControls(said === '' ? model : `${model} · ${said}`)}>
      {showControls(model.slice(model.indexOf('/') + 1))}
      {said !== '' && <span className="font-normal text-ink-soft"> · {showControls(said)}</span>}
    </span>
  );
}

interface IdChipProps {
  readonly id: string;
  /** Whether there is room for all of it. */
  readonly isWhole?: boolean;
  readonly onCopy: () => void;
}

/** An id, to be copied. */
export function IdChip({ id, isWhole = false, onCopy }: IdChipProps) {
  const label = detailMessages().page.copyId;
  return (
    <button
      type="button"
      onClick={onCopy}
      title={label}
      className={classNames(
        'inline-flex min-h-6 min-w-0 items-center gap-1 rounded border border-line px-1.5 font-mono text-xs text-ink-faint hover:border-line-strong hover:text-ink',
        isWhole ? 'max-w-full' : 'max-w-36',
      )}
    >
      <code className={classNames('truncate', !isWhole && 'max-lg:hidden')}>{showControls(id)}</code>
      <Copy size={12} className="shrink-0" aria-hidden="true" />
      <span className="sr-only">{label}</span>
    </button>
  );
}

/** A title is one line; the rest of a long prompt is not looked at. */
const MAX_TITLE = 200;

/** The beginning of what the user said last, on one line; empty where that is no text. */
export function toLastSaid(content: Pick<GenerationContent, 'input'>): string {
  const messages = messagesOf(content);
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const { role, parts } = toParts(messages[at]);
    const text = role === 'user' ? parts.find((part) => part.type === 'text') : undefined;
    const line = text?.text.slice(0, MAX_TITLE).replaceAll(/\s+/g, ' ').trim() ?? '';
    if (line !== '') return line;
  }
  return '';
}
