/** The part of the model's floor: its sentences. */
import type { Part } from '../kernel/part.ts'
import { GERMAN } from './german.ts'

/** See `Part`. */
export const modelFloor: Part = { translations: { de: GERMAN } }
