import { NotLoaded } from './loaded.tsx';

interface MoreNotLoadedProps {
  /** What is shown while it is tried again: `files`. */
  readonly what: string;
  /** What is shown if it could not be loaded. */
  readonly failure: string;
  /** Why it could not be loaded: that of `useInfiniteRows`. */
  readonly error: Error | null;
  readonly query: { readonly fetchNextPage: () => unknown };
}

/** Above the rows of a list: why its next page could not be loaded, and a button that tries it again. */
export function MoreNotLoaded({ what, failure, error, query }: MoreNotLoadedProps) {
  if (error === null) return null;
  return <NotLoaded what={what} failure={failure} query={{ error, refetch: query.fetchNextPage }} />;
}
