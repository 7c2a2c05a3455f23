/** What searches in a grid cost, each for another text, beside two passes of LIKE. */
import { compareWorks } from './compare.ts'
import type { World } from './world.ts'

/** Answers are not kept here: each search is one that nobody asked for before. */
export const measureSearch = (executable: string, world: World): Promise<string[]> =>
  compareWorks(executable, world, { search: 3 }, { 'Svc:Cache:MaxBytes': '0' })
