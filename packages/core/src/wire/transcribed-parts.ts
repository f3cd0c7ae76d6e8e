import { z } from 'zod';

const times = { start: z.number(), end: z.number() };

export const transcribedSegmentSchema = z.looseObject({ id: z.int(), ...times, text: z.string() });
export type TranscribedSegment = z.infer<typeof transcribedSegmentSchema>;

export const transcribedWordSchema = z.looseObject({ word: z.string(), ...times });
export type TranscribedWord = z.infer<typeof transcribedWordSchema>;
