import type { StoredContent } from '../stores/store.ts';
import type { CallCourse, GenerationContent } from '../wire/generation.ts';
import type { TimelineRecorder } from './observe/stream-timeline.ts';

/** A content with its times, as it is stored. */
export function toStoredContent(
  content: GenerationContent,
  course: CallCourse,
  timeline: TimelineRecorder | null,
): StoredContent {
  return timeline === null ? { ...content, course } : { ...content, course, timeline: timeline.toTimeline() };
}

/** A stored content as the API and destinations show it. */
export function toPublicContent({
  timeline: _timeline,
  course: _course,
  ...content
}: StoredContent): GenerationContent {
  return content;
}
