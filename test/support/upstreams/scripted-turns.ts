import { toEventPieces } from './chunkings.ts';
import { createScriptedTransport, type ScriptedTransport } from './scripted-transport.ts';

/** One response of an upstream in a conversation of several. */
export interface ScriptedTurn {
  readonly reasoning?: string;
  readonly content?: string;
  /** Functions that the model calls, with their arguments. */
  readonly calls?: readonly (readonly [name: string, args: object | string])[];
  /** Default: 10 and 5. */
  readonly usage?: readonly [prompt: number, completion: number];
  readonly finish?: string;
  /** Status of a response in place of the turn. */
  readonly status?: number;
}

/** How the bytes of a stream are cut. */
export type Cut = (pieces: readonly string[]) => readonly (string | Uint8Array)[];

/**
 * Creates a transport that serves the OpenAI wire, whole or streamed as it is asked, with one turn after the other,
 * and the last again after that.
 */
export function createTurnTransport(turns: readonly ScriptedTurn[], cut: Cut = (pieces) => pieces): ScriptedTransport {
  let asked = 0;
  return createScriptedTransport((exchange) => {
    const number = asked;
    const turn = turns[Math.min(asked, turns.length - 1)] as ScriptedTurn;
    asked += 1;
    if (turn.status !== undefined) {
      exchange.respond(turn.status, { 'content-type': 'application/json' });
      exchange.push(JSON.stringify({ error: { message: 'no' } }));
    } else if (exchange.sent['stream'] === true) {
      exchange.respond();
      for (const piece of cut(toEventPieces(toEvents(turn, number)))) exchange.push(piece);
    } else {
      exchange.respond(200, { 'content-type': 'application/json' });
      exchange.push(JSON.stringify(toWhole(turn, number)));
    }
    exchange.end();
  });
}

const usageOf = ({ usage: [prompt, completion] = [10, 5] }: ScriptedTurn): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

const callsOf = (turn: ScriptedTurn, number: number): object[] =>
  (turn.calls ?? []).map(([name, args], index) => ({
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));

const finishOf = ({ finish, calls }: ScriptedTurn): string => finish ?? (calls === undefined ? 'stop' : 'tool_calls');

function toWhole(turn: ScriptedTurn, number: number): object {
  const calls = callsOf(turn, number);
  const message = {
    role: 'assistant',
    content: turn.content ?? null,
    ...(turn.reasoning !== undefined && { reasoning: turn.reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return { id: `up-${number}`, choices: [{ index: 0, message, finish_reason: finishOf(turn) }], usage: usageOf(turn) };
}

function toEvents(turn: ScriptedTurn, number: number): object[] {
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: `up-${number}`,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    ...(turn.reasoning === undefined ? [] : [chunk({ reasoning: turn.reasoning })]),
    ...(turn.content?.match(/\S+\s*/g) ?? []).map((content) => chunk({ content })),
    ...callsOf(turn, number).map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
    chunk({}, finishOf(turn)),
    { choices: [], usage: usageOf(turn) },
  ];
}
