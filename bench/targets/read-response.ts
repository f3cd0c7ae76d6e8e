import { type Form, STREAM_ENDS } from '../load/bench-request.ts';

/** What a response of any form says. */
export interface ReadResponse {
  readonly text: string;
  /** Every reason for which the completion ended, as it is written. */
  readonly reasons: readonly unknown[];
  /** Every usage that counts the tokens of the completion. */
  readonly usages: readonly TokenCounts[];
  /** Every error. */
  readonly errors: readonly unknown[];
}

/** Tokens of a prompt and of its completion. */
export interface TokenCounts {
  readonly input: unknown;
  readonly output: unknown;
}

/** Fields of a whole response or of an event, of all forms. */
interface Body {
  readonly type?: string;
  readonly error?: unknown;
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly choices?: readonly {
    readonly message?: { readonly content?: string };
    readonly delta?: { readonly content?: string };
    readonly finish_reason?: string | null;
  }[];
  readonly content?: readonly { readonly text?: string }[];
  readonly stop_reason?: string | null;
  readonly delta?: string | { readonly text?: string; readonly stop_reason?: string };
  readonly status?: string;
  readonly output?: readonly { readonly content?: readonly { readonly text?: string }[] }[];
  readonly response?: Body;
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly { readonly text?: string }[] };
    readonly finishReason?: string;
  }[];
  readonly usageMetadata?: Readonly<Record<string, unknown>>;
}

/** The word with which each form says that the completion ended by itself. */
export const STOP_REASONS: Readonly<Record<Form, string>> = {
  chat: 'stop',
  messages: 'end_turn',
  responses: 'completed',
  gemini: 'STOP',
};

/** Reads a response that is not streamed. */
export function readWhole(form: Form, body: unknown): ReadResponse {
  return WHOLES[form](body as Body);
}

/** Reads the events of a streamed response. Throws when it has not ended as streams of its form do. */
export function readStream(form: Form, body: string): ReadResponse {
  const lines = body.split('\n').filter((line) => line.startsWith('data: '));
  const last = lines.at(-1);
  const isEnd = form === 'gemini' ? last?.includes(STREAM_ENDS[form]) : last === STREAM_ENDS[form];
  if (isEnd !== true) throw new Error(`the stream ended with ${last}`);
  const events = lines.filter((line) => line !== 'data: [DONE]').map((line) => JSON.parse(line.slice(6)) as Body);
  return STREAMS[form](events);
}

function readGemini(bodies: readonly Body[]): ReadResponse {
  const candidates = bodies.flatMap((body) => body.candidates ?? []);
  return {
    text: join(candidates.flatMap(({ content }) => content?.parts ?? []).map(({ text }) => text)),
    reasons: present(candidates.map(({ finishReason }) => finishReason)),
    // Events before the last have the counts so far.
    usages: toCounts([bodies.at(-1)?.usageMetadata], 'promptTokenCount', 'candidatesTokenCount'),
    errors: present(bodies.map(({ error }) => error)),
  };
}

const WHOLES: Readonly<Record<Form, (body: Body) => ReadResponse>> = {
  chat: ({ choices = [], usage, error }) => ({
    text: join(choices.map(({ message }) => message?.content)),
    reasons: present(choices.map((choice) => choice.finish_reason)),
    usages: toCounts([usage], 'prompt_tokens', 'completion_tokens'),
    errors: present([error]),
  }),
  messages: ({ content = [], stop_reason: reason, usage, error }) => ({
    text: join(content.map(({ text }) => text)),
    reasons: present([reason]),
    usages: toCounts([usage], 'input_tokens', 'output_tokens'),
    errors: present([error]),
  }),
  responses: ({ output = [], status, usage, error }) => ({
    text: join(output.flatMap(({ content = [] }) => content).map(({ text }) => text)),
    reasons: present([status]),
    usages: toCounts([usage], 'input_tokens', 'output_tokens'),
    errors: present([error]),
  }),
  gemini: (body) => readGemini([body]),
};

const STREAMS: Readonly<Record<Form, (events: readonly Body[]) => ReadResponse>> = {
  chat(events) {
    const choices = events.flatMap((event) => event.choices ?? []);
    return {
      text: join(choices.map(({ delta }) => delta?.content)),
      reasons: present(choices.map((choice) => choice.finish_reason)),
      usages: toCounts(
        events.map(({ usage }) => usage),
        'prompt_tokens',
        'completion_tokens',
      ),
      errors: present(events.map(({ error }) => error)),
    };
  },
  messages(events) {
    const deltas = events.flatMap(({ delta }) => (typeof delta === 'object' ? [delta] : []));
    return {
      text: join(deltas.map(({ text }) => text)),
      reasons: present(deltas.map((delta) => delta.stop_reason)),
      // The usage of a message that has just begun is within it, and counts no completion.
      usages: toCounts(
        events.map(({ usage }) => usage),
        'input_tokens',
        'output_tokens',
      ),
      errors: present(events.map(({ error }) => error)),
    };
  },
  responses(events) {
    const ends = events.flatMap(({ type = '', response }) =>
      response !== undefined && ['response.completed', 'response.incomplete', 'response.failed'].includes(type)
        ? [response]
        : [],
    );
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    const text = join(deltas.map(({ delta }) => (typeof delta === 'string' ? delta : undefined)));
    const [end] = ends.map((response) => WHOLES.responses(response));
    if (end === undefined || ends.length > 1) throw new Error(`the stream has ${ends.length} responses that ended`);
    if (end.text !== text) throw new Error('the text of the pieces differs from that of the response');
    return end;
  },
  gemini: readGemini,
};

const join = (texts: readonly (string | undefined)[]): string => texts.map((text) => text ?? '').join('');

const present = (values: readonly unknown[]): unknown[] => values.filter((value) => value != null);

function toCounts(usages: readonly Body['usage'][], input: string, output: string): TokenCounts[] {
  return usages.flatMap((usage) => (usage == null ? [] : [{ input: usage[input], output: usage[output] }]));
}
