import {
  type CompletionAccumulator,
  createCompletionAccumulator,
} from '../../../generations/completion-accumulator.ts';
import type { ChatChunk, ChatChunkChoice, ChatDelta, ToolCallDelta } from '../../../wire/chat-chunk.ts';
import type { ReasoningDetail, ToolCall } from '../../../wire/chat-request.ts';
import type { NamedTool } from './tool-set.ts';

/** Indices that all turns of a completion share, because they must be unique. */
export interface CompletionPlaces {
  /** Index of this turn's first reasoning detail. */
  details: number;
  /** Index of the first of the caller's own tool calls in this turn. */
  calls: number;
  /** The completion has text from an earlier turn. */
  hasText: boolean;
}

/** One turn of a model, of which the caller sees everything but what concerns the gateway's own tools. */
export interface SplitTurn {
  readonly completion: CompletionAccumulator;
  /** The details as received, to be sent back to the model. */
  readonly details: readonly ReasoningDetail[];
  /** Returns the part of a batch that is sent to the caller. */
  pass(batch: readonly ChatChunk[]): ChatChunk[];
  /** Calls of the gateway's tools; valid at the end of the turn. */
  ownCalls(): readonly ToolCall[];
  hasForeignCalls(): boolean;
  /** Call once at the end: updates the indices for the next turn. */
  close(): void;
}

const PARAGRAPH = '\n\n';

/** Starts to read a turn. Finish reasons and usage are left out of what it passes on: they belong to the whole. */
export function splitTurn(tools: ReadonlyMap<string, NamedTool>, places: CompletionPlaces): SplitTurn {
  const completion = createCompletionAccumulator();
  const details: ReasoningDetail[] = [];
  /** Index of each of the turn's calls in the completion; null for a call of the gateway's own. */
  const callPlaces: (number | null)[] = [];
  let highestDetail = places.details - 1;
  let hasText = false;

  const placeOf = ({ index, function: { name } }: ToolCallDelta): number | null => {
    let place = callPlaces[index];
    if (place === undefined) {
      place = tools.has(name ?? '') ? null : places.calls++;
      callPlaces[index] = place;
    }
    return place;
  };

  const passDetail = (detail: ReasoningDetail): ReasoningDetail => {
    const place = typeof detail['index'] === 'number' ? detail['index'] + places.details : places.details;
    highestDetail = Math.max(highestDetail, place);
    return { ...detail, index: place };
  };

  const passDelta = ({ tool_calls: calls, reasoning_details: told, ...delta }: ChatDelta): ChatDelta => {
    if (delta.content) {
      if (!hasText && places.hasText) delta.content = PARAGRAPH + delta.content;
      hasText = true;
    }
    const foreign = (calls ?? []).flatMap((call) => {
      const index = placeOf(call);
      return index === null ? [] : [{ ...call, index }];
    });
    if (told !== undefined) details.push(...told);
    return {
      ...delta,
      ...(foreign.length > 0 && { tool_calls: foreign }),
      ...(told !== undefined && { reasoning_details: told.map(passDetail) }),
    };
  };

  const passChoice = (choice: ChatChunkChoice): ChatChunkChoice => ({
    ...choice,
    delta: choice.index === 0 ? passDelta(choice.delta) : choice.delta,
    finish_reason: null,
    native_finish_reason: null,
  });

  return {
    completion,
    details,
    pass(batch) {
      completion.observe(batch);
      return batch.map(({ usage: _usage, upstreamCostUsd: _cost, upstreamCosts: _costs, choices, ...chunk }) => ({
        ...chunk,
        choices: choices.map(passChoice),
      }));
    },
    ownCalls: () => completion.toolCalls.filter((_, index) => callPlaces[index] === null),
    hasForeignCalls: () => callPlaces.some((place) => typeof place === 'number'),
    close() {
      places.details = highestDetail + 1;
      places.hasText ||= hasText;
    },
  };
}
