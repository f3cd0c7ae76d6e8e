import { toUsd } from '../../foundation/money.ts';
import type { GenerationContent } from '../../wire/generation.ts';
import type { GenerationRecord, RunningCall } from '../store.ts';

/** Length of a preview, in UTF-16 units: it is on the way of every call, and counting characters takes longer. */
const MAX_LENGTH = 120;
/** Limit of the text that is looked at, because white space in it may be of any length. */
const MAX_LOOKED_AT = 240;
// A range of its own for control characters, because `\s` has only some of them.
// oxlint-disable-next-line no-control-regex -- control characters would break the single line of a list
const BLANKS = /[\s\u0000-\u001F\u007F-\u009F]+/g;

/** The beginning of what the user said last, in one line, for lists; null if the user wrote nothing. */
export function toPreview({ input }: Pick<GenerationContent, 'input'>): string | null {
  const text = 'prompt' in input ? input.prompt : textOf(lastOfUser(input.messages));
  const line = text.slice(0, MAX_LOOKED_AT).replace(BLANKS, ' ').trim();
  if (line === '') return null;
  if (line.length <= MAX_LENGTH && text.length <= MAX_LOOKED_AT) return line;
  const isCutWithin = /[\uD800-\uDBFF]/.test(line[MAX_LENGTH - 1] ?? '');
  return `${line.slice(0, isCutWithin ? MAX_LENGTH - 1 : MAX_LENGTH)}…`;
}

function lastOfUser(messages: readonly unknown[]): unknown {
  const isOfUser = (message: unknown): boolean => isObject(message) && message['role'] === 'user';
  const last = messages.findLast(isOfUser);
  return isObject(last) ? last['content'] : undefined;
}

/** The text of a message's content; of one without text, the kinds of its parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = content.filter(isObject);
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text.slice(0, MAX_LOOKED_AT)] : []));
  return texts.length > 0 ? texts.join(' ') : parts.map(({ type }) => `[${String(type)}]`).join(' ');
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The record of a call whose process has ended in the middle of it. */
export function toInterruptedRecord({ record, figures }: RunningCall): GenerationRecord {
  const { promptTokens, completionTokens, costUsd, costNanoUsd, feeNanoUsd, costKnown, durationMs } = figures;
  const chargedUsd = feeNanoUsd === undefined ? costUsd : toUsd(feeNanoUsd);
  return {
    ...record,
    costNanoUsd,
    generation: {
      ...record.generation,
      interrupted: true,
      cancelled: false,
      finish_reason: 'error',
      native_finish_reason: null,
      tokens_prompt: promptTokens,
      tokens_completion: completionTokens,
      native_tokens_prompt: promptTokens,
      native_tokens_completion: completionTokens,
      total_cost: chargedUsd,
      usage: chargedUsd,
      ...(feeNanoUsd !== undefined && {
        ...(feeNanoUsd > 0 && { byok_fee: chargedUsd }),
        upstream_inference_cost: costKnown ? toUsd(costNanoUsd - feeNanoUsd) : null,
      }),
      generation_time: durationMs,
      cost_known: costKnown,
      usage_estimated: true,
    },
  };
}
