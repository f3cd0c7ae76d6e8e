import './app.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';

import { recentCallsQuery } from './api/queries.ts';
import { followChanges, queryClient, recoverQueries } from './api/query-client.ts';
import { getSession } from './api/session.ts';
import { followDesktop, getDesktop } from './app/desktop.ts';
import { applyPreferences, useLocaleKey } from './app/preferences.ts';
import { resumeSession } from './app/sign-in.ts';
import { loadScreen, router } from './router.tsx';

applyPreferences();
followChanges();
recoverQueries();
const host = document.getElementById('root');
if (host !== null) void start(host);

// A function, because the screens' scripts import this one: they would wait for it as long as it waited for them.
async function start(host: HTMLElement): Promise<void> {
  // The desktop app's small window shows no screen.
  if (getDesktop() !== undefined && location.hash === '#/panel') {
    const { showPanel } = await import('./panel/quick-panel.tsx');
    return showPanel(host);
  }
  // First of all, because the router would take the token of a link for a path.
  const signedIn = resumeSession().then(askForOverview);
  await Promise.all([signedIn, followDesktop(), loadScreen()]);
  // The address may change before the page is drawn, which is when the router begins to look; it adds the very same
  // function, which the history keeps once. It heeds no promise.
  // oxlint-disable-next-line typescript/no-misused-promises
  router.history.subscribe(router.load);
  // The screen is loaded first, so that the page is drawn once and not in steps.
  await router.load();
  createRoot(host).render(
    <QueryClientProvider client={queryClient}>
      <Screens />
    </QueryClientProvider>,
  );
}

/** Made anew in another language or time zone: texts are read while a component is drawn, and not passed on. */
function Screens() {
  return <RouterProvider key={useLocaleKey()} router={router} />;
}

/** Asks for what the first screen waits for while its script may still be on its way. */
function askForOverview(): void {
  if (getSession().type === 'none' || router.latestLocation.pathname !== '/') return;
  // The screen itself says why something could not be loaded.
  queryClient
    .fetchQuery(recentCallsQuery)
    .then(loadFirstRun)
    .catch(() => undefined);
}

/** Nothing was ever called, so that the overview will begin with the first steps. */
async function loadFirstRun({ data }: { readonly data: readonly unknown[] }): Promise<void> {
  if (data.length === 0) await import('./screens/overview/first-run.tsx');
}
