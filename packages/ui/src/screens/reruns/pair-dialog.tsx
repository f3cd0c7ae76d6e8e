import type { RerunPair, RerunVerdict } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';

import { DiffText } from '../../features/playground/diff/diff-text.tsx';
import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Choice } from '../../parts/controls/field.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import { FormattedText } from '../../parts/text/formatted-text.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { toJudgeName } from './judge-name.ts';
import { rerunsMessages } from './messages.ts';
import { toPlace } from './pair-list.tsx';
import { toCompletionText } from './pair-text.ts';
import {
  findLoadedPair,
  judgePair,
  promptQuery,
  replaceLoadedPair,
  type RerunReport,
  rerunPairQuery,
  rerunQuery,
} from './rerun-queries.ts';
import { toTargetName, VerdictBadge } from './rerun-state.tsx';

interface PairDialogProps {
  readonly rerun: RerunReport;
  /** `00003-1`. */
  readonly item: string;
  /** The place of the target whose pairs one steps through; undefined for all. */
  readonly target: string | undefined;
  readonly onOpen: (item: string) => void;
  readonly onClose: () => void;
}

/** Both completions side by side, what the judges say of them, and a person's verdict, which counts instead. */
export function PairDialog({ rerun, item, target, onOpen, onClose }: PairDialogProps) {
  const { pair: t } = rerunsMessages();
  const count = rerun.targets.length;
  const [place, of] = [toPlace(item), Number(item.split('-')[1] ?? 0)];
  const at = place * count + of;
  const client = useQueryClient();
  const query = useQuery({
    ...rerunPairQuery(rerun.id, at),
    placeholderData: () => findLoadedPair(client, rerun.id, item),
  });
  const step = target === undefined ? 1 : count;
  const toItem = (next: number): string | undefined =>
    next < 0 || next >= rerun.counts.total
      ? undefined
      : `${String(Math.floor(next / count)).padStart(5, '0')}-${next % count}`;
  const [previous, next] = [toItem(at - step), toItem(at + step)];
  const model = toTargetName(rerun.targets[of] ?? { model: '' });
  return (
    <Dialog
      title={t.title(formatCount(place + 1), model)}
      width="full"
      onClose={onClose}
      actions={
        <>
          <Button
            icon={<ChevronLeft size={15} />}
            disabled={previous === undefined}
            onClick={() => previous !== undefined && onOpen(previous)}
          >
            {t.previous}
          </Button>
          <Button disabled={next === undefined} onClick={() => next !== undefined && onOpen(next)}>
            {t.next} <ChevronRight size={15} />
          </Button>
        </>
      }
    >
      <Loaded what={t.what} query={query} data={query.data} isFlush>
        {(pair) =>
          pair === null ? (
            <EmptyState title={t.missing} />
          ) : (
            <div key={pair.item} className="flex flex-col gap-4">
              {pair.original_generation_id !== null && <Prompt generationId={pair.original_generation_id} />}
              {pair.state === 'done' && <Verdict rerunId={rerun.id} pair={pair} />}
              <Completions pair={pair} />
              <Judges pair={pair} />
            </div>
          )
        }
      </Loaded>
    </Dialog>
  );
}

/** How what both responded to begins. The whole of it is in the generation. */
function Prompt({ generationId }: { generationId: string }) {
  const { pair: t } = rerunsMessages();
  const { data } = useQuery(promptQuery(generationId));
  if (data === null) return null;
  return (
    <p className="min-h-5 truncate text-sm" title={data === undefined ? undefined : showControls(data)}>
      <span className="text-ink-faint">{t.prompt}</span> {data === undefined ? '…' : showControls(data)}
    </p>
  );
}

interface Judgement {
  readonly verdict: RerunVerdict | null;
  readonly written: string;
}

/** The verdict of the person at hand. */
function Verdict({ rerunId, pair }: { rerunId: string; pair: RerunPair }) {
  const { page, pair: t } = rerunsMessages();
  const { item, person } = pair;
  const client = useQueryClient();
  const [note, setNote] = useState(person?.note ?? '');
  /** A note that was left while a verdict was being saved, to be saved after it. */
  const waiting = useRef<string | null>(null);
  /** What was sent last: a note that waits belongs to that verdict, not to one that it has replaced. */
  const latest = useRef<Judgement | null>(null);
  const judge = useMutation({
    // One after the other, so that the gateway gets them in the order in which they were chosen.
    scope: { id: `${rerunId}-${item}` },
    mutationFn: ({ verdict, written }: Judgement) =>
      judgePair(rerunId, item, { verdict, note: written.trim() === '' ? null : written.trim() }),
    onSuccess: async ({ data }) => {
      replaceLoadedPair(client, rerunId, data);
      await client.invalidateQueries({ queryKey: rerunQuery(rerunId).queryKey });
    },
    onError: (error) => showFailure(t.notSaved, error),
    onSettled(saved, _error, sent) {
      if (sent !== latest.current) return;
      const written = waiting.current;
      waiting.current = null;
      const by = saved === undefined ? person : saved.data.person;
      if (written !== null && by !== null && written.trim() !== (by.note ?? '')) send({ verdict: by.verdict, written });
    },
  });
  const send = (judgement: Judgement): void => {
    // What waited is part of it, or is older than the note that is.
    waiting.current = null;
    latest.current = judgement;
    judge.mutate(judgement);
  };
  const shown = judge.isPending ? judge.variables.verdict : (person?.verdict ?? null);
  const save = (): void => {
    if (judge.isPending) waiting.current = note;
    else if (person !== null && note.trim() !== (person.note ?? '')) send({ verdict: person.verdict, written: note });
  };
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <span aria-hidden="true" className="font-medium">
        {t.verdict}
      </span>
      <Choice
        label={t.verdict}
        value={shown ?? 'none'}
        options={{ ...page.outcome, none: t.none }}
        onChange={(chosen) => send({ verdict: chosen === 'none' ? null : chosen, written: note })}
      />
      {person !== null && (
        <>
          <input
            className="field w-auto min-w-40 flex-1"
            aria-label={t.note}
            placeholder={t.note}
            maxLength={2000}
            value={note}
            onChange={(event) => setNote(event.target.value)}
            onBlur={save}
            onKeyDown={(event) => event.key === 'Enter' && save()}
          />
          <span className="text-xs text-ink-faint">{t.by(showControls(person.by))}</span>
        </>
      )}
    </div>
  );
}

function Completions({ pair }: { pair: RerunPair }) {
  const { pairs, pair: t } = rerunsMessages();
  const { original, completion, original_generation_id: originalId, generation_id: id, state, reason } = pair;
  const before = original === null ? undefined : toCompletionText(original);
  const after = completion === null ? undefined : toCompletionText(completion);
  const hasCalls = [original, completion].some((one) => (one?.tool_calls.length ?? 0) > 0);
  const facts = [
    pair.cost_usd === null ? '' : formatUsd(pair.cost_usd),
    pair.latency_ms === null ? '' : formatDuration(pair.latency_ms),
  ].filter(Boolean);
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Side title={t.original} generationId={originalId} facts="">
        {before === undefined ? (
          <Note>{originalId === null ? t.noOriginal : t.goneOriginal}</Note>
        ) : before === '' ? (
          <Note>{t.emptyText}</Note>
        ) : (
          <Said text={before} isPlain={hasCalls} />
        )}
      </Side>
      <Side title={t.completion} generationId={id} facts={facts.join(' · ')}>
        {state === 'failed' ? (
          <p className="text-sm break-words text-bad">
            {t.failed}: {showControls(reason ?? '')}
          </p>
        ) : state !== 'done' ? (
          <Note>{pairs.states[state]}</Note>
        ) : after === undefined ? (
          <Note>{t.goneCompletion}</Note>
        ) : after === '' ? (
          <Note>{t.emptyText}</Note>
        ) : before === undefined ? (
          <Said text={after} isPlain={hasCalls} />
        ) : (
          <DiffText before={before} after={after} than={t.theOriginal} isPlain={hasCalls} />
        )}
      </Side>
    </div>
  );
}

/** As it reads; calls of tools as they are written. */
const Said = ({ text, isPlain }: { text: string; isPlain: boolean }) =>
  isPlain ? <PlainText text={text} /> : <FormattedText text={text} />;

const Note = ({ children }: { children: string }) => <p className="text-sm text-ink-faint">{children}</p>;

interface SideProps {
  readonly title: string;
  readonly generationId: string | null;
  /** Cost and latency. */
  readonly facts: string;
  readonly children: ReactNode;
}

function Side({ title, generationId, facts, children }: SideProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h3 className="text-sm font-semibold">{title}</h3>
        <span className="figures flex-1 text-xs text-ink-faint">{facts}</span>
        {generationId !== null && (
          <Link
            to="/generations/$id"
            params={{ id: generationId }}
            search={{}}
            className="text-xs text-accent underline"
          >
            {rerunsMessages().pair.open}
          </Link>
        )}
      </div>
      {children}
    </section>
  );
}

function Judges({ pair: { verdicts } }: { pair: RerunPair }) {
  const { pair: t } = rerunsMessages();
  if (verdicts.length === 0) return null;
  return (
    <section aria-label={t.judges} className="text-sm">
      <h3 className="mb-1 font-semibold">{t.judges}</h3>
      <ul className="flex flex-col gap-1">
        {verdicts.map(({ judge, verdict, note }) => (
          <li key={judge} className="flex flex-wrap items-baseline gap-x-2">
            {verdict === null ? (
              <span className="text-ink-faint">{t.undecided}</span>
            ) : (
              <VerdictBadge verdict={verdict} />
            )}
            <span className="break-words">{toJudgeName(judge)}</span>
            {note !== null && <span className="break-words text-ink-faint">{showControls(note)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
