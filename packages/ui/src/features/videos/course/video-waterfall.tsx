import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { Loading } from '../../../parts/messages/states.tsx';
import type { Course } from '../../../parts/waterfall/lane.ts';
import { Waterfall } from '../../../parts/waterfall/waterfall.tsx';

interface VideoWaterfallProps {
  /** Undefined before it is loaded; null for a job of a former version. */
  readonly course: Course | null | undefined;
  readonly error: Error | null;
  readonly onRetry: () => void;
}

/** A video job on one axis of time. */
export function VideoWaterfall({ course, error, onRetry }: VideoWaterfallProps) {
  if (error !== null && course === undefined) {
    return (
      <div className="p-4">
        <ErrorPanel error={error} title="The times could not be loaded" onRetry={onRetry} />
      </div>
    );
  }
  if (course === undefined) return <Loading what="the times" />;
  if (course === null) return <p className="px-4 py-2 text-sm text-ink-faint">No times were recorded of this job.</p>;
  return <Waterfall label="The job on one axis of time" course={course} />;
}
