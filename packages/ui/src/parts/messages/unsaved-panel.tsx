import { useQuery } from '@tanstack/react-query';

import { ApiError } from '../../api/api-error.ts';
import { healthQuery } from '../../api/queries.ts';
import { FailurePanel } from './error-panel.tsx';
import { RetryPanel } from './retry-panel.tsx';
import { toStoreTrouble } from './store-trouble.ts';

interface UnsavedPanelProps {
  readonly error: unknown;
  readonly title?: string;
  /** What is as it was, where nothing has been typed: `Nothing was changed`. */
  readonly kept?: string;
  /** Sends what is entered now, as the form's own button does. */
  readonly onRetry: () => void;
}

/**
 * Shows why a change was not made. Where nothing is wrong with the change, as while the database is away, it says that
 * what is entered stays, and sends it again when asked.
 */
export function UnsavedPanel(props: UnsavedPanelProps) {
  const { error, title = 'Not saved', kept = 'What you entered stays here', onRetry } = props;
  const { data: health } = useQuery({ ...healthQuery, enabled: false });
  if (!(error instanceof ApiError) || (error.status !== 503 && error.status !== 0))
    return <FailurePanel error={error} title={title} />;
  const absence = error.status === 0 ? `${error.message}.` : toStoreTrouble(health);
  return (
    <RetryPanel title={title} onRetry={onRetry}>
      {absence === undefined ? `${error.message}. ${kept}.` : `${absence} ${kept}; try again when it is back.`}
    </RetryPanel>
  );
}
