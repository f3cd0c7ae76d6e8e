import './app.css';

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';

import { queryClient } from './api/query-client.ts';
import { resumeSession } from './api/sign-in.ts';
import { router } from './router.tsx';
import { followDesktop } from './shell/desktop.ts';
import { applyTheme } from './shell/preferences.ts';

applyTheme();
const host = document.getElementById('root');
if (host !== null) {
  // Before the router starts, which would take the token of a link for a path.
  await Promise.all([resumeSession(), followDesktop()]);
  createRoot(host).render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}
