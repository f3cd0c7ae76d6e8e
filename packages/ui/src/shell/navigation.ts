import {
  Archive,
  ChartColumn,
  KeyRound,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  Package,
  Plug,
  Send,
  Settings,
  ShieldCheck,
  Video,
} from 'lucide-react';

/** An item of the left rail. Its shortcuts are `g` and the letter, and Ctrl or Cmd with the digit, if it has one. */
interface RailItem {
  readonly path:
    | '/'
    | '/models'
    | '/generations'
    | '/playground'
    | '/videos'
    | '/guardrails'
    | '/keys'
    | '/destinations'
    | '/providers'
    | '/fixtures'
    | '/settings';
  readonly label: string;
  readonly letter: string;
  readonly digit?: string;
  readonly icon: LucideIcon;
}

/** Screens that are reached from others, by path. */
export const OTHER_SCREENS = { '/connect': 'Connect a tool', '/members/': 'Members' } as const;

/** The screens, in the order of the rail. */
export const RAIL_ITEMS: readonly RailItem[] = [
  { path: '/', label: 'Overview', letter: 'o', digit: '1', icon: ChartColumn },
  { path: '/models', label: 'Models', letter: 'm', digit: '2', icon: Package },
  { path: '/generations', label: 'Generations', letter: 'e', digit: '3', icon: ListTree },
  { path: '/playground', label: 'Playground', letter: 'p', digit: '4', icon: MessagesSquare },
  { path: '/videos', label: 'Videos', letter: 'v', digit: '5', icon: Video },
  { path: '/guardrails', label: 'Guardrails', letter: 'u', digit: '6', icon: ShieldCheck },
  { path: '/keys', label: 'Keys', letter: 'k', digit: '7', icon: KeyRound },
  { path: '/destinations', label: 'Destinations', letter: 'd', digit: '8', icon: Send },
  { path: '/providers', label: 'Providers', letter: 'r', digit: '9', icon: Plug },
  { path: '/fixtures', label: 'Fixtures', letter: 'f', icon: Archive },
  { path: '/settings', label: 'Settings', letter: 's', digit: '0', icon: Settings },
];
