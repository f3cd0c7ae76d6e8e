import { type Loadable, NotLoaded } from './loaded.tsx';

interface MoreNotLoadedProps {
  /** What is shown while it is tried again: `files`. */
  readonly what: string;
  /** What is shown if it could not be loaded. */
  readonly failure: string;
  readonly query: Loadable & { readonly fetchNextPage: () => unknown };
}

/** Above the rows of a list: why its next page could not be loaded, and a button that tries it again. */
export function MoreNotLoaded({ what, failure, query }: MoreNotLoadedProps) {
  if (query.isFetchNextPageError !== true) return null;
  return <NotLoaded what={what} failure={failure} query={{ error: query.error, refetch: query.fetchNextPage }} />;
}
