import { expect, test } from 'vitest';

import { API_KEY, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import {
  createRoutedGateway,
  endpointsAt,
  type RoutedGateway,
} from '../../../../test/support/gateways/routed-gateway.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';
import { type RoutingExplanation, routingExplanationSchema } from '../wire/routing-explanation.ts';
import type { ConfiguredRoutingRule } from '../wire/routing-rules.ts';

const MODELS: readonly ModelDefinition[] = [
  { id: 'anthropic/claude-haiku-4.5', endpoints: endpointsAt({ asked: 1 }) },
  { id: 'r/main', endpoints: endpointsAt({ asked: 1 }) },
  { id: 'r/ruled', endpoints: endpointsAt({ ruled: 1 }) },
  { id: 'r/second', endpoints: endpointsAt({ second: 1 }) },
];
const CODER = { 'user-agent': 'claude-cli/2.1.330 (external)' };

function openRuled(...rules: readonly ConfiguredRoutingRule[]): RoutedGateway {
  return createRoutedGateway({ asked: {}, ruled: {}, second: {} }, MODELS, { account: { routing: { rules } } });
}

const ruleOf = (when: ConfiguredRoutingRule['when'], more: Partial<ConfiguredRoutingRule> = {}) => ({
  name: 'one',
  when,
  model: 'r/ruled',
  ...more,
});

const tool = (name: string) => ({ type: 'function', function: { name } });
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
type When = ConfiguredRoutingRule['when'];
type Body = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

test.each<[string, When, Body, Headers?]>([
  ['none', {}, {}],
  ['a pattern for its model', { models: ['claude-*haiku*'] }, { model: 'anthropic/claude-haiku-4.5' }],
  ['the author of a model asked for by another name', { models: ['anthropic/*'] }, { model: 'claude-haiku-4-5' }],
  ['a small model', { background: true }, { model: 'anthropic/claude-haiku-4.5' }],
  ['no small model', { background: false }, {}],
  ['a word of its agent', { background: true }, {}, { 'x-claude-code-request-class': 'background' }],
  ['a short text of an agent without tools', { background: true }, { max_tokens: 100 }, { 'user-agent': 'opencode/1' }],
  ['reasoning', { thinking: true }, { reasoning: { effort: 'high' } }],
  ['reasoning that is switched on', { thinking: true }, { reasoning: { enabled: true } }],
  ['reasoning by its older name', { thinking: true }, { reasoning_effort: 'low' }],
  ['no reasoning', { thinking: false }, { reasoning: { enabled: false } }],
  ['its length', { minPromptTokens: 1000 }, { messages: [{ role: 'user', content: 'word '.repeat(1000) }] }],
  [
    'the length of its tools',
    { minPromptTokens: 900 },
    { tools: [{ ...tool('a'), function: { name: 'a', description: 'word '.repeat(1000) } }] },
  ],
  ['an image', { hasImages: true }, { messages: [{ role: 'user', content: [image] }] }],
  ['its tools', { minTools: 2 }, { tools: [tool('a'), tool('b')] }],
  ['that it has tools', { hasTools: true, kind: 'chat' }, { tools: [tool('a')] }],
  ['that it has none', { hasTools: false }, {}],
  ['a sub-agent of Claude Code', { subAgent: true }, {}, { 'x-claude-code-agent-id': 'a1' }],
  ['a sub-agent of Codex', { subAgent: true }, {}, { 'x-openai-subagent': 'review' }],
  ['its format', { formats: ['chat'] }, {}],
  ['its format, by the former name', { doors: ['chat'] }, {}],
  ['the name of its key', { keys: ['dev'] }, {}],
  ['another key that is exempt', { exceptKeys: ['prod'] }, {}],
  ['its user agent', { apps: ['claude-cli/*'] }, {}, CODER],
  [
    'the address of its application',
    { apps: ['https://app.example*'] },
    {},
    { 'http-referer': 'https://app.example/x' },
  ],
  ['all of several', { minTools: 1, thinking: true }, { tools: [tool('a')], reasoning: { max_tokens: 2000 } }],
])('the condition %s holds for such a call, and it gets the rule’s model', async (_, when, body, headers) => {
  expect(await openRuled(ruleOf(when)).askedFor({ model: 'r/main', ...body }, headers)).toEqual(['ruled']);
});

test.each<[string, When, Body, Headers?]>([
  ['a pattern for another model', { models: ['anthropic/*'] }, {}],
  ['a small model', { background: true }, { model: 'r/main' }],
  ['no small model', { background: false }, { model: 'anthropic/claude-haiku-4.5' }],
  ['a short text of an agent, with tools', { background: true }, { max_tokens: 100, tools: [tool('a')] }, CODER],
  ['a short text of no agent', { background: true }, { max_tokens: 100 }],
  ['reasoning', { thinking: true }, { reasoning: { effort: 'none' } }],
  ['reasoning, of which only the visibility is asked for', { thinking: true }, { reasoning: { exclude: true } }],
  ['its length', { minPromptTokens: 1000 }, {}],
  [
    'the length of an image',
    { minPromptTokens: 1000 },
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(9000)}` } }],
        },
      ],
    },
  ],
  ['an image', { hasImages: true }, {}],
  ['its tools', { minTools: 2 }, { tools: [tool('a')] }],
  ['that it has tools', { hasTools: true }, {}],
  ['a sub-agent', { subAgent: true }, {}],
  ['another format', { formats: ['messages', 'responses'] }, {}],
  ['another format, by the former name', { doors: ['messages', 'responses'] }, {}],
  ['another key', { keys: ['prod'] }, {}],
  ['its key, which is exempt', { exceptKeys: ['dev'] }, {}],
  ['another application', { apps: ['claude-cli/*'] }, {}],
  ['one of several', { minTools: 1, thinking: true }, { tools: [tool('a')] }],
])('where the condition %s does not hold, the call gets the model that it asks for', async (_, when, body, headers) => {
  expect(await openRuled(ruleOf(when)).askedFor({ model: 'r/main', ...body }, headers)).toEqual(['asked']);
});

test('the first rule that holds decides, and its models take the place of all that were asked for', async () => {
  const gateway = openRuled(
    ruleOf({ thinking: true }, { name: 'no', model: 'r/main' }),
    ruleOf({}, { name: 'first', models: ['r/second'] }),
    ruleOf({}, { name: 'later', model: 'r/main' }),
  );
  for (const slug of ['asked', 'ruled', 'second']) gateway.behave(slug, 'provider_unavailable');
  expect(await gateway.askedFor({ model: 'r/main', models: ['anthropic/claude-haiku-4.5'] })).toEqual([
    'ruled',
    'second',
  ]);
});

test('a rule with an unknown model is passed over, and warned of at the start', async () => {
  const gateway = openRuled(ruleOf({}, { name: 'typo', model: 'r/ruledd' }), ruleOf({}, { name: 'next' }));
  await gateway.gateway.start();
  expect(await gateway.askedFor({ model: 'r/main' })).toEqual(['ruled']);
  expect(gateway.logged.filter(({ line }) => line.startsWith('warn'))).toEqual([
    {
      line: 'warn a routing rule names an unknown model and is skipped',
      fields: {
        rule: 'typo',
        reason: 'routing.rules: "r/ruledd" is not a model in the catalog; the nearest is "r/ruled"',
      },
    },
  ]);
});

test('the record and the metadata of a call name its rule and what was asked for, and those of others none', async () => {
  const gateway = openRuled(ruleOf({ thinking: true }));
  const body = { model: 'r/main', reasoning: { effort: 'low' } };
  const headers = { 'x-openrouter-metadata': 'enabled' };
  const ruled = jsonOf(await gateway.ask(body, headers));
  const named = { routing_rule: 'one', requested_model: 'r/main' };
  expect(ruled).toMatchObject({ model: 'r/ruled', openrouter_metadata: { ...named, requested: 'r/ruled' } });
  expect(jsonOf(await gateway.get(`/api/v1/generation?id=${ruled['id'] as string}`))).toMatchObject({
    data: { ...named, model: 'r/ruled' },
  });
  const other = jsonOf(await gateway.ask({ model: 'r/main' }, headers));
  expect(other['openrouter_metadata']).not.toHaveProperty('routing_rule');
  const { data } = jsonOf(await gateway.get(`/api/v1/generation?id=${other['id'] as string}`));
  expect(data).not.toHaveProperty('routing_rule');
  const { data: found } = jsonOf(await gateway.get('/admin/v1/generations?where=rule:one', MANAGEMENT_KEY));
  expect(found).toMatchObject([{ id: ruled['id'] }]);
});

async function explain({ post }: RoutedGateway, body: object, query = ''): Promise<RoutingExplanation> {
  const chat = { model: 'r/main', messages: [{ role: 'user', content: 'q' }], ...body };
  const response = await post('/admin/v1/explain', chat, {
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}` },
    query,
  });
  return routingExplanationSchema.parse(jsonOf(response)['data']);
}

test('the explanation says of each rule whether it is applied, or why not', async () => {
  const gateway = openRuled(
    ruleOf({ thinking: true, minTools: 2 }, { name: 'thinking' }),
    ruleOf({}, { name: 'typo', model: 'r/none' }),
    ruleOf({ subAgent: true }, { name: 'sub', model: 'r/second' }),
    ruleOf({ formats: ['chat'], keys: ['dev'] }, { name: 'chat' }),
    ruleOf({}, { name: 'last' }),
  );
  const outcomesOf = ({ rules = [] }: RoutingExplanation) =>
    rules.map(({ outcome, condition }) => (condition === null ? outcome : `${outcome}: ${condition}`));
  const hash = gateway.platform.sha256(API_KEY) as string;
  const plain = await explain(gateway, {}, `key=${hash}`);
  expect(outcomesOf(plain)).toEqual([
    'not_met: thinking',
    'unknown_model',
    'not_met: sub_agent',
    'not_met: keys',
    'applied',
  ]);
  expect(plain).toMatchObject({ routing_rule: 'last', requested_model: 'r/main', models: ['r/ruled'] });
  // `door` is the former name.
  for (const name of ['format', 'door']) {
    const sub = await explain(gateway, { reasoning: { effort: 'low' } }, `subagent=true&${name}=messages`);
    expect(outcomesOf(sub)).toEqual(['not_met: min_tools', 'unknown_model', 'applied', 'not_reached', 'not_reached']);
    expect(sub).toMatchObject({ routing_rule: 'sub', models: ['r/second'] });
  }
  expect(await explain(openRuled(), {})).not.toHaveProperty('rules');
});
