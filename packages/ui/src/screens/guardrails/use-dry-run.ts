import type { GuardrailDryRunLine } from '@model-gateway/core/wire';
import { useCallback, useEffect, useRef, useState } from 'react';

import { openApi } from '../../api/call-api.ts';
import { readLines } from '../../api/read-stream.ts';

/** What to try, and on which calls: the body of the request. */
export interface DryRunRequest {
  readonly guardrail_id: string;
  readonly change?: Record<string, unknown>;
  readonly filter: Readonly<Record<string, string>>;
}

interface DryRunState {
  readonly state: 'idle' | 'running' | 'done' | 'stopped' | 'failed';
  /** How far it has come. */
  readonly line: GuardrailDryRunLine | null;
  /** Those of all lines. */
  readonly examples: GuardrailDryRunLine['examples'];
  readonly error: unknown;
}

const IDLE: DryRunState = { state: 'idle', line: null, examples: [], error: null };

/** A dry run that ends when it is stopped, begun anew, or no longer shown. */
export function useDryRun() {
  const [run, setRun] = useState<DryRunState>(IDLE);
  const aborting = useRef<AbortController | null>(null);
  useEffect(() => () => aborting.current?.abort(), []);

  const start = useCallback(async (request: DryRunRequest): Promise<void> => {
    aborting.current?.abort();
    const own = new AbortController();
    aborting.current = own;
    /** A run that another has taken the place of says nothing more. */
    const tell = (change: (before: DryRunState) => DryRunState): void => {
      if (aborting.current === own && !own.signal.aborted) setRun(change);
    };
    setRun({ ...IDLE, state: 'running' });
    try {
      const { signal } = own;
      const response = await openApi('/admin/v1/guardrails/dry-runs', { method: 'POST', body: request, signal });
      if (response.body === null) throw new Error('The gateway sent nothing');
      let isDone = false;
      for await (const text of readLines(response.body)) {
        const line = JSON.parse(text) as GuardrailDryRunLine;
        isDone = line.done;
        tell(({ examples }) => ({
          state: line.done ? 'done' : 'running',
          line,
          examples: line.examples.length === 0 ? examples : [...examples, ...line.examples],
          error: null,
        }));
      }
      if (!isDone) throw new Error('It broke off before its end; what it had found until then is below');
    } catch (error) {
      tell((before) => ({ ...before, state: 'failed', error }));
    }
  }, []);
  const stop = useCallback((): void => {
    setRun((before) => (before.state === 'running' ? { ...before, state: 'stopped' } : before));
    aborting.current?.abort();
  }, []);
  return { ...run, start, stop };
}
