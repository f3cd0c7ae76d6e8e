import { Check, X } from 'lucide-react';

import { setPreferences } from '../../app/preferences.ts';
import { Button } from '../../parts/controls/button.tsx';
import { overviewMessages } from './messages.ts';

interface ChecklistProps {
  readonly done: readonly boolean[];
  /** Opens a step. */
  readonly onOpen: (step: number) => void;
}

/** What is left of the first steps; it stays until they are done or it is dismissed. */
export function Checklist({ done, onOpen }: ChecklistProps) {
  const t = overviewMessages().steps;
  const next = done.indexOf(false);
  return (
    <section aria-label={t.title} className="card flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-2.5">
      <h2 className="flex-1 text-base font-semibold whitespace-nowrap lg:flex-none">
        {t.title}{' '}
        <span className="figures text-sm font-normal text-ink-faint">
          {t.progress(done.filter(Boolean).length, done.length)}
        </span>
      </h2>
      <ol className="order-last flex w-full min-w-0 flex-wrap gap-x-4 gap-y-1 text-sm lg:order-none lg:w-auto lg:flex-1">
        {t.names.map((name, at) => (
          <li key={name}>
            <button
              type="button"
              className={`flex min-h-8 items-center gap-1.5 rounded-md px-1 hover:bg-raised ${done[at] === true ? 'text-ink-faint' : ''}`}
              onClick={() => onOpen(at)}
            >
              <StepSign at={at} isDone={done[at] === true} isCurrent={at === next} />
              {name}
            </button>
          </li>
        ))}
      </ol>
      <div className="flex gap-1">
        {next >= 0 && <Button onClick={() => onOpen(next)}>{t.next}</Button>}
        <Button
          look="quiet"
          aria-label={t.dismiss}
          title={t.dismiss}
          icon={<X size={15} />}
          onClick={() => setPreferences({ isIntroduced: true })}
        />
      </div>
    </section>
  );
}

/** The number of a step, or that it is done. */
export function StepSign({ at, isDone, isCurrent }: { at: number; isDone: boolean; isCurrent: boolean }) {
  const look = isDone ? 'bg-good-soft text-good' : isCurrent ? 'bg-accent text-accent-ink' : 'bg-raised';
  return (
    <span aria-hidden="true" className={`grid size-6 shrink-0 place-items-center rounded-full text-xs ${look}`}>
      {isDone ? <Check size={14} /> : at + 1}
    </span>
  );
}
