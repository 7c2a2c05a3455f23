/** What cached answers bring: pages asked for again, and pages whose count is known. */
import { compareWorks } from './compare.ts'
import type { World } from './world.ts'

/**
 * `page` asks for the same pages again and again; `walk` goes from page to page of some grids, so
 * that only their counts are known. The bare server reads all of it each time.
 */
export const measureQueryCache = (executable: string, world: World): Promise<string[]> =>
  compareWorks(executable, world, { page: 3, walk: 1 })
