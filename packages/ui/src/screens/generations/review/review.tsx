import type { Generation } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { MessageSquareText, StickyNote, ThumbsDown, ThumbsUp } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

import { callApi } from '../../../api/call-api.ts';
import { getSession, toUserKey } from '../../../api/session.ts';
import { generationQuery } from '../../../features/generations/content/generation-queries.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { showFailure } from '../../../parts/messages/toast-store.ts';
import { Moment } from '../../../parts/text/moment.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { reviewMessages } from './messages.ts';

type Review = NonNullable<Generation['review']>;
type ReviewChange = Pick<Review, 'rating' | 'note'>;

const NONE: ReviewChange = { rating: null, note: null };

/**
 * Changes a part of a review, and shows it wherever the record is. One change after the other: each is saved together
 * with what the one before has left, so that a rating and a note in quick succession do not undo each other. A change
 * reaches the gateway although the page is reloaded or closed.
 */
function useReview(id: string) {
  const client = useQueryClient();
  const { queryKey } = generationQuery(id);
  const isKnown = (): boolean => client.getQueryData(queryKey) !== undefined;
  const readReview = (): ReviewChange => client.getQueryData(queryKey)?.review ?? NONE;
  const save = useMutation({
    scope: { id: `review:${id}` },
    mutationFn: async (change: Partial<ReviewChange>) => {
      const { rating, note } = { ...readReview(), ...change };
      const path = `/admin/v1/generations/${encodeURIComponent(id)}/review`;
      const call = { method: 'PUT', body: { rating, note }, isKept: true } as const;
      return (await callApi<{ data: Review | null }>(path, call)).data;
    },
    onSuccess: (saved) =>
      client.setQueryData(queryKey, (known) => {
        if (known === undefined) return known;
        const { review: _, ...generation } = known;
        return saved === null ? generation : { ...generation, review: saved };
      }),
    onError: (error) => showFailure(reviewMessages().notSaved, error),
  });
  return { save, readReview, isKnown };
}

/** Whether a response is good or bad, to be chosen, and a note about it. */
export function ReviewButtons({ generation, onNote }: { generation: Generation; onNote: () => void }) {
  const t = reviewMessages();
  const { save } = useReview(generation.id);
  const { rating, note } = generation.review ?? NONE;
  const rate = (chosen: 'good' | 'bad') => () => save.mutate({ rating: rating === chosen ? null : chosen });
  return (
    <span role="group" aria-label={t.rate} className="inline-flex items-center">
      <Button
        look="quiet"
        aria-label={t.good}
        title={t.good}
        aria-pressed={rating === 'good'}
        className={rating === 'good' ? 'text-good' : ''}
        icon={<ThumbsUp size={15} />}
        onClick={rate('good')}
      />
      <Button
        look="quiet"
        aria-label={t.bad}
        title={t.bad}
        aria-pressed={rating === 'bad'}
        className={rating === 'bad' ? 'text-bad' : ''}
        icon={<ThumbsDown size={15} />}
        onClick={rate('bad')}
      />
      <Button
        look="quiet"
        aria-label={note === null ? t.addNote : t.editNote}
        title={note === null ? t.addNote : t.editNote}
        className={note === null ? '' : 'text-accent'}
        icon={<StickyNote size={15} />}
        onClick={onNote}
      />
    </span>
  );
}

interface RemarksProps {
  readonly generation: Generation;
  readonly isEditing: boolean;
  readonly onClose: () => void;
}

/** What callers and users of the gateway have said of a response; nothing where they have not. */
export function Remarks({ generation, isEditing, onClose }: RemarksProps) {
  const t = reviewMessages();
  const note = generation.review?.note ?? null;
  const feedback = generation.feedback ?? [];
  if (!isEditing && note === null && feedback.length === 0) return null;
  return (
    <div className="flex max-h-40 flex-col gap-1.5 overflow-y-auto border-b border-line px-4 py-2 text-sm">
      {isEditing ? (
        <NoteEditor id={generation.id} note={note} onClose={onClose} />
      ) : (
        note !== null && (
          <p className="flex max-w-prose items-start gap-2 break-words whitespace-pre-wrap">
            <StickyNote size={15} aria-label={t.note} className="mt-0.5 shrink-0 text-ink-faint" />
            <span className="min-w-0">{showControls(note)}</span>
          </p>
        )
      )}
      {feedback.length > 0 && (
        <ul aria-label={t.feedback} className="flex flex-col gap-1">
          {feedback.map(({ category, comment, created_at: at }) => (
            <li key={at} className="flex max-w-prose items-start gap-2">
              <MessageSquareText size={15} className="mt-0.5 shrink-0 text-ink-faint" />
              <span className="min-w-0 break-words">
                <span className="font-medium">{t.categories[category]}</span>
                {comment !== null && ` · ${showControls(comment)}`}{' '}
                <Moment at={at} className="text-xs text-ink-faint" />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const MAX_NOTE = 4000;

interface NoteEditorProps {
  readonly id: string;
  readonly note: string | null;
  readonly onClose: () => void;
}

/** What was typed is saved when one leaves for another request or closes the page; only *Cancel* drops it. */
function NoteEditor({ id, note, onClose }: NoteEditorProps) {
  const t = reviewMessages();
  const { save, readReview, isKnown } = useReview(id);
  const [text, setText] = useState(note ?? '');
  const [user] = useState(() => toUserKey(getSession()));
  const isCancelled = useRef(false);
  const written = text.trim() === '' ? null : text.trim();
  const submit = (): void => save.mutate({ note: written }, { onSuccess: onClose });
  const cancel = (): void => {
    isCancelled.current = true;
    onClose();
  };
  useOnLeave(() => {
    // Another page may have signed in another user, who is not the one who wrote it.
    const isOwn = toUserKey(getSession()) === user && isKnown();
    if (isOwn && !isCancelled.current && !save.isPending && written !== readReview().note)
      save.mutate({ note: written });
  });
  return (
    <form
      className="flex max-w-prose flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        // The button that was pressed asks for it.
        autoFocus
        aria-label={t.note}
        rows={2}
        maxLength={MAX_NOTE}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          cancel();
        }}
        className="field w-full p-2"
      />
      <span className="flex gap-2">
        <Button type="submit" look="primary" isBusy={save.isPending}>
          {t.save}
        </Button>
        <Button look="quiet" onClick={cancel}>
          {t.cancel}
        </Button>
      </span>
    </form>
  );
}

/** Calls back when the component goes, or the page with it. */
function useOnLeave(leave: () => void): void {
  const onLeave = useEffectEvent(leave);
  useEffect(() => {
    const onPageHide = (): void => onLeave();
    addEventListener('pagehide', onPageHide);
    return () => {
      removeEventListener('pagehide', onPageHide);
      onLeave();
    };
  }, []);
}
