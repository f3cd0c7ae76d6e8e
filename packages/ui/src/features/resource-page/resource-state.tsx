import type { ReactNode } from 'react';

import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { EmptyState, Loading } from '../../parts/messages/states.tsx';
import { showControls } from '../../parts/text/show-controls.ts';

interface ResourceStateProps {
  /** `key`, `provider`. */
  readonly what: string;
  readonly name: string;
  readonly back: ReactNode;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly isMissing: boolean;
  /** Where to look instead. */
  readonly children: ReactNode;
}

/** A page whose thing is not there yet, or not at all. */
export function ResourceState({ what, name, back, error, onRetry, isMissing, children }: ResourceStateProps) {
  return (
    <div className="mx-auto flex w-full max-w-7xl flex-col gap-4 p-4 md:p-6">
      <header className="flex flex-col gap-1">
        {back}
        <h1 className="text-xl font-semibold tracking-tight break-words">{showControls(name)}</h1>
      </header>
      {isMissing ? (
        <EmptyState title={`There is no such ${what} here`}>{children}</EmptyState>
      ) : error !== null ? (
        <ErrorPanel error={error} title={`The ${what} could not be loaded`} onRetry={onRetry} />
      ) : (
        <Loading what={`the ${what}`} />
      )}
    </div>
  );
}
