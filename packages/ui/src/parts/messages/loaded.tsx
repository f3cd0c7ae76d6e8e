import type { ReactNode } from 'react';

import { partMessages } from '../part-messages.ts';
import { ErrorPanel } from './error-panel.tsx';
import { Loading } from './states.tsx';
import { useLastingFailure } from './use-lasting-failure.ts';

/** What is needed of a query to say why its data is not there, and to load it again. */
export interface Loadable {
  readonly error: unknown;
  readonly errorUpdatedAt?: number;
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
  /** Whether data that is there stays when it could not be loaded again. */
  readonly isKept?: boolean;
  readonly children: (data: Data) => ReactNode;
}

/** Shows data once it is there; until then that it loads, or why it could not be loaded. */
export function Loaded<Data>({ data, isKept = false, children, ...rest }: LoadedProps<Data>) {
  const isShown = data !== undefined && (isKept || rest.query.error === null);
  return isShown ? children(data) : <NotLoaded {...rest} />;
}
