import { useQuery } from '@tanstack/react-query';
import { CircleAlert, RotateCw } from 'lucide-react';

import { ApiError, toRemedy } from '../../api/api-error.ts';
import { healthQuery } from '../../api/queries.ts';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { showControls } from '../text/show-controls.ts';
import { toErrorReport } from './error-report.ts';
import { RetryPanel } from './retry-panel.tsx';
import { toStoreTrouble } from './store-trouble.ts';

interface ErrorPanelProps {
  readonly error: unknown;
  readonly title?: string;
  /** Loads again what could not be loaded. */
  readonly onRetry?: () => void;
}

/** Shows the error, its place and a remedy; never empty, and copyable. */
export function ErrorPanel(props: ErrorPanelProps) {
  const { data: health } = useQuery({ ...healthQuery, enabled: false });
  const { error, title, onRetry } = props;
  const reason = toStoreTrouble(health);
  if (reason !== undefined && onRetry !== undefined && error instanceof ApiError && error.status === 503) {
    return (
      <RetryPanel title={title} onRetry={onRetry}>
        {reason} This loads by itself afterwards.
      </RetryPanel>
    );
  }
  return <FailurePanel {...props} />;
}

/** For what is no loading: a call that failed, even if it can be made again. */
export function FailurePanel({ error, title = 'That did not work', onRetry }: ErrorPanelProps) {
  const issues = error instanceof ApiError ? error.issues : [];
  // The message of a single issue is that of the error.
  const isToldAlready = issues.every(({ message }) => error instanceof Error && error.message.includes(message));
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-bad/50 bg-bad-soft/60 p-3 text-sm">
      <CircleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {title}
          {error instanceof ApiError && error.status > 0 && (
            <span className="font-normal text-ink-soft">
              {' '}
              · {error.status} {error.errorType}
            </span>
          )}
        </p>
        <p className="break-words">{showControls(error instanceof Error ? error.message : String(error))}</p>
        {!isToldAlready && (
          <ul className="mt-1 list-disc pl-5">
            {issues.map((issue) => (
              <li key={`${issue.path} ${issue.message}`}>
                {issue.path !== '' && <code className="font-mono text-xs">{issue.path}</code>}{' '}
                {showControls(issue.message)}
              </li>
            ))}
          </ul>
        )}
        <p className="mt-1 text-ink-soft">{toRemedy(error)}</p>
        <div className="mt-2 flex flex-wrap gap-2">
          {onRetry !== undefined && (
            <Button icon={<RotateCw size={14} aria-hidden />} onClick={onRetry}>
              Try again
            </Button>
          )}
          <CopyButton look="quiet" text={() => toErrorReport(error)} label="Copy report" />
        </div>
      </div>
    </div>
  );
}
