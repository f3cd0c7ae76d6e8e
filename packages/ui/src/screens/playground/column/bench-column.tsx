import type { ChatCompletionRequest, Model } from '@model-gateway/core/wire';
import { Square, X } from 'lucide-react';
import { memo, useState } from 'react';
import { useStore } from 'zustand';

import type { Run } from '../../../features/playground/create-run.ts';
import type { Column } from '../../../features/playground/experiment.ts';
import { formatUsd } from '../../../format/money.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import type { Estimate } from '../estimate/estimate-cost.ts';
import { findOpenCalls, lastCompletion } from '../experiment/edit-turns.ts';
import { ModelPicker } from '../picker/model-picker.tsx';
import { useFollowEnd } from '../use-follow-end.ts';
import { ColumnFooter } from './column-footer.tsx';
import { CompletionTurn } from './completion-turn.tsx';
import { LiveCompletion } from './live-completion.tsx';
import { MessageTurn } from './message-turn.tsx';
import { ToolResults } from './tool-results.tsx';
import type { TurnActions } from './turn-actions.ts';

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
  /** Of what would be sent now; undefined where that cannot be. */
  readonly estimate: Estimate | undefined;
}

/** Turns that are shown at first, from the end. */
const SHOWN_TURNS = 40;

/** One model with its conversation, or a call that was recorded. */
export const BenchColumn = memo(function BenchColumn(props: BenchColumnProps) {
  const { column, at, run, models, actions, baseText, baseName } = props;
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
    <section aria-label={`Column ${at + 1}: ${model}`} className="card flex min-h-0 min-w-0 flex-col">
      <header className="flex items-center gap-1 border-b border-line p-2">
        <span className="figures pl-1 text-xs text-ink-faint">{at + 1}</span>
        {isOriginal ? (
          <>
            <span title={model} className="min-w-0 flex-1 truncate px-1.5 font-mono text-xs">
              {showControls(model)}
            </span>
            <Badge tone="accent" title="As it was recorded. It cannot be changed.">
              original
            </Badge>
          </>
        ) : (
          <ModelPicker
            label={`Model of column ${at + 1}`}
            model={model}
            models={models}
            onPick={(picked, isSent) => actions.setModel(id, picked, isSent)}
          />
        )}
        {isRunning && (
          <Button
            look="quiet"
            aria-label={`Stop ${model}`}
            title="Stop"
            icon={<Square size={14} aria-hidden />}
            onClick={() => run.stop()}
          />
        )}
        {props.isRemovable && (
          <Button
            look="quiet"
            aria-label={`Remove column ${at + 1}`}
            title="Remove"
            icon={<X size={15} aria-hidden />}
            onClick={() => actions.removeColumn(id)}
          />
        )}
      </header>
      <div
        {...followed}
        tabIndex={0}
        role="group"
        aria-label={`Conversation of column ${at + 1}`}
        className="scroll-thin flex min-h-0 flex-1 flex-col gap-2.5 overflow-y-auto p-3 outline-offset-[-2px]"
      >
        {turns.length === 0 && !isRunning && <p className="m-auto text-sm text-ink-faint">Nothing sent yet</p>}
        {earlier > 0 && (
          <Button className="self-center" onClick={() => setShown(shown + SHOWN_TURNS)}>
            Show {Math.min(SHOWN_TURNS, earlier)} of {formatCount(earlier)} earlier messages
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
                base={turn === last ? base : undefined}
              />
            ) : (
              <MessageTurn key={turn.id} turn={turn} actions={own} sharedBy={props.sharing.get(turn.id) ?? 1} />
            ),
          )}
        {isRunning && <LiveCompletion state={state} />}
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
  const { usd, promptTokens, completionTokens, hasMedia, fittedTokens } = estimate;
  return (
    <p className="figures border-t border-line px-3 py-1.5 text-xs text-ink-faint">
      Next, estimated: {usd === null ? 'price unknown' : `≈ ${formatUsd(Number(usd.toPrecision(2)))}`} for ≈{' '}
      {formatCount(promptTokens)} in / {formatCount(completionTokens)} out
      {hasMedia && ', attachments not counted'}
      {fittedTokens !== null && (
        <span title="The gateway reserves the longest completion of a call before it starts. The playground therefore asks for one that fits. Set Max tokens to choose another length.">
          , at most {formatCount(fittedTokens)} (key limit)
        </span>
      )}
    </p>
  );
}
