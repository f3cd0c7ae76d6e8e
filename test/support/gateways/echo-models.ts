import type { ModelDefinition, TransportRequest } from '@model-gateway/core';

import { createScriptedTransport, type ScriptedTransport } from '../upstreams/scripted-transport.ts';

/** What was sent for a completion. */
export interface EchoedRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** `acme/chat` and `acme/other` at Acme, both with prices and limits, and the model of a judge. */
export const ECHO_MODELS: readonly ModelDefinition[] = ['chat', 'other', 'judge'].map((name, index) => ({
  id: `acme/${name}`,
  context_length: 4000,
  endpoints: [
    {
      provider: 'acme',
      providerModel: name,
      pricing: { prompt: `0.00000${index + 1}`, completion: `0.00000${2 * index + 2}` },
      max_completion_tokens: 1000,
    },
  ],
}));

/**
 * Creates an upstream that says at once what `say` makes of a request; its tokens are a tenth of its characters. It fails
 * where that is null.
 */
export function createEchoTransport(
  say: (sent: EchoedRequest, request: TransportRequest) => string | null,
): ScriptedTransport {
  return createScriptedTransport((exchange) => {
    const sent = exchange.sent as unknown as EchoedRequest;
    const content = say(sent, exchange.request);
    if (content === null) {
      exchange.respond(400, { 'content-type': 'application/json' });
      exchange.push(JSON.stringify({ error: { message: 'It does not feel like it' } }));
      exchange.end();
      return;
    }
    const prompt_tokens = Math.ceil(JSON.stringify(sent.messages).length / 10);
    const completion_tokens = Math.ceil(content.length / 10);
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    exchange.respond(200, { 'content-type': 'application/json' });
    exchange.push(
      JSON.stringify({
        id: 'x',
        model: sent.model,
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage,
      }),
    );
    exchange.end();
  });
}
