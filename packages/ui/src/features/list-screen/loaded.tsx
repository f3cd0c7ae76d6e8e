import type { ReactNode } from 'react';

import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { Loading } from '../../parts/messages/states.tsx';

/** What is needed of a query to say why its data is not there, and to load it again. */
interface Loadable {
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** What is loaded, and how it is shown. */
export interface LoadedProps<Data> {
  /** What is said while it loads: `keys`, `the model`. */
  readonly what: string;
  /** What is said when it could not be loaded. */
  readonly failure?: string | undefined;
  readonly query: Loadable;
  readonly data: Data | undefined;
  /** Whether data that is there stays when it could not be loaded again. */
  readonly isKept?: boolean;
  readonly children: (data: Data) => ReactNode;
}

/** Shows data once it is there; until then that it loads, or why it could not be loaded. */
export function Loaded<Data>({ what, failure, query, data, isKept = false, children }: LoadedProps<Data>) {
  const { error, refetch } = query;
  if (error !== null && (data === undefined || !isKept))
    return (
      <div className="p-4">
        <ErrorPanel error={error} {...(failure !== undefined && { title: failure })} onRetry={() => void refetch()} />
      </div>
    );
  return data === undefined ? <Loading what={what} /> : children(data);
}
