import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { FAULTS, type Fault, REFUSALS, toErrorEvent } from './faults.ts';
import type { ToolCall } from './place.ts';
import { tellTurn, type Wire, WIRES } from './tell-turn.ts';
import type { Turn, TurnCall } from './turn.ts';

/** One request that reached the model. */
export interface CoderRequest {
  readonly wire: Wire;
  readonly fault: Fault;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Resolves when the exchange is over: false when the caller left before its end. */
  readonly closed: Promise<boolean>;
}

/** A model that does one coding job, whatever else it is told: a tool call a response, then a closing line. */
export interface ScriptedCoder {
  /** `http://127.0.0.1:41234`; behind it come the fault and the wire. */
  readonly origin: string;
  readonly requests: readonly CoderRequest[];
  /** Resolves with the request whose response has halted. */
  readonly halted: Promise<CoderRequest>;
  close(): Promise<void>;
}

export const DONE = 'The sum is mended ☕ 你好: done.';

/** What the model says to a request that has brought back this many results; undefined: as the job has it. */
export type Improvise = (body: string, results: number) => Turn | undefined;

/** Starts the model. The first part of the path is its [fault](./faults.ts), the second the wire. */
export async function startScriptedCoder(
  job: readonly ToolCall[],
  improvise: Improvise = () => undefined,
): Promise<ScriptedCoder> {
  const requests: CoderRequest[] = [];
  const waiting: ((request: CoderRequest) => void)[] = [];
  const halted = new Promise<CoderRequest>((resolve) => waiting.push(resolve));
  let failed = false;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = once(response, 'close').then(() => response.writableFinished);
    const [, fault, wire] = (request.url ?? '').split('/') as ['', Fault, Wire];
    const body = await text(request);
    const seen = { wire, fault, headers: request.headers, body, closed };
    requests.push(seen);
    const refusal = REFUSALS[fault];
    if (refusal !== undefined) return sendJson(response, refusal, { error: { message: 'The model is busy' } });
    if (request.url?.includes('count_tokens')) return sendJson(response, 200, { input_tokens: 4321 });
    const done = countResults(wire, body);
    const told = tellTurn[wire](improvise(body, done) ?? toTurn(job, done, body));
    const isStream = wire === 'google' ? request.url?.includes('streamGenerate') : /"stream":true/.test(body);
    if (isStream !== true) return sendJson(response, 200, told.whole);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (done === 1 && (fault === 'halts' || (['breaks', 'errs'].includes(fault) && !failed))) {
      const words = told.events.slice(0, told.events.findIndex((event) => event.includes('Now')) + 1).join('');
      if (fault === 'halts') return void response.write(words, () => waiting.forEach((resolve) => resolve(seen)));
      failed = true;
      if (fault === 'errs') return void response.end(words + toErrorEvent[wire]);
      // A callback, so that the words have left before the connection breaks.
      return void response.write(words, () => response.destroy());
    }
    for (const event of told.events) response.write(event);
    response.end();
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    halted,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Responds to requests without the job's tools, as for a title, with a line; they count for nothing. */
function toTurn(job: readonly ToolCall[], done: number, body: string): Turn {
  const call = job[done];
  if (call === undefined) return { text: DONE };
  const [name] = call;
  if (!body.includes(`"name":"${name}"`)) return { text: `There is no tool ${name}.` };
  return {
    thought: `Step ${done + 1} needs “${name}”.`,
    text: `Now step ${done + 1} — ${name}.`,
    calls: [toCall(call, `call_${done}`, body)],
  };
}

function toCall([name, args]: ToolCall, id: string, body: string): TurnCall {
  if (typeof args === 'object') return { id, name, args };
  return { id, name, args: { input: args }, ...(hasCustomTool(JSON.parse(body), name) && { custom: args }) };
}

/** Tools stand in several places of a request, also in its input and in groups. */
function hasCustomTool(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { type, name: own } = value as { type?: unknown; name?: unknown };
  return (type === 'custom' && own === name) || Object.values(value).some((inner) => hasCustomTool(inner, name));
}

const RESULTS: Readonly<Record<Wire, RegExp>> = {
  openai: /"role":"tool"/g,
  anthropic: /"type":"tool_result"/g,
  google: /"functionResponse":/g,
  'openai-responses': /"type":"(function|custom_tool)_call_output"/g,
};

const countResults = (wire: Wire, body: string): number => body.match(RESULTS[wire])?.length ?? 0;

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** A model of the gateway: its upstream has the wire and the fault. */
export interface CoderModel {
  readonly id: string;
  readonly fault: Fault;
  readonly wire: Wire;
}

/** The models over this upstream; of those that refuse, the second endpoint is another wire's. */
export function toCoderConfig(
  { origin }: ScriptedCoder,
  asked: readonly CoderModel[],
  keys: readonly object[],
): object {
  const endpoint = (provider: string, prompt: string): object => ({
    provider,
    providerModel: 'coder',
    pricing: { prompt, completion: '0.000002' },
    max_completion_tokens: 64_000,
  });
  const providers = FAULTS.flatMap((fault) =>
    WIRES.map((wire) => ({
      slug: `${fault}-${wire}`,
      wire,
      baseUrl: `${origin}/${fault}/${wire}${wire === 'google' ? '/v1beta' : '/v1'}`,
      apiKey: 'sk-upstream',
    })),
  );
  const after = (wire: Wire): Wire => WIRES[(WIRES.indexOf(wire) + 1) % WIRES.length] as Wire;
  const models = asked.map(({ id, fault, wire }) => ({
    id,
    context_length: 200_000,
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
    endpoints: [
      endpoint(`${fault}-${wire}`, '0.000001'),
      // So dear that it is never the first.
      ...(REFUSALS[fault] === undefined ? [] : [endpoint(`none-${after(wire)}`, '0.1')]),
    ],
  }));
  return { auth: { bootstrapKeys: keys }, providers, models };
}
