import type { TestDraftResult } from '@model-gateway/core/wire';

import { type LayerTest, useLayerTest } from '../use-layer-test.ts';
import { DRAFT_TESTS } from './setup-queries.ts';

/** The test of a provider as it is typed. */
export type DraftTest = LayerTest<TestDraftResult>;

export const useDraftTest = (): DraftTest => useLayerTest(DRAFT_TESTS);
