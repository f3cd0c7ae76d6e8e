import { createRoot } from 'react-dom/client';

import { QuickPanel } from './quick-panel.tsx';

/** Shows the quick panel alone, without the frame of the screens. */
export function showPanel(host: HTMLElement): void {
  createRoot(host).render(<QuickPanel />);
}
