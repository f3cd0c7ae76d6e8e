import { TOKENS_A_MESSAGE, weighText } from '../../calls/texts.ts';
import type { Usage } from '../../wire/chat-chunk.ts';
import type { ChatMessage } from '../../wire/chat-request.ts';
import type { CompletionAccumulator } from './completion-accumulator.ts';
import { type Spending, spendingFor, type Turn } from './spending.ts';

/** Measures a turn under way, again and again. Each time reads only what has come since the last. */
export interface TurnMeter {
  /** `at` is in Unix milliseconds. */
  read(at: number): Spending;
}

/** Of a longer text only so much is weighed, as a sample: prompts of megabytes would hold up the event loop. */
const SAMPLE_LENGTH = 4096;

/** Creates the meter of a turn. It reads the messages once, now. */
export function createTurnMeter(turn: Turn): TurnMeter {
  const { completion } = turn;
  const promptTokens = estimatePrompt(turn.messages);
  let weight = 0;
  let weighedText = 0;
  let weighedReasoning = 0;
  return {
    read(at) {
      weight += weighLast(completion.text, completion.textLength - weighedText);
      weight += weighLast(completion.reasoning, completion.reasoningLength - weighedReasoning);
      weighedText = completion.textLength;
      weighedReasoning = completion.reasoningLength;
      return spendingFor(turn, toUsage(completion.usage, promptTokens, Math.ceil(weight + weighCalls(completion))), at);
    },
  };
}

/** Some providers count the prompt at the beginning, and the completion up to then. */
function toUsage(reported: Usage | undefined, promptTokens: number, weighed: number): Usage {
  const prompt = reported?.prompt_tokens ?? promptTokens;
  const completion = Math.max(reported?.completion_tokens ?? 0, weighed);
  return {
    ...reported,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    estimated: true,
  };
}

/** Weighs the last `length` characters of a text, of which the beginning may have been put aside. */
function weighLast(text: string, length: number): number {
  if (length === 0) return 0;
  return weighAll(text.slice(-length), length);
}

/** Weighs the beginning, and counts the rest like it. */
function weighAll(text: string, length: number): number {
  const sample = text.slice(0, SAMPLE_LENGTH);
  return sample === '' ? length / 4 : (weighText(sample) * length) / sample.length;
}

/** Names and arguments of tools are nearly always ASCII. */
function weighCalls({ toolCalls }: CompletionAccumulator): number {
  return toolCalls.reduce((sum, { function: called }) => sum + called.name.length + called.arguments.length, 0) / 4;
}

function estimatePrompt(messages: readonly ChatMessage[]): number {
  let tokens = 0;
  for (const { content } of messages) {
    tokens += TOKENS_A_MESSAGE;
    if (typeof content === 'string') tokens += weighAll(content, content.length);
    else for (const part of content ?? []) if (part.type === 'text') tokens += weighAll(part.text, part.text.length);
  }
  return Math.ceil(tokens);
}
