import fc from 'fast-check';
import { expect } from 'vitest';

import { chatArbitrary, type MadeChat } from '../../support/formats/chats.ts';
import { damage, damaged } from '../../support/formats/damaged-bytes.ts';
import { change, changesWith } from '../../support/formats/hostile-json.ts';
import { inWordsOfOllama, writeMessages, writeOllama, writeResponses } from '../../support/formats/write-chats.ts';
import { writeGemini } from '../../support/formats/write-gemini.ts';
import { createWireGateway, replayWhole, scripts } from '../../support/gateways/ask-wire.ts';
import { bodyOf } from '../../support/gateways/body-of.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

/** Fields of some format that a made chat may not have. */
const FIELDS =
  'model models messages input prompt system instructions tools tool_choice response_format text reasoning provider ' +
  'plugins stop stream stream_options metadata trace session_id preset route transforms max_tokens n seed logit_bias ' +
  'previous_response_id store format options think keep_alive raw suffix images include thinking cache_control content role type tool_calls arguments image_url file ' +
  'contents parts systemInstruction generationConfig toolConfig thoughtSignature functionCall inlineData safetySettings';

const FORMATS = {
  '/api/v1/chat/completions': (chat: object): object => chat,
  '/api/v1/messages': writeMessages,
  '/api/v1/responses': writeResponses,
  '/api/v1/completions': (): object => ({ prompt: 'Hello' }),
  '/api/chat': (chat: MadeChat): object => ({ ...writeOllama(inWordsOfOllama(chat)), stream: false }),
  '/api/generate': (): object => ({ prompt: 'Hello', stream: false }),
  '/v1beta/models/test/model:generateContent': writeGemini,
} as const;

export const callBodies: FuzzTarget = {
  name: 'call-bodies',
  promise: 'Whatever body a call has, it is served or refused with a reason, in every format',
  runs: 600,
  prepare: async () => {
    const [[, script] = []] = scripts.filter(([wire]) => wire === 'openai');
    if (script === undefined) throw new Error('There is no script of the wire openai');
    const { text } = script.responses;
    return fc.asyncProperty(
      chatArbitrary,
      fc.constantFrom(...(Object.keys(FORMATS) as (keyof typeof FORMATS)[])),
      changesWith(FIELDS.split(' ')),
      fc.option(fc.array(damage, { minLength: 1, maxLength: 2 }), { freq: 4, nil: [] }),
      async (chat, format, changes, done) => {
        const { stream: _, ...said } = chat;
        const [body = {}] = change([{ model: 'test/model', ...FORMATS[format](said) }], changes);
        const bytes = damaged(new TextEncoder().encode(JSON.stringify(body)), done);
        const core = createWireGateway(script, replayWhole(text));
        const { status, body: answer } = await core.post(format, undefined, bodyOf(new TextDecoder().decode(bytes)));
        // A response that was made to be streamed says nothing in one piece: a failure of upstream's.
        expect(status < 500 || status === 502).toBe(true);
        expect(typeof answer === 'string' ? answer : '').not.toContain('Internal Server Error');
        expect(core.logged.filter(({ line }) => line.startsWith('error'))).toEqual([]);
      },
    );
  },
};
