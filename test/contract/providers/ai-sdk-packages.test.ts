import { type ProviderNeed, providerCases } from '@model-gateway/core/testing';
import { describe, test } from 'vitest';

import { CHAT_SUBJECTS } from '../../support/ai-sdk/chat-packages.ts';

/** The packages read ahead. */
const LACKS: readonly (ProviderNeed | undefined)[] = ['chatWhole', 'readsPieces'];
const CASES = providerCases.filter(({ needs }) => !LACKS.includes(needs)).map((one) => [one.title, one] as const);

describe.for(CHAT_SUBJECTS)('a provider over %s', ([, subject]) => {
  test.for(CASES)('%s', ([, one]) => one.run(subject));
});
