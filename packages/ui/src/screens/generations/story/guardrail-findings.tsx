import type { Generation } from '@model-gateway/core/wire';

import { Badge } from '../../../parts/badge.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';

/** What guardrails, plugins and tools did to a call. */
export function GuardrailFindings({ stages }: { stages: NonNullable<Generation['pipeline']> }) {
  return (
    <ol aria-label="Findings" className="flex flex-col gap-2">
      {stages.map((stage, at) => (
        <li key={at} className="rounded-lg border border-line p-3 text-sm">
          <div className="flex flex-wrap items-center gap-2">
            <Badge tone="caution">{showControls(stage.type)}</Badge>
            <span className="font-medium break-words">{showControls(stage.name)}</span>
          </div>
          <pre
            tabIndex={0}
            aria-label={`Facts of ${stage.name}`}
            className="scroll-thin mt-2 overflow-x-auto font-mono text-xs text-ink-soft"
          >
            {JSON.stringify(stage['data'] ?? stage, null, 2)}
          </pre>
        </li>
      ))}
    </ol>
  );
}
