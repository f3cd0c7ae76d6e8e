import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { tellTurn, type Turn, type Wire, WIRES } from './tell-turn.ts';

/** One tool call of the job, in the words of the agent that has the tool. */
export type ToolCall = readonly [name: string, args: object];

export const FAULTS = ['none', 'refuses', 'breaks', 'halts'] as const;
export type Fault = (typeof FAULTS)[number];

/** One request that reached the model. */
export interface CoderRequest {
  readonly wire: Wire;
  readonly fault: Fault;
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

/**
 * Starts the model. By the first part of the path it
 *
 * - `refuses`: answers every request with 503
 * - `breaks`: once breaks the connection after the first words of its second response
 * - `halts`: says the first words of its second response and no more
 */
export async function startScriptedCoder(job: readonly ToolCall[]): Promise<ScriptedCoder> {
  const requests: CoderRequest[] = [];
  const waiting: ((request: CoderRequest) => void)[] = [];
  const halted = new Promise<CoderRequest>((resolve) => waiting.push(resolve));
  let broken = false;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = once(response, 'close').then(() => response.writableFinished);
    const [, fault, wire] = (request.url ?? '').split('/') as ['', Fault, Wire];
    const body = await text(request);
    const seen = { wire, fault, body, closed };
    requests.push(seen);
    if (fault === 'refuses') return sendJson(response, 503, { error: { message: 'The model is busy' } });
    const done = countResults(wire, body);
    const told = tellTurn[wire](toTurn(job, done, body));
    const isStream = wire === 'google' ? request.url?.includes('streamGenerate') : /"stream":true/.test(body);
    if (isStream !== true) return sendJson(response, 200, told.whole);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (done === 1 && (fault === 'halts' || (fault === 'breaks' && !broken))) {
      const words = told.events.slice(0, told.events.findIndex((event) => event.includes('Now')) + 1).join('');
      if (fault === 'halts') return void response.write(words, () => waiting.forEach((resolve) => resolve(seen)));
      broken = true;
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
  const [name, args] = job[done] ?? [];
  if (name === undefined || args === undefined) return { text: 'The sum is mended ☕ 你好: done.' };
  if (!body.includes(`"name":"${name}"`)) return { text: `There is no tool ${name}.` };
  return {
    thought: `Step ${done + 1} needs “${name}”.`,
    text: `Now step ${done + 1} — ${name}.`,
    call: { id: `call_${done}`, name, args },
  };
}

const RESULTS: Readonly<Record<Wire, RegExp>> = {
  openai: /"role":"tool"/g,
  anthropic: /"type":"tool_result"/g,
  google: /"functionResponse":/g,
};

const countResults = (wire: Wire, body: string): number => body.match(RESULTS[wire])?.length ?? 0;

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Models `<fault>/<wire>` over this upstream; of those that refuse, the second endpoint is another wire's. */
export function toCoderConfig({ origin }: ScriptedCoder, keys: readonly object[]): object {
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
  const models = FAULTS.flatMap((fault) =>
    WIRES.map((wire) => ({
      id: `${fault}/${wire}`,
      context_length: 200_000,
      endpoints: [
        endpoint(`${fault}-${wire}`, '0.000001'),
        // So dear that it is never the first.
        ...(fault === 'refuses' ? [endpoint(`none-${after(wire)}`, '0.1')] : []),
      ],
    })),
  );
  return { auth: { bootstrapKeys: keys }, providers, models };
}
