import type { TestDraftResult } from '@model-gateway/core/wire';
import { useEffect, useRef, useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { openApi } from '../../api/call-api.ts';
import { readJsonLines } from '../../api/read-stream.ts';
import { providerMessages } from './messages.ts';
import type { ProviderFinding } from './provider-queries.ts';
import { DRAFT_TESTS } from './setup/setup-queries.ts';

/** What the whole of a test says, besides what is of its operation. */
interface TestResult {
  readonly ok: boolean;
  readonly findings: readonly ProviderFinding[];
}

/** A test of a provider, whose findings come one by one. */
export interface LayerTest<Result extends TestResult> {
  /** What the test that runs, or was stopped, has found so far. */
  readonly findings: readonly ProviderFinding[];
  /** The latest result, which stays while the next test runs; null when what it was of has changed. */
  readonly found: Result | null;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly wasStopped: boolean;
  readonly run: (body: object) => void;
  readonly stop: () => void;
  readonly reset: () => void;
}

type Line<Result> = { readonly finding: ProviderFinding } | { readonly data: Result };

const IDLE = { findings: [], error: null, isPending: false, wasStopped: false } as const;
type Progress = Pick<LayerTest<TestResult>, 'findings' | 'error' | 'isPending' | 'wasStopped'>;

/** Runs tests by an operation that streams its findings. A test ends with the part of the page that shows it. */
export function useLayerTest<Result extends TestResult>(path: string): LayerTest<Result> {
  const [progress, setProgress] = useState<Progress>(IDLE);
  const [found, setFound] = useState<Result | null>(null);
  const running = useRef<AbortController>(null);
  const leave = (): void => {
    running.current?.abort();
    running.current = null;
  };
  useEffect(() => () => running.current?.abort(), []);
  const run = async (body: object): Promise<void> => {
    leave();
    const { signal } = (running.current = new AbortController());
    setProgress({ ...IDLE, isPending: true });
    const update = (change: Partial<Progress>): void => {
      if (!signal.aborted) setProgress((before) => ({ ...before, ...change }));
    };
    try {
      const findings: ProviderFinding[] = [];
      const result = await followTest<Result>(path, { body, signal }, (finding) => {
        findings.push(finding);
        update({ findings: [...findings] });
      });
      if (!signal.aborted) setFound(result);
      update({ isPending: false });
    } catch (error) {
      update({ isPending: false, error });
    }
  };
  return {
    ...progress,
    found,
    run: (body) => void run(body),
    stop() {
      leave();
      setProgress((before) => ({ ...before, isPending: false, wasStopped: true }));
    },
    reset() {
      leave();
      setFound(null);
      setProgress(IDLE);
    },
  };
}

/** Resolves with the result of a test, of whose findings it tells as they come. Throws `ApiError`. */
async function followTest<Result>(
  path: string,
  { body, signal }: { readonly body: object; readonly signal: AbortSignal },
  onFinding: (finding: ProviderFinding) => void,
): Promise<Result> {
  const response = await openApi(path, { method: 'POST', body: { ...body, stream: true }, signal });
  try {
    for await (const line of response.body === null ? [] : readJsonLines<Line<Result>>(response.body)) {
      if ('data' in line) return line.data;
      onFinding(line.finding);
    }
  } catch (error) {
    if (signal.aborted) throw error;
  }
  throw new ApiError(providerMessages().test.interrupted, { status: 0, errorType: 'unreachable' });
}

/** The test of a provider as it is typed. */
export type DraftTest = LayerTest<TestDraftResult>;

export const useDraftTest = (): DraftTest => useLayerTest(DRAFT_TESTS);
