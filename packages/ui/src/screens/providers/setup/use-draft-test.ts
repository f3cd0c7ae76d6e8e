import type { TestDraftRequest, TestDraftResult } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { testDraft } from './setup-queries.ts';

/** The test of a provider as it is typed. */
export interface DraftTest {
  /** The latest result, which stays while the next test runs; null when what it was of has changed. */
  readonly found: TestDraftResult | null;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly run: (request: TestDraftRequest) => void;
  readonly reset: () => void;
}

export function useDraftTest(): DraftTest {
  const [found, setFound] = useState<TestDraftResult | null>(null);
  const test = useMutation({ mutationFn: testDraft, onSuccess: setFound });
  return {
    found,
    error: test.error,
    isPending: test.isPending,
    run: (request) => test.mutate(request),
    reset() {
      setFound(null);
      test.reset();
    },
  };
}
