import type { GuardrailTestResult } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { formatMoment } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { ACTION_TONES } from './text-tester.tsx';

const MAX_GENERATIONS = 100;

export function DryRun({ guardrailId, isChanged }: { guardrailId: string; isChanged: boolean }) {
  const [count, setCount] = useState(MAX_GENERATIONS);
  const run = useMutation({
    mutationFn: () =>
      callApi<{ data: GuardrailTestResult }>(`/admin/v1/guardrails/${guardrailId}/test`, {
        method: 'POST',
        body: { generations: count },
      }),
  });
  const result = run.data?.data.generations;
  return (
    <div className="scroll-thin flex h-full flex-col gap-3 overflow-y-auto p-4">
      {isChanged && (
        <p className="rounded-lg bg-caution-soft p-2.5 text-sm text-caution">What is not saved yet is not tried.</p>
      )}
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <label className="flex items-center gap-2">
          The latest
          <input
            type="number"
            min={1}
            max={MAX_GENERATIONS}
            className="field w-20"
            value={count}
            onChange={(event) => setCount(Math.min(MAX_GENERATIONS, Math.max(1, event.target.valueAsNumber || 1)))}
          />
          generations
        </label>
        <Button look="primary" isBusy={run.isPending} onClick={() => run.mutate()}>
          Dry run
        </Button>
      </div>
      {run.error !== null && <ErrorPanel error={run.error} title="It could not be run" />}
      {result != null && (
        <>
          <p role="status" className="figures text-sm">
            Of {result.tested}: <b>{result.blocked}</b> would be blocked, <b>{result.redacted}</b> redacted,{' '}
            <b>{result.flagged}</b> flagged, <b>{result.excluded}</b> served by another provider or none.
            {result.without_content > 0 &&
              ` Of ${result.without_content} nobody knows, because their contents were not stored.`}
          </p>
          <ul className="flex flex-col gap-2">
            {result.results.map(({ id, model, created_at: at, input, output, excluded }) => (
              <li key={id} className="rounded-lg border border-line p-3 text-sm">
                <div className="flex flex-wrap items-center gap-2">
                  <time dateTime={at} className="figures text-ink-faint">
                    {formatMoment(at)}
                  </time>
                  <span className="font-medium">{model}</span>
                  <span className="flex-1" />
                  <Link to="/generations/$id" params={{ id }} className="text-accent underline">
                    Open
                  </Link>
                </div>
                <div className="mt-1 flex flex-wrap gap-2">
                  {input !== null && input.action !== 'allow' && (
                    <Badge tone={ACTION_TONES[input.action] ?? 'neutral'}>prompt: {input.action}</Badge>
                  )}
                  {output !== null && output.action !== 'allow' && (
                    <Badge tone={ACTION_TONES[output.action] ?? 'neutral'}>answer: {output.action}</Badge>
                  )}
                  {excluded !== null && (
                    <Badge tone="bad">
                      {excluded.provider}: {excluded.rule}
                    </Badge>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
