import { toEvent, toEventPieces } from './chunkings.ts';
import type { ScriptedExchange } from './scripted-transport.ts';

/** A chunk of a completion with this text. */
export const piece = (content: string): object => ({
  id: 'up-1',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});
/** The first chunk, the last one, and what they cost. */
export const opening = {
  id: 'up-1',
  choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
};
export const stop = { id: 'up-1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
export const usage = { id: 'up-1', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };
/** A whole completion. */
export const GOOD = toEventPieces([opening, piece('Hé'), piece('llo 👩‍👩‍👧'), stop, usage]);

/** Responds with these, as events where they are no texts, and goes on. */
export const respondWith = (exchange: ScriptedExchange, ...payloads: readonly (string | object)[]): void => {
  exchange.respond();
  for (const payload of payloads) exchange.push(typeof payload === 'string' ? payload : toEvent(payload));
};
