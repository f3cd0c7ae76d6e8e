import type { Provider, TransportRequest } from '@model-gateway/core';
import { createProvider, type ProviderKeyOptions } from '@model-gateway/core/providers/create-provider';

import { createScriptedTransport } from '../upstreams/scripted-transport.ts';

/** What the server says to one key. */
type Answer = 'serve' | { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

/** A server that knows its callers by their keys, and a provider with all of these. */
export interface KeyedProvider {
  readonly provider: Provider;
  /** The key of every request, oldest first. */
  readonly asked: string[];
  /** Changes what the server says to a key from now on. */
  answer(key: string, answer: Answer): void;
}

const COMPLETION = JSON.stringify({
  choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 },
});

const keyOf = ({ headers }: TransportRequest): string => (headers['authorization'] ?? '').replace('Bearer ', '');

/** Creates it; `hold` is waited for before a request is served. */
export async function createKeyedProvider(
  slug: string,
  apiKeys: readonly ProviderKeyOptions[],
  hold: () => Promise<void> | undefined = () => undefined,
): Promise<KeyedProvider> {
  const asked: string[] = [];
  const answers = new Map<string, Answer>();
  const transport = createScriptedTransport((exchange) => {
    const key = keyOf(exchange.request);
    asked.push(key);
    const answer = answers.get(key) ?? 'serve';
    const respond = (): void => {
      const { status, headers = {} } = answer === 'serve' ? { status: 200 } : answer;
      exchange.respond(status, { 'content-type': 'application/json', ...headers });
      // A careless server repeats the key.
      exchange.push(answer === 'serve' ? COMPLETION : JSON.stringify({ error: { message: `no: ${key}` } }));
      exchange.end();
    };
    const waiting = answer === 'serve' ? hold() : undefined;
    if (waiting === undefined) respond();
    else void waiting.then(respond);
  });
  const provider = await createProvider({
    slug,
    name: slug.toUpperCase(),
    wire: 'openai',
    preset: null,
    baseUrl: `https://${slug}.example/v1`,
    apiKeys,
    transport,
    downloads: transport,
  });
  return { provider, asked, answer: (key, answer) => void answers.set(key, answer) };
}

/** Keys `sk-of-<name>` by name, all of one weight. */
export const keysNamed = (...names: readonly string[]): ProviderKeyOptions[] =>
  names.map((name) => ({ name, key: `sk-of-${name}` }));
