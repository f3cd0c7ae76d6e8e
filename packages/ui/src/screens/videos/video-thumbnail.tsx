import type { VideoRow } from '@model-gateway/core/wire';
import { Film } from 'lucide-react';
import { memo, useState } from 'react';

import { toApiUrl } from '../../api/call-api.ts';
import { toVideoPath } from './video-path.ts';

/** A little into the film: many begin black. */
const SHOWN_AT_S = 0.5;

/**
 * A picture of a job's first video, which the browser takes from the film itself: it asks for the parts of the file
 * that it needs. Nothing plays.
 */
export const VideoThumbnail = memo(function VideoThumbnail({ job: { id, videos } }: { job: VideoRow }) {
  const [hasFailed, setHasFailed] = useState(false);
  return (
    <span
      aria-hidden="true"
      className="grid h-9 w-16 shrink-0 place-items-center overflow-hidden rounded-md bg-raised text-ink-faint"
    >
      {videos === 0 || hasFailed ? (
        <Film size={16} />
      ) : (
        <video
          muted
          playsInline
          preload="metadata"
          tabIndex={-1}
          disablePictureInPicture
          src={`${toApiUrl(toVideoPath(id, 0))}#t=${SHOWN_AT_S}`}
          className="pointer-events-none h-full w-full object-cover"
          onError={() => setHasFailed(true)}
        />
      )}
    </span>
  );
});
