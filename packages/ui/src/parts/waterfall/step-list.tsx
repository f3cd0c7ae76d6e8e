import { formatDuration } from '../../format/quantity.ts';
import { showControls } from '../text/show-controls.ts';
import { figuresOf } from './describe-lane.ts';
import type { Course, Lane } from './lane.ts';

/** The same as the picture, as text. */
export function StepList({ label, course: { lanes, markers } }: { label: string; course: Course }) {
  return (
    <div className="flex flex-col gap-2 px-4 py-2">
      <ol aria-label={label} className="flex flex-col gap-1.5 text-sm">
        {lanes.map((lane) => (
          <Step key={lane.id} lane={lane} />
        ))}
      </ol>
      {markers.length > 0 && (
        <p className="figures text-xs text-ink-faint">
          {markers.map(({ label: name, atMs }) => `${name} at ${formatDuration(atMs)}`).join(' · ')}
        </p>
      )}
    </div>
  );
}

function Step({ lane }: { lane: Lane }) {
  const { at, took } = figuresOf(lane);
  return (
    <li className="border-l-2 border-line pl-2">
      <span className="font-medium break-words">{showControls(lane.label)}</span>
      {lane.status !== '' && (
        <span className={lane.tone === 'bad' ? 'text-bad' : 'text-ink-soft'}> · {showControls(lane.status)}</span>
      )}
      <span className="figures text-ink-soft">
        {' '}
        · at {at}
        {took !== '' && `, took ${took}`}
      </span>
      {lane.detail.length > 0 && (
        <span className="block text-xs break-words text-ink-faint">{showControls(lane.detail.join(' '))}</span>
      )}
    </li>
  );
}
