import { CircleAlert } from 'lucide-react';

import type { GenerationContent } from '../../../api/types.ts';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';

type PreviousError = NonNullable<GenerationContent['error']>['previous_errors'][number];

export function ErrorNote({ error }: { error: NonNullable<GenerationContent['error']> }) {
  return (
    <section aria-label="Error" className="rounded-lg border border-bad/50 bg-bad-soft/60 p-3 text-sm">
      <h2 className="flex items-center gap-2 font-medium">
        <CircleAlert size={16} aria-hidden className="text-bad" />
        {error.status !== null && `${error.status} · `}
        {error.provider_name ?? 'The gateway'}
      </h2>
      {error.message !== null && <PlainText text={error.message} />}
      {error.raw !== null && (
        <details className="mt-2">
          <summary>What the provider said</summary>
          <PlainText text={error.raw} />
        </details>
      )}
      {error.previous_errors.length > 0 && (
        <ol className="mt-2 list-decimal pl-5">
          {error.previous_errors.map((previous, at) => (
            <li key={at}>
              {previous.code} {showControls(toNamed(previous))}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** The message with the provider before it, where it does not begin with the name itself. */
function toNamed({ provider_name: name, message }: PreviousError): string {
  return name === undefined || message.startsWith(name) ? message : `${name}: ${message}`;
}
