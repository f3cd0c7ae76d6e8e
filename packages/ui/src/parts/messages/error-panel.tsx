import type { Health, Trouble } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, RotateCw, TriangleAlert } from 'lucide-react';
import { type ReactNode, useRef } from 'react';

import { ApiError, toRemedy, messageOf } from '../../api/api-error.ts';
import { healthQuery } from '../../api/queries.ts';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { partMessages } from '../part-messages.ts';
import { showControls } from '../text/show-controls.ts';
import { useSharedFailure } from './shared-failures.ts';

interface ErrorPanelProps {
  readonly error: unknown;
  readonly title?: string | undefined;
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
        {partMessages().error.loadsByItself(reason)}
      </RetryPanel>
    );
  }
  return onRetry === undefined ? <FailurePanel {...props} /> : <LoadFailure {...props} onRetry={onRetry} />;
}

/** Says why something could not be loaded; its title alone where a panel before it says why. */
function LoadFailure({ error, title, onRetry }: ErrorPanelProps & { readonly onRetry: () => void }) {
  const panel = useRef<HTMLDivElement>(null);
  const { isTold, retryAll } = useSharedFailure(panel, toErrorText(error), onRetry);
  return (
    // One element, whichever is shown in it: its place on the page decides which that is.
    <div ref={panel} className="contents">
      {isTold ? (
        <div
          role="alert"
          className="flex items-center gap-3 rounded-lg border border-bad/50 bg-bad-soft/60 px-3 py-2 text-sm"
        >
          <CircleAlert size={18} className="shrink-0 text-bad" />
          <p className="min-w-0">
            <FailureTitle error={error} title={title} />
          </p>
        </div>
      ) : (
        <FailurePanel error={error} title={title} onRetry={retryAll} />
      )}
    </div>
  );
}

/** What the panel says of an error: those of one text fail alike. */
function toErrorText(error: unknown): string {
  const [status, issues] = error instanceof ApiError ? [error.status, error.issues] : [undefined, []];
  return JSON.stringify([messageOf(error), status, issues, toRemedy(error)]);
}

function FailureTitle({ error, title }: Pick<ErrorPanelProps, 'error' | 'title'>) {
  return (
    <>
      <span className="font-medium">{title ?? partMessages().error.title}</span>
      {error instanceof ApiError && error.status > 0 && (
        <span className="text-ink-soft">
          {' '}
          · {error.status} {error.errorType}
        </span>
      )}
    </>
  );
}

/** For what is no loading: a call that failed, even if it can be made again. */
export function FailurePanel({ error, title, onRetry }: ErrorPanelProps) {
  const t = partMessages();
  const issues = error instanceof ApiError ? error.issues : [];
  // The message of a single issue is that of the error.
  const isToldAlready = issues.every(({ message }) => error instanceof Error && error.message.includes(message));
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-bad/50 bg-bad-soft/60 p-3 text-sm">
      <CircleAlert size={18} className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p>
          <FailureTitle error={error} title={title} />
        </p>
        <p className="break-words">{showControls(messageOf(error))}</p>
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
            <Button icon={<RotateCw size={14} />} onClick={onRetry}>
              {t.actions.tryAgain}
            </Button>
          )}
          <CopyButton look="quiet" text={() => toErrorReport(error)} label={t.actions.copyReport} />
        </div>
      </div>
    </div>
  );
}

/** A text for a bug report: no key, no address of this machine, no prompt. */
function toErrorReport(error: unknown): string {
  const lines = [
    'Model Gateway',
    `message: ${messageOf(error)}`,
    ...(error instanceof ApiError
      ? [
          `status: ${error.status}`,
          `error_type: ${error.errorType}`,
          ...error.issues.map(({ path, message }) => `issue: ${path} ${message}`),
        ]
      : [`stack: ${error instanceof Error ? (error.stack ?? '') : ''}`]),
    `${partMessages().error.whatToDo}: ${toRemedy(error)}`,
    `browser: ${navigator.userAgent}`,
    `time: ${new Date().toISOString()}`,
  ];
  return lines.join('\n');
}

interface RetryPanelProps {
  readonly title: string | undefined;
  readonly onRetry: () => void;
  readonly children: ReactNode;
}

/** Says what passes by itself and offers to try again. Nothing is wrong with what was asked for, so it is no alarm in red. */
function RetryPanel({ title, onRetry, children }: RetryPanelProps) {
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm">
      <TriangleAlert size={18} className="mt-0.5 shrink-0 text-caution" />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          {title !== undefined && <p className="font-medium">{title}</p>}
          <p className="text-ink-soft">{children}</p>
        </div>
        <Button icon={<RotateCw size={14} />} onClick={onRetry}>
          {partMessages().actions.tryAgain}
        </Button>
      </div>
    </div>
  );
}

const STORE_TROUBLES: Partial<Record<Trouble, 'storeAway' | 'notReady'>> = {
  store_away: 'storeAway',
  store_not_ready: 'notReady',
};

/** Why nothing can be read or changed now, in a sentence; undefined where the store can be reached. */
function toStoreTrouble(health: Health | undefined): string | undefined {
  const name = health?.trouble === undefined ? undefined : STORE_TROUBLES[health.trouble];
  return name === undefined ? undefined : partMessages().error[name];
}

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
  const t = partMessages().error;
  const { error, title = t.notSaved, kept = t.inputKept, onRetry } = props;
  const { data: health } = useQuery({ ...healthQuery, enabled: false });
  if (!(error instanceof ApiError) || (error.status !== 503 && error.status !== 0))
    return <FailurePanel error={error} title={title} />;
  const absence = error.status === 0 ? `${error.message}.` : toStoreTrouble(health);
  return (
    <RetryPanel title={title} onRetry={onRetry}>
      {absence === undefined ? `${error.message}. ${kept}.` : t.keptUntilBack(kept, absence)}
    </RetryPanel>
  );
}
