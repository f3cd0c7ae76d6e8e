import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { lazy, Suspense } from 'react';

import { readTexts } from './app/read-texts.ts';
import { toOverviewSearch } from './features/activity/overview-search.ts';
import { toFixtureSearch } from './features/fixtures/fixture-search.ts';
import { toGenerationSearch } from './features/generations/search/generation-search.ts';
import { toModelSearch } from './features/models/model-search.ts';
import { ErrorPanel } from './parts/messages/error-panel.tsx';
import { Loading } from './parts/messages/states.tsx';
import { toAuditSearch } from './screens/audit/audit-search.ts';
import { toAuthSearch } from './screens/auth/auth-request.ts';
import { toBatchSearch } from './screens/batches/batch-search.ts';
import { toDestinationSearch } from './screens/destinations/destination-search.ts';
import { toFileSearch } from './screens/files/file-search.ts';
import { toPlaygroundSearch } from './screens/playground/playground-search.ts';
import { toProviderSearch } from './screens/providers/provider-search.ts';
import { toRerunPageSearch, toRerunSearch } from './screens/reruns/rerun-search.ts';
import { toSettingsSearch } from './screens/settings/settings-search.ts';
import { toVideoSearch } from './screens/videos/video-search.ts';
import { Layout } from './shell/layout.tsx';
import { shellMessages } from './shell/messages.ts';

/** The part of a name, or of what else a row is found by; and which list, where a screen has two. */
const toListSearch = (search: Record<string, unknown>): { readonly q?: string; readonly view?: string } =>
  readTexts(search, ['q', 'view']);

/** Few addresses are wrong. */
const NotFound = lazy(async () => ({ default: (await import('./shell/not-found/not-found.tsx')).NotFound }));

const root = createRootRoute({ component: Layout });

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: toOverviewSearch,
  component: lazyRouteComponent(() => import('./screens/overview/overview-screen.tsx'), 'OverviewScreen'),
});
const models = createRoute({
  getParentRoute: () => root,
  path: '/models',
  validateSearch: toModelSearch,
  component: lazyRouteComponent(() => import('./screens/models/models-screen.tsx'), 'ModelsScreen'),
});
const generations = createRoute({
  getParentRoute: () => root,
  path: '/generations',
  validateSearch: toGenerationSearch,
  component: lazyRouteComponent(() => import('./screens/generations/generations-screen.tsx'), 'GenerationsScreen'),
});
const generation = createRoute({
  getParentRoute: () => root,
  path: '/generations/$id',
  validateSearch: toGenerationSearch,
  component: lazyRouteComponent(() => import('./screens/generations/generation-page.tsx'), 'GenerationPage'),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/generations/sessions',
  validateSearch: toGenerationSearch,
  component: lazyRouteComponent(() => import('./screens/generations/sessions/sessions-screen.tsx'), 'SessionsScreen'),
});
const session = createRoute({
  getParentRoute: () => root,
  path: '/generations/sessions/$id',
  component: lazyRouteComponent(() => import('./screens/generations/sessions/session-page.tsx'), 'SessionPage'),
});
const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: toPlaygroundSearch,
  component: lazyRouteComponent(() => import('./screens/playground/playground-screen.tsx'), 'PlaygroundScreen'),
});
const videos = createRoute({
  getParentRoute: () => root,
  path: '/videos',
  validateSearch: toVideoSearch,
  component: lazyRouteComponent(() => import('./screens/videos/videos-screen.tsx'), 'VideosScreen'),
});
const batches = createRoute({
  getParentRoute: () => root,
  path: '/batches',
  validateSearch: toBatchSearch,
  component: lazyRouteComponent(() => import('./screens/batches/batches-screen.tsx'), 'BatchesScreen'),
});
const files = createRoute({
  getParentRoute: () => root,
  path: '/files',
  validateSearch: toFileSearch,
  component: lazyRouteComponent(() => import('./screens/files/files-screen.tsx'), 'FilesScreen'),
});
const destinations = createRoute({
  getParentRoute: () => root,
  path: '/destinations',
  validateSearch: toDestinationSearch,
  component: lazyRouteComponent(() => import('./screens/destinations/destinations-screen.tsx'), 'DestinationsScreen'),
});
const providers = createRoute({
  getParentRoute: () => root,
  path: '/providers',
  validateSearch: toProviderSearch,
  component: lazyRouteComponent(() => import('./screens/providers/providers-screen.tsx'), 'ProvidersScreen'),
});
const fixtures = createRoute({
  getParentRoute: () => root,
  path: '/fixtures',
  validateSearch: toFixtureSearch,
  component: lazyRouteComponent(() => import('./screens/fixtures/fixtures-screen.tsx'), 'FixturesScreen'),
});
const reruns = createRoute({
  getParentRoute: () => root,
  path: '/reruns',
  validateSearch: toRerunSearch,
  component: lazyRouteComponent(() => import('./screens/reruns/reruns-screen.tsx'), 'RerunsScreen'),
});
const rerun = createRoute({
  getParentRoute: () => root,
  path: '/reruns/$id',
  validateSearch: toRerunPageSearch,
  component: lazyRouteComponent(() => import('./screens/reruns/rerun-page.tsx'), 'RerunPage'),
});
const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: toListSearch,
  component: lazyRouteComponent(() => import('./screens/keys/keys-screen.tsx'), 'KeysScreen'),
});
const connect = createRoute({
  getParentRoute: () => root,
  path: '/connect',
  validateSearch: ({ tool }: Record<string, unknown>) => (typeof tool === 'string' ? { tool } : {}),
  component: lazyRouteComponent(() => import('./screens/connect/connect-screen.tsx'), 'ConnectScreen'),
});
const key = createRoute({
  getParentRoute: () => root,
  path: '/keys/$hash',
  validateSearch: toOverviewSearch,
  component: lazyRouteComponent(() => import('./screens/keys/key-page.tsx'), 'KeyPage'),
});
const member = createRoute({
  getParentRoute: () => root,
  path: '/members/$id',
  validateSearch: toOverviewSearch,
  component: lazyRouteComponent(() => import('./screens/members/member-page.tsx'), 'MemberPage'),
});
const members = createRoute({
  getParentRoute: () => root,
  path: '/members',
  validateSearch: toListSearch,
  component: lazyRouteComponent(() => import('./screens/members/members-screen.tsx'), 'MembersScreen'),
});
const provider = createRoute({
  getParentRoute: () => root,
  path: '/providers/$slug',
  validateSearch: toOverviewSearch,
  component: lazyRouteComponent(() => import('./screens/providers/provider-page.tsx'), 'ProviderPage'),
});
// Most ids of models have an author, and some have more slashes.
const model = createRoute({
  getParentRoute: () => root,
  path: '/models/$author/$',
  validateSearch: toOverviewSearch,
  component: lazyRouteComponent(() => import('./screens/models/model-page.tsx'), 'ModelPage'),
});
const guardrails = createRoute({
  getParentRoute: () => root,
  path: '/guardrails',
  validateSearch: ({ open }: Record<string, unknown>) => (typeof open === 'string' ? { open } : {}),
  component: lazyRouteComponent(() => import('./screens/guardrails/guardrails-screen.tsx'), 'GuardrailsScreen'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: toAuditSearch,
  component: lazyRouteComponent(() => import('./screens/audit/audit-screen.tsx'), 'AuditScreen'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: toSettingsSearch,
  component: lazyRouteComponent(() => import('./screens/settings/settings-screen.tsx'), 'SettingsScreen'),
});

const auth = createRoute({
  getParentRoute: () => root,
  path: '/auth',
  validateSearch: toAuthSearch,
  component: lazyRouteComponent(() => import('./screens/auth/auth-screen.tsx'), 'AuthScreen'),
});

/** The screens by path. The path stands behind `#`, so that the bundle works wherever it is served from. */
export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    models,
    model,
    generations,
    generation,
    sessions,
    session,
    playground,
    videos,
    batches,
    files,
    guardrails,
    keys,
    connect,
    key,
    member,
    members,
    destinations,
    providers,
    provider,
    fixtures,
    reruns,
    rerun,
    audit,
    settings,
    auth,
  ]),
  history: createHashHistory(),
  // Queries are written as the API's own are: plain text, no JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
  defaultPendingComponent: () => <Loading what={shellMessages().theScreen} />,
  defaultErrorComponent: ({ error, reset }) => (
    <div className="p-6">
      <ErrorPanel error={error} title={shellMessages().screenFailed} onRetry={reset} />
    </div>
  ),
  defaultNotFoundComponent: () => (
    <Suspense>
      <NotFound />
    </Suspense>
  ),
});

/** Loads the script of the screen that the address leads to. One that cannot be loaded says so when it is to be shown. */
export async function loadScreen(): Promise<void> {
  router.updateLatestLocation();
  const [matched] = router.getMatchedRoutes(router.latestLocation.pathname);
  await Promise.all(matched.map(async (route) => router.loadRouteChunk(route)));
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
