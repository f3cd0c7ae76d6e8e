import type { ReactNode } from 'react';

import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { EmptyState, Loading, ScreenHeader } from '../../parts/messages/states.tsx';

interface ThingStateProps {
  /** `key`, `provider`. */
  readonly what: string;
  readonly name: string;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly isMissing: boolean;
  /** Where to look instead. */
  readonly children: ReactNode;
}

/** A page whose thing is not there yet, or not at all. */
export function ThingState({ what, name, error, onRetry, isMissing, children }: ThingStateProps) {
  return (
    <div className="mx-auto flex w-full max-w-7xl flex-col gap-4 p-4 md:p-6">
      <ScreenHeader title={name} />
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
