import { expect, test } from 'vitest';

import { chunksOf, createCoreGateway, jsonOf, readFrames } from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import { chunkings } from '../../../../test/support/upstreams/chunkings.ts';
import type { ScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { createTurnTransport, type Cut, type ScriptedTurn } from '../../../../test/support/upstreams/scripted-turns.ts';
import type { ServerTool } from '../chat/stages/server-tools/server-tool.ts';

/** Returns a result with an unexpected text, and a citation. */
const lookup: ServerTool = {
  name: 'lookup',
  description: 'Looks a word up.',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
  open: () => ({
    run: () => ({
      content: 'it says badger',
      annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.com/', title: 'badger' } }],
    }),
  }),
};

const TURNS: readonly ScriptedTurn[] = [{ calls: [['lookup', { word: 'animal' }]] }, { content: 'Done.' }];
const TOOLS = { tools: [{ type: 'service:lookup' }] };

async function withTools(fields: object, turns = TURNS, cut?: Cut) {
  const upstream = createTurnTransport(turns, cut);
  const core = createCoreGateway(upstream, { serverTools: [lookup] });
  const guarded = await guardKey(core, fields);
  const ask = (body: object = {}) => core.chat({ ...TOOLS, ...body }, { headers: guarded.headers });
  return { ...core, ...guarded, upstream, ask };
}

/** The tool result that the model received. */
const resultIn = ({ exchanges }: ScriptedTransport): string =>
  JSON.stringify((exchanges[1]?.sent['messages'] as object[] | undefined)?.[2]);

test('redacts what a tool has found before a model reads it, and where it is stored', async () => {
  const { ask, upstream, store } = await withTools({
    content_filters: [{ pattern: 'says badger', action: 'redact', label: '[B]' }],
  });
  expect((await ask()).status).toBe(200);
  expect(upstream.exchanges[1]?.sent['messages']).toMatchObject([{}, {}, { role: 'tool', content: 'it [B]' }]);
  expect(JSON.stringify(store.appended)).not.toContain('says badger');
  expect(store.appended[0]?.record.generation.pipeline).toContainEqual(
    expect.objectContaining({ type: 'guardrail', data: expect.objectContaining({ action: 'redacted' }) as object }),
  );
});

test('keeps from a model what a tool has found that is blocked', async () => {
  const { ask, upstream } = await withTools({ content_filters: [{ pattern: 'says badger', action: 'block' }] });
  expect((await ask()).status).toBe(200);
  expect(resultIn(upstream)).toContain('a guardrail has withheld the result');
  expect(JSON.stringify(upstream.exchanges[1]?.sent)).not.toContain('says badger');
});

test.each(chunkings(['whole']).map(([name]) => name))(
  'shows nothing of tools and their sources that an output filter removes, %s',
  async (name) => {
    const cut: Cut = (pieces) => chunkings(pieces).find(([known]) => known === name)?.[1] ?? pieces;
    const { ask, store } = await withTools(
      { content_filters: [{ pattern: 'badger', action: 'redact', label: '[B]', direction: 'output' }] },
      TURNS,
      cut,
    );
    const streamed = chunksOf(await readFrames(await ask({ stream: true })).rest());
    const whole = await withTools(
      { content_filters: [{ pattern: 'badger', action: 'redact', label: '[B]', direction: 'output' }] },
      TURNS,
    );
    const completion = jsonOf(await whole.ask());
    for (const told of [streamed, completion]) {
      expect(JSON.stringify(told)).toContain('Done.');
      expect(JSON.stringify(told)).not.toContain('badger');
      expect(JSON.stringify(told)).toContain('"title":"[B]"');
    }
    expect(store.appended[0]?.content?.output.completion).toBe('Done.');
  },
);

test('calls no excluded endpoint for a later turn, though the first has failed there', async () => {
  const { ask, upstream } = await withTools({ ignored_providers: ['beta'] }, [
    { calls: [['lookup', { word: 'x' }]] },
    { status: 500 },
  ]);
  await ask();
  expect(upstream.exchanges.length).toBeGreaterThan(1);
  expect(upstream.exchanges.every(({ request }) => request.url.includes('acme.example'))).toBe(true);
});

test('lists for a model only those models that its caller may use', async () => {
  const search = { tools: [{ type: 'service:search_models' }] };
  const { ask, upstream } = await withTools({ ignored_models: ['acme/other'] }, [
    { calls: [['search_models', { query: '', max_results: 20 }]] },
    { content: 'Done.' },
  ]);
  await ask(search);
  expect(resultIn(upstream)).toContain('acme/chat');
  expect(resultIn(upstream)).not.toContain('acme/other');
});
