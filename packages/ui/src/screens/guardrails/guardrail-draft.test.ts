import type { Guardrail } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { countRules, toGuardrailChange, toGuardrailDraft, toReversal, withBuiltin } from './guardrail-draft.ts';

const guardrail: Guardrail = {
  id: 'g',
  name: 'G',
  workspace_id: null,
  description: null,
  limit_usd: 5,
  reset_interval: 'daily',
  include_byok_in_budgets: false,
  allowed_models: ['a/b', 'c/d'],
  ignored_models: null,
  allowed_providers: null,
  ignored_providers: null,
  allowed_data_regions: null,
  enforce_zdr: null,
  enforce_zdr_anthropic: null,
  enforce_zdr_openai: null,
  enforce_zdr_google: null,
  enforce_zdr_xai: null,
  enforce_zdr_other: null,
  enable_paid_model_training: null,
  enable_free_model_training: null,
  enable_free_model_publication: null,
  content_filter_builtins: [{ slug: 'email', action: 'redact', direction: 'both' }],
  content_filters: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: null,
};
const draft = toGuardrailDraft(guardrail);

test('sends only what was changed', () => {
  expect(toGuardrailChange(draft, draft)).toEqual({});
  expect(toGuardrailChange({ ...draft, limit: '', forbidsTraining: true }, draft)).toEqual({
    limit_usd: null,
    enable_paid_model_training: false,
    enable_free_model_training: false,
  });
});

test('sends a list whole, and an emptied one as none', () => {
  expect(toGuardrailChange({ ...draft, allowedModels: ['a/b', 'x/y'] }, draft)).toEqual({
    allowed_models: ['a/b', 'x/y'],
  });
  expect(toGuardrailChange({ ...draft, allowedModels: [] }, draft)).toEqual({ allowed_models: null });
});

test('takes back what was changed, also what went with it, and nothing else', () => {
  const after: Guardrail = {
    ...guardrail,
    limit_usd: null,
    enforce_zdr: true,
    enforce_zdr_openai: true,
    updated_at: '2026-01-02T00:00:00Z',
  };
  const change = { limit_usd: null, enforce_zdr: true };
  expect(toReversal(guardrail, after, change)).toEqual({ limit_usd: 5, enforce_zdr: null, enforce_zdr_openai: null });
  expect(toReversal(guardrail, after, { enforce_zdr: true })).not.toHaveProperty('limit_usd');
  expect(toReversal(guardrail, guardrail, change)).toEqual({});
});

test('keeps what else is set of a filter when its action changes', () => {
  expect(withBuiltin(draft.builtins, 'email', 'block')).toEqual([
    { slug: 'email', action: 'block', direction: 'both' },
  ]);
  expect(withBuiltin(draft.builtins, 'email', 'off')).toEqual([]);
  expect(withBuiltin([], 'phone', 'flag')).toEqual([{ slug: 'phone', action: 'flag' }]);
});

test('counts rules of every kind', () => {
  expect(countRules(guardrail)).toBe(3);
});
