import { classNames } from '../../parts/class-names.ts';

/** A share from 0 to 1 as a bar. The figure stands beside it, so that it says nothing to assistive technology. */
export function ScoreBar({ share, isBad = false }: { share: number; isBad?: boolean }) {
  const percent = Math.min(100, Math.max(0, share * 100));
  return (
    <span aria-hidden="true" className="block h-2 w-full overflow-hidden rounded-full bg-raised">
      <span
        className={classNames('block h-full rounded-full', isBad ? 'bg-bad' : 'bg-accent')}
        style={{ width: `${percent}%` }}
      />
    </span>
  );
}
