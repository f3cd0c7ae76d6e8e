import type { GenerationSplit } from '@model-gateway/core';

/** The columns by whose values histograms can be split. */
export const SPLIT_COLUMNS: Readonly<Record<GenerationSplit, string>> = {
  model: 'model',
  provider: 'provider_name',
  key: 'principal_id',
  member: 'user_id',
  app: 'app',
  session: 'session_id',
};
