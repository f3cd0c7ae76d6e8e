import type { GatewayState } from '../app/gateway-state.ts';
import { classNames } from './class-names.ts';

/** The shape differs too, for those to whom the colours look alike. */
const LOOKS: Readonly<Record<GatewayState['tone'], string>> = {
  good: 'rounded-full bg-good',
  caution: 'rotate-45 bg-caution',
  bad: 'rounded-none bg-bad',
  unknown: 'rounded-full bg-line-strong',
};

/** Stands before the words for a state. */
export function StateMark({ tone, className }: Pick<GatewayState, 'tone'> & { readonly className?: string }) {
  const look = classNames('inline-block size-2.5 shrink-0 forced-color-adjust-none', LOOKS[tone], className);
  return <span aria-hidden="true" className={look} />;
}
