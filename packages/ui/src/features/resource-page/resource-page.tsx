import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeft, Maximize2 } from 'lucide-react';
import type { ReactNode } from 'react';

import { latestCallsQuery } from '../../api/queries.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import { LinkButton } from '../../parts/controls/link-button.tsx';
import { NotLoaded, type Loadable } from '../../parts/messages/loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { useLastingFailure } from '../../parts/messages/use-lasting-failure.ts';
import { partMessages } from '../../parts/part-messages.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { ActivitySection, RecentCard } from '../activity/activity-section.tsx';
import type { OverviewSearch, Split } from '../activity/overview-search.ts';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import { resourcePageMessages } from './messages.ts';

interface ResourcePageProps {
  readonly back: ReactNode;
  readonly title: string;
  /** What identifies it beside its name. */
  readonly note?: ReactNode;
  readonly badges?: ReactNode;
  readonly actions?: ReactNode;
  /** Leaves its calls alone. */
  readonly filter: GenerationSearch;
  /** The split that is useless here, because all calls have the same value. */
  readonly without?: Split;
  readonly defaultSplit?: Split;
  /** Cards about what holds for it. */
  readonly children: ReactNode;
  /** Below the figures: what is rarely changed. */
  readonly below?: ReactNode;
}

/** A key, a member, a provider or a model on a page of its own: what holds for it, its figures and its latest calls. */
export function ResourcePage(props: ResourcePageProps) {
  const { back, title, note, badges, actions, filter, without, defaultSplit, children, below } = props;
  return (
    <div className="flex w-full flex-col gap-4 px-4 py-3">
      <header className="flex flex-col gap-1">
        {back}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <div className="min-w-0 flex-1 basis-60">
            <h1 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xl font-semibold tracking-tight">
              <span className="min-w-0 break-words">{showControls(title)}</span> {badges}
            </h1>
            {note !== undefined && <div className="text-sm text-ink-faint">{note}</div>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      </header>
      <div className="grid gap-4 lg:grid-cols-2">{children}</div>
      <Activity filter={filter} without={without} defaultSplit={defaultSplit} />
      <LatestCalls filter={filter} />
      {below}
    </div>
  );
}

/** A card of such a page. */
export function ResourceCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card min-w-0 p-4" aria-label={title}>
      <h2 className="mb-3 flex min-h-8 items-center text-base font-semibold">{title}</h2>
      {children}
    </section>
  );
}

interface ActivityProps {
  readonly filter: GenerationSearch;
  readonly without: Split | undefined;
  readonly defaultSplit: Split | undefined;
}

/** Cards one under the other, beside a long one; the last takes what is left of its height. */
export const ResourceColumn = ({ children }: { children: ReactNode }) => (
  <div className="flex min-w-0 flex-col gap-4 *:last:flex-1">{children}</div>
);

/** The charts of the overview, of these calls alone. The address holds their span and split. */
function Activity({ filter, without, defaultSplit = 'model' }: ActivityProps) {
  const search: OverviewSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <ActivitySection
      search={{ split: defaultSplit, ...search }}
      onSearch={(next) => void navigate({ to: '.', search: next as never })}
      fixed={filter}
      {...(without !== undefined && { without })}
    />
  );
}

function LatestCalls({ filter }: { filter: GenerationSearch }) {
  const t = resourcePageMessages();
  const query = useQuery(latestCallsQuery({ ...filter }));
  const failure = useLastingFailure(query);
  if (failure !== null) return <NotLoaded what={t.latest} failure={t.latestFailed} query={query} isFlush />;
  return query.data === undefined ? null : <RecentCard rows={query.data.data} filter={filter} />;
}

interface BackLinkProps {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
}

/** Leads from a page to the list that it belongs to, as `Escape` does. */
export function BackLink({ to, label }: BackLinkProps) {
  const navigate = useNavigate();
  useShortcut(
    { keys: 'Escape', label: resourcePageMessages().back, group: partMessages().thisScreen },
    () => void navigate({ to }),
  );
  return (
    <Link
      to={to}
      className="inline-flex min-h-8 items-center gap-1 self-start rounded-md pr-2 text-sm text-ink-soft hover:text-ink"
    >
      <ArrowLeft size={15} /> {label}
    </Link>
  );
}

/** Leads from a panel to the page of what it shows, which `Enter` on the row does, too. */
export const OpenPage = (props: Pick<LinkProps, 'to' | 'params'>) => (
  <LinkButton {...props}>
    <Maximize2 size={14} /> {resourcePageMessages().openPage}
  </LinkButton>
);

interface ResourceStateProps {
  /** `key`, `provider`. */
  readonly what: string;
  readonly name: string;
  readonly back: ReactNode;
  readonly query: Loadable;
  readonly isMissing: boolean;
  /** Why it may be missing. */
  readonly why?: string;
  /** In place of that, above its calls: all that is known of what is missing, and what to do. */
  readonly gone?: (calls: ReactNode) => ReactNode;
  /** Its calls, which may still be there. */
  readonly filter: GenerationSearch;
  readonly without?: Split;
  readonly defaultSplit?: Split;
  readonly callsLabel?: string;
}

type PastCallsProps = Pick<ResourceStateProps, 'filter' | 'without' | 'defaultSplit'>;

/** What is stored of the calls of a resource that does not exist any more. */
function PastCalls({ filter, without, defaultSplit }: PastCallsProps) {
  const { data } = useQuery(latestCallsQuery({ ...filter }));
  if (data === undefined || data.data.length === 0) return null;
  return (
    <>
      <Activity filter={filter} without={without} defaultSplit={defaultSplit} />
      <RecentCard rows={data.data} filter={filter} />
    </>
  );
}

/** A page whose resource is not loaded yet, or does not exist. Calls that are stored of it are still shown. */
export function ResourceState(props: ResourceStateProps) {
  const t = resourcePageMessages();
  const {
    what,
    name,
    back,
    query,
    isMissing,
    why,
    gone,
    filter,
    without,
    defaultSplit,
    callsLabel = t.itsRequests,
  } = props;
  const calls = (
    <PastCalls
      filter={filter}
      {...(without !== undefined && { without })}
      {...(defaultSplit !== undefined && { defaultSplit })}
    />
  );
  return (
    <div className="flex w-full flex-col gap-4 px-4 py-3">
      <header className="flex flex-col gap-1">
        {back}
        <h1 className="text-xl font-semibold tracking-tight break-words">{showControls(name)}</h1>
      </header>
      {isMissing ? (
        gone === undefined ? (
          <>
            <EmptyState title={t.missing(what)}>
              <p>{why}</p>
              <Link to="/generations" search={filter} className="text-accent underline">
                {callsLabel}
              </Link>
            </EmptyState>
            {calls}
          </>
        ) : (
          gone(calls)
        )
      ) : (
        <NotLoaded what={t.resource(what)} failure={t.resourceFailed(what)} query={query} isFlush />
      )}
    </div>
  );
}
