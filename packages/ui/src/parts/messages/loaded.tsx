import { type ReactNode, useEffect, useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { partMessages } from '../part-messages.ts';
import { ErrorPanel } from './error-panel.tsx';
import { Loading } from './states.tsx';
import { useLastingFailure } from './use-lasting-failure.ts';

/** What is needed of a query to say why its data is not there, and to load it again. */
export interface Loadable {
  readonly error: unknown;
  readonly errorUpdatedAt?: number;
  /** Whether that is why there are no more rows, rather than why those that are there are no newer. */
  readonly isFetchNextPageError?: boolean;
  readonly refetch: () => unknown;
}

interface NotLoadedProps {
  /** What is shown while it loads: `keys`, `the model`. */
  readonly what: string;
  /** What is shown if it could not be loaded. */
  readonly failure?: string | undefined;
  readonly query: Loadable;
  /** Whether it stands where there is room around it already. */
  readonly isFlush?: boolean;
}

/** In place of data that is not there: why it could not be loaded, or that it loads. */
export function NotLoaded({ what, failure, query, isFlush = false }: NotLoadedProps) {
  const error = useLastingFailure(query);
  if (error === null) return <Loading what={what} />;
  const title = failure ?? partMessages().error.notLoaded(what);
  const panel = <ErrorPanel error={error} title={title} onRetry={() => void query.refetch()} />;
  return isFlush ? panel : <div className="p-4">{panel}</div>;
}

/** What is loaded, and how it is shown. */
export interface LoadedProps<Data> extends NotLoadedProps {
  readonly data: Data | undefined;
  readonly children: (data: Data) => ReactNode;
}

/**
 * Shows data once it is there; until then that it loads, or why it could not be loaded. What is there stays when it
 * cannot be loaded again, because it may hold a form that is being filled in. Why it is no newer is told above it.
 */
export function Loaded<Data>({ data, children, ...rest }: LoadedProps<Data>) {
  if (data === undefined) return <NotLoaded {...rest} />;
  return (
    <>
      <NotRefreshed {...rest} />
      {children(data)}
    </>
  );
}

/** A failure that is over sooner is not told: what is below would move down and up again. */
const TOLD_AFTER_MS = 10_000;

function NotRefreshed({ query, ...rest }: NotLoadedProps) {
  const { error, isFetchNextPageError: isOfNextPage = false } = query;
  // The head of the page tells of a gateway or a database that is away, and the end of a list of its next page.
  const isToldElsewhere = isOfNextPage || (error instanceof ApiError && (error.status === 0 || error.status === 503));
  const isFailing = error !== null && !isToldElsewhere;
  const [isTold, setTold] = useState(false);
  useEffect(() => {
    if (!isFailing) return;
    const timer = setTimeout(() => setTold(true), TOLD_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setTold(false);
    };
  }, [isFailing]);
  return isFailing && isTold && <NotLoaded {...rest} query={query} />;
}
