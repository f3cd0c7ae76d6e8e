import type { VideoRow } from '@model-gateway/core/wire';

type Wanted = Pick<VideoRow, 'duration' | 'size' | 'resolution' | 'aspect_ratio'>;

/** `4 s · 640×360`; null where the request leaves all to the model. */
export function toSpecification({ duration, size, resolution, aspect_ratio: ratio }: Wanted): string | null {
  const parts = [
    duration === null ? null : `${duration} s`,
    size?.replace('x', '×') ?? null,
    ...(size === null ? [resolution, ratio] : []),
  ];
  return parts.filter((part) => part !== null).join(' · ') || null;
}
