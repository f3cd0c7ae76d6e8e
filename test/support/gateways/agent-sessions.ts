import { createDice } from './cached-chats.ts';
import type { AgentCall } from './caching-provider.ts';

type Dice = (limit: number) => number;

const WORDS = 'const value return import from test expect file line error build module index the of and to read'.split(
  ' ',
);

const say = (dice: Dice, words: number): string =>
  Array.from({ length: words }, () => WORDS[dice(WORDS.length)]).join(' ');

const toTools = (dice: Dice, count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'function',
    function: {
      name: `tool_${at}`,
      description: say(dice, 60),
      parameters: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
    },
  }));

/** A session of an agent that works with tools: each call has all of the one before, a tool call and its result. */
function toAgentSession(app: string, session: string, dice: Dice, rest: (step: number) => number): AgentCall[] {
  const tools = toTools(createDice(1), 12);
  const system = { role: 'system', content: `You are a coding agent. ${say(createDice(2), 900)}` };
  const messages: object[] = [system, { role: 'user', content: `Do this: ${say(dice, 120)}` }];
  return Array.from({ length: 12 + dice(10) }, (_, step) => {
    const call = { app, session, restMs: rest(step), body: { tools, messages: [...messages] } };
    const id = `call_${step}`;
    messages.push(
      {
        role: 'assistant',
        content: dice(2) === 0 ? null : say(dice, 20),
        tool_calls: [{ id, type: 'function', function: { name: 'tool_1', arguments: `{"path":"f${step}"}` } }],
      },
      { role: 'tool', tool_call_id: id, content: say(dice, 40 + dice(900)) },
    );
    return call;
  });
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * Sessions of four applications, one after the other: a coding agent whose calls follow each other within seconds, with
 * a rest now and then; one whose calls wait ten minutes for a person; one that has the time in its system text; and
 * questions that are asked once.
 */
export function toAgentCalls(seed: number): AgentCall[] {
  const dice = createDice(seed);
  const coder = [1, 2, 3].flatMap((number) =>
    toAgentSession('https://coder.example', `coder-${number}`, dice, (step) =>
      step % 9 === 8 ? 8 * MINUTE_MS : (3 + dice(40)) * SECOND_MS,
    ),
  );
  const slow = toAgentSession('https://review.example', 'review-1', dice, () => 9 * MINUTE_MS + dice(60) * SECOND_MS);
  const clock = Array.from({ length: 10 }, (_, at) => ({
    app: 'https://clock.example',
    session: 'clock-1',
    restMs: 20 * SECOND_MS,
    body: {
      tools: toTools(createDice(3), 14),
      messages: [
        { role: 'system', content: `It is ${at} past noon. ${say(createDice(4), 500)}` },
        { role: 'user', content: say(dice, 30) },
      ],
    },
  }));
  const once = Array.from({ length: 6 }, (_, at) => ({
    app: 'https://once.example',
    session: `once-${at}`,
    restMs: 30 * SECOND_MS,
    body: { messages: [{ role: 'user', content: `Sort this: ${say(dice, 200)}` }] },
  }));
  return [...coder, ...slow, ...clock, ...once];
}
