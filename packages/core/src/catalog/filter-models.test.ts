import { expect, test } from 'vitest';

import { toDataRegion } from '../wire/fields.ts';
import { type Catalog, createCatalog } from './catalog.ts';
import { filterModels, modelListQuerySchema } from './filter-models.ts';

const catalog = createCatalog(
  [
    { slug: 'acme', name: 'Acme Inc', dataPolicy: { training: false, retainsPrompts: false }, region: 'eu-west-1' },
    { slug: 'beta', name: 'Beta', dataPolicy: { training: null, retainsPrompts: null }, region: 'gov' },
  ],
  [
    {
      id: 'acme/small',
      name: 'Small Talker',
      created: 100,
      distillable: true,
      benchmarks: { coding_index: 40, tool_success_rate: 0.9 },
      context_length: 8e3,
      architecture: { tokenizer: 'GPT' },
      endpoints: [
        {
          provider: 'acme',
          providerModel: 's',
          pricing: {
            prompt: '0.000001',
            completion: '0.000002',
          },
          supported_parameters: ['tools', 'seed'],
        },
      ],
    },
    {
      id: 'beta/large',
      name: 'Large',
      created: 300,
      distillable: false,
      benchmarks: { coding_index: 60 },
      context_length: 2e5,
      architecture: {
        input_modalities: ['text', 'image'],
        output_modalities: ['text', 'image'],
      },
      endpoints: [
        {
          provider: 'beta',
          providerModel: 'l',
          pricing: {
            prompt: '0.00001',
            completion: '0.00005',
          },
          supported_parameters: ['tools'],
        },
      ],
    },
    { id: 'acme/unpriced', created: 200, endpoints: [{ provider: 'acme', providerModel: 'u' }] },
    {
      id: 'beta/painter',
      architecture: { output_modalities: ['image'] },
      endpoints: [
        {
          provider: 'beta',
          providerModel: 'p',
          pricing: {
            prompt: '0',
            completion: '0',
          },
        },
      ],
    },
  ],
);

/** Ten days after the middle one was created. */
const NOW = (200 + 10 * 86_400) * 1000;

const ids = (query: Record<string, string>, { list }: Pick<Catalog, 'list'> = catalog): string[] =>
  filterModels(list(), modelListQuerySchema.parse(query), {
    now: NOW,
    toTags: catalog.providerNames.toTags,
    dataRegionOf: (name) => (name === 'gov' ? 'us' : toDataRegion(name)),
  }).map(({ id }) => id);

test.each<[Record<string, string>, string[]]>([
  [{}, ['acme/small', 'beta/large', 'acme/unpriced']],
  [{ output_modalities: 'all' }, ['acme/small', 'beta/large', 'acme/unpriced', 'beta/painter']],
  [{ output_modalities: 'image' }, ['beta/large', 'beta/painter']],
  [{ output_modalities: 'image, text' }, ['acme/small', 'beta/large', 'acme/unpriced', 'beta/painter']],
  [{ output_modalities: 'video' }, []],
  [{ input_modalities: 'text,image' }, ['beta/large']],
  [{ input_modalities: 'all' }, ['acme/small', 'beta/large', 'acme/unpriced']],
  [{ supported_parameters: 'tools' }, ['acme/small', 'beta/large']],
  [{ supported_parameters: 'tools,seed' }, ['acme/small']],
  [{ q: 'TALK' }, ['acme/small']],
  [{ q: 'beta/' }, ['beta/large']],
  [{ q: '%' }, []],
  [{ q: '' }, ['acme/small', 'beta/large', 'acme/unpriced']],
  [{ context: '8000' }, ['acme/small', 'beta/large']],
  [{ context: '8001' }, ['beta/large']],
  [{ arch: 'gpt' }, ['acme/small']],
  [{ model_authors: 'acme' }, ['acme/small', 'acme/unpriced']],
  [{ providers: 'beta' }, ['beta/large']],
  [{ providers: 'BETA' }, ['beta/large']],
  [{ providers: 'Acme Inc' }, ['acme/small', 'acme/unpriced']],
  [{ providers: 'nobody' }, []],
  [{ region: 'eu-west-1' }, ['acme/small', 'acme/unpriced']],
  [{ region: 'europe' }, ['acme/small', 'acme/unpriced']],
  [{ region: 'EU' }, ['acme/small', 'acme/unpriced']],
  [{ region: 'us' }, ['beta/large']],
  [{ region: 'gov' }, ['beta/large']],
  [{ region: 'us-east-1' }, []],
  [{ region: 'global' }, []],
  [{ region: 'eu' }, ['acme/small', 'acme/unpriced']],
  [{ zdr: 'true' }, ['acme/small', 'acme/unpriced']],
  [{ zdr: 'false' }, ['acme/small', 'beta/large', 'acme/unpriced']],
  [{ min_price: '1' }, ['acme/small', 'beta/large']],
  [{ min_price: '1.5' }, ['beta/large']],
  [{ max_price: '1' }, ['acme/small']],
  [{ max_price: '0.5' }, []],
  [{ min_output_price: '50' }, ['beta/large']],
  [{ max_output_price: '2' }, ['acme/small']],
  [{ distillable: 'true' }, ['acme/small']],
  [{ min_coding_index: '40' }, ['acme/small', 'beta/large']],
  [{ min_coding_index: '41' }, ['beta/large']],
  [{ max_coding_index: '59.5' }, ['acme/small']],
  [{ min_tool_success_rate: '0.5' }, ['acme/small']],
  [{ max_intelligence_index: '100' }, []],
  [{ sort: 'coding-high-to-low' }, ['beta/large', 'acme/small', 'acme/unpriced']],
  [{ distillable: 'false' }, ['beta/large', 'acme/unpriced']],
  [{ min_age_days: '10' }, ['acme/small', 'acme/unpriced']],
  [{ max_age_days: '10' }, ['beta/large', 'acme/unpriced']],
  [{ min_age_days: '0', output_modalities: 'all' }, ['acme/small', 'beta/large', 'acme/unpriced']],
  [{ category: 'programming', unknown: 'x' }, ['acme/small', 'beta/large', 'acme/unpriced']],
])('keeps of the models for %j: %j', (query, expected) => {
  expect(ids(query)).toEqual(expected);
});

test.each<[string, string[]]>([
  ['newest', ['beta/large', 'acme/unpriced', 'acme/small']],
  ['pricing-low-to-high', ['acme/small', 'beta/large', 'acme/unpriced']],
  ['pricing-high-to-low', ['beta/large', 'acme/small', 'acme/unpriced']],
  ['context-high-to-low', ['beta/large', 'acme/small', 'acme/unpriced']],
  ['most-popular', ['acme/small', 'beta/large', 'acme/unpriced']],
])('sorts by %s, those without the datum last', (sort, expected) => {
  expect(ids({ sort })).toEqual(expected);
});

test('keeps the order of the list among those that rank the same', () => {
  expect(ids({ sort: 'context-high-to-low', output_modalities: 'all' })).toEqual([
    'beta/large',
    'acme/small',
    'acme/unpriced',
    'beta/painter',
  ]);
});

test('takes free for a price, and the lowest', () => {
  expect(ids({ sort: 'pricing-low-to-high', output_modalities: 'all' })).toEqual([
    'beta/painter',
    'acme/small',
    'beta/large',
    'acme/unpriced',
  ]);
});

test('sorts by the average of the prices of prompt and completion', () => {
  const dear = { prompt: '0.000001', completion: '0.00002' };
  const even = { prompt: '0.000002', completion: '0.000002' };
  const models = [dear, even].map((pricing, index) => ({
    id: `acme/${index}`,
    endpoints: [{ provider: 'acme', providerModel: 'm', pricing }],
  }));
  const acme = { slug: 'acme', name: 'Acme', dataPolicy: { training: null, retainsPrompts: null } };
  expect(ids({ sort: 'pricing-low-to-high' }, createCatalog([acme], models))).toEqual(['acme/1', 'acme/0']);
});

test.each([
  ['limit', '0'],
  ['limit', '1001'],
  ['limit', 'ten'],
  ['limit', '1.5'],
  ['offset', '-1'],
  ['offset', 'Infinity'],
  ['context', 'big'],
  ['min_price', '-1'],
  ['max_price', 'cheap'],
  ['zdr', 'yes'],
  ['sort', 'nicest'],
  ['sort', 'constructor'],
  ['category', 'cooking'],
  ['distillable', 'maybe'],
  ['min_age_days', '-1'],
  ['max_age_days', '1.5'],
  ['output_modalities', 'smell'],
  ['output_modalities', 'text,smell'],
])('refuses %s=%s', (name, value) => {
  const { error } = modelListQuerySchema.safeParse({ [name]: value });
  expect(error?.issues.map(({ path }) => path)).toEqual([[name]]);
});
