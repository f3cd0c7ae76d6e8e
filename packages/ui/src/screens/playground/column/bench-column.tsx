import type { ChatCompletionRequest, Model } from '@model-gateway/core/wire';
import { Send, Square, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, memo, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';

import type { Run } from '../../../features/playground/create-run.ts';
import type { Column, ToolCall } from '../../../features/playground/experiment.ts';
import { formatUsd } from '../../../format/money.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { LabelledText } from '../../../parts/controls/labelled.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import type { Estimate } from '../estimate-cost.ts';
import { findOpenCalls, lastCompletion } from '../experiment/edit-turns.ts';
import { ModelPicker } from '../model-picker.tsx';
import { ColumnFooter } from './column-footer.tsx';
import { CompletionTurn } from './completion-turn.tsx';
import { LiveCompletion } from './live-completion.tsx';
import { MessageTurn } from './message-turn.tsx';
import { columnMessages } from './messages.tsx';
import type { TurnActions } from './turn-editor.tsx';

export interface ColumnActions extends TurnActions {
  readonly setModel: (columnId: string, model: string, isSent: boolean) => void;
  readonly removeColumn: (columnId: string) => void;
  readonly again: (columnId: string) => void;
  readonly readRequest: (columnId: string) => ChatCompletionRequest | string;
}

interface BenchColumnProps {
  readonly column: Column;
  readonly at: number;
  readonly run: Run;
  readonly models: readonly Model[];
  readonly actions: ColumnActions;
  readonly isRemovable: boolean;
  /** In how many columns each turn stands. */
  readonly sharing: ReadonlyMap<string, number>;
  readonly baseText: string | undefined;
  readonly baseName: string;
  /** Cost of what would be sent now; undefined where that cannot be estimated. */
  readonly estimate: Estimate | undefined;
}

/** Turns that are shown at first, from the end. */
const SHOWN_TURNS = 40;

/** One model with its conversation, or a call that was recorded. */
export const BenchColumn = memo(function BenchColumn(props: BenchColumnProps) {
  const { column, at, run, models, actions, baseText, baseName } = props;
  const t = columnMessages();
  const state = useStore(run);
  const [isRaw, setIsRaw] = useState(false);
  const [shown, setShown] = useState(SHOWN_TURNS);
  const earlier = Math.max(0, column.turns.length - shown);
  const isRunning = state.status === 'waiting' || state.status === 'streaming';
  const followed = useFollowEnd(isRunning ? state.text : '', isRunning);
  const { id, model, isOriginal, turns } = column;
  const openCalls = isRunning || isOriginal ? [] : findOpenCalls(turns);
  const last = lastCompletion(turns);
  const base = baseText === undefined ? undefined : { text: baseText, name: baseName };
  const own = isOriginal || isRunning ? undefined : actions;
  return (
    <section aria-label={t.column(at + 1, model)} className="card flex min-h-0 min-w-0 flex-col">
      <header className="flex items-center gap-1 border-b border-line p-2">
        <span className="figures pl-1 text-xs text-ink-faint">{at + 1}</span>
        {isOriginal ? (
          <>
            <span title={model} className="min-w-0 flex-1 truncate px-1.5 font-mono text-xs">
              {showControls(model)}
            </span>
            <Badge tone="accent" title={t.originalHint}>
              {t.original}
            </Badge>
          </>
        ) : (
          <ModelPicker
            label={t.modelOf(at + 1)}
            model={model}
            models={models}
            onPick={(picked, isSent) => actions.setModel(id, picked, isSent)}
          />
        )}
        {isRunning && (
          <Button
            look="quiet"
            aria-label={t.stopModel(model)}
            title={t.stop}
            icon={<Square size={14} />}
            onClick={() => run.stop()}
          />
        )}
        {props.isRemovable && (
          <Button
            look="quiet"
            aria-label={t.removeColumn(at + 1)}
            title={t.remove}
            icon={<X size={15} />}
            onClick={() => actions.removeColumn(id)}
          />
        )}
      </header>
      <div
        {...followed}
        tabIndex={0}
        role="group"
        aria-label={t.conversation(at + 1)}
        className="scroll-thin flex min-h-0 flex-1 flex-col gap-2.5 overflow-y-auto px-[max(0.75rem,calc((100%-56rem)/2))] py-3 outline-offset-[-2px]"
      >
        {turns.length === 0 && !isRunning && <p className="m-auto text-sm text-ink-faint">{t.empty}</p>}
        {earlier > 0 && (
          <Button className="self-center" onClick={() => setShown(shown + SHOWN_TURNS)}>
            {t.showEarlier(Math.min(SHOWN_TURNS, earlier), formatCount(earlier))}
          </Button>
        )}
        {turns
          .slice(earlier)
          .map((turn) =>
            turn.type === 'assistant' ? (
              <CompletionTurn
                key={turn.id}
                turn={turn}
                actions={own}
                isRaw={isRaw}
                isFresh={turn === last && state.status !== 'idle'}
                base={turn === last ? base : undefined}
              />
            ) : (
              <MessageTurn key={turn.id} turn={turn} actions={own} sharedBy={props.sharing.get(turn.id) ?? 1} />
            ),
          )}
        {isRunning && <LiveCompletion state={state} isRaw={isRaw} />}
        {openCalls.length > 0 && (
          <ToolResults key={last?.id} calls={openCalls} onSend={(results) => actions.answerCalls(id, results)} />
        )}
      </div>
      {!isOriginal && !isRunning && props.estimate !== undefined && <EstimateLine estimate={props.estimate} />}
      <ColumnFooter
        live={isRunning ? state.status : null}
        turn={last}
        isRaw={isRaw}
        onRaw={setIsRaw}
        readRequest={isOriginal ? undefined : () => actions.readRequest(id)}
        onAgain={isOriginal || turns.at(-1) !== last ? undefined : () => actions.again(id)}
      />
    </section>
  );
});

function EstimateLine({ estimate }: { estimate: Estimate }) {
  const { estimate: t } = columnMessages();
  const { usd, promptTokens, completionTokens, hasMedia, fittedTokens } = estimate;
  const cost = usd === null ? null : formatUsd(Number(usd.toPrecision(2)));
  return (
    <p className="figures border-t border-line px-3 py-1.5 text-xs text-ink-faint">
      {t.cost(cost, formatCount(promptTokens), formatCount(completionTokens))}
      {hasMedia && t.withoutMedia}
      {fittedTokens !== null && <span title={t.fittedHint}>{t.fitted(formatCount(fittedTokens))}</span>}
    </p>
  );
}

interface ToolResultsProps {
  readonly calls: readonly ToolCall[];
  readonly onSend: (results: ReadonlyMap<string, string>) => void;
}

/** Takes the results of the tools that a model has called, and sends them on. */
function ToolResults({ calls, onSend }: ToolResultsProps) {
  const { tools: t } = columnMessages();
  const [results, setResults] = useState<ReadonlyMap<string, string>>(new Map());
  const submit = (): void => {
    onSend(new Map(calls.map(({ id }) => [id, results.get(id) ?? ''])));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    submit();
  };
  return (
    // No form: in what models have written there is none, which the tests look for.
    <div
      role="group"
      aria-label={t.results}
      className="flex flex-col gap-2 rounded-lg border border-accent/50 p-3"
      onKeyDown={onKeyDown}
    >
      {calls.map(({ id, name }, at) => (
        <LabelledText
          key={id}
          label={t.resultOf(showControls(name), calls.length > 1 ? at + 1 : null)}
          hint={at === 0 ? t.hint : undefined}
          rows={3}
          spellCheck={false}
          className="field resize-y font-mono text-xs"
          value={results.get(id) ?? ''}
          onChange={(text) => setResults(new Map(results).set(id, text))}
        />
      ))}
      <Button look="primary" className="self-start" icon={<Send size={14} />} onClick={submit}>
        {t.send(calls.length)}
      </Button>
    </div>
  );
}

/** So far from its end, in pixels, a text still counts as read at its end. */
const END_MARGIN_PX = 24;

/**
 * Scrolls to the end of growing content while `isGrowing`, until the user scrolls away from it; scrolling back to the
 * end resumes it. The ref and the handler belong to the scrolling element.
 */
function useFollowEnd(
  text: string,
  isGrowing: boolean,
): { readonly ref: RefObject<HTMLDivElement | null>; readonly onScroll: () => void } {
  const ref = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (text === '') isAtEnd.current = true;
    // Further than there is anything: to ask how far would lay out the page once more.
    if (isGrowing && isAtEnd.current && ref.current !== null) ref.current.scrollTop = Number.MAX_SAFE_INTEGER;
  }, [text, isGrowing]);
  return {
    ref,
    onScroll() {
      if (ref.current === null) return;
      const { scrollTop, scrollHeight, clientHeight } = ref.current;
      isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_MARGIN_PX;
    },
  };
}
