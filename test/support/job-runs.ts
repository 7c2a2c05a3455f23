/** Records of runs of jobs, written by processes that were killed meanwhile. */

/** A run that begins or ends. */
export interface RunLine {
  /** Of the process: what it had begun ends with it. */
  process: string
  what: 'begin' | 'end'
  job: number
  /** Of jobs with one key, one runs at a time; empty: it has none. */
  key: string
}

/** A line as `readRunLines` reads it. */
export const printRunLine = ({ process, what, job, key }: RunLine): string =>
  `${process} ${what} ${job} ${key}\n`

/** Lines of a log; the last one may have been cut off with its process. */
export const readRunLines = (text: string): RunLine[] =>
  text.split('\n').flatMap((line) => {
    const [process = '', what = '', job = '', key = ''] = line.split(' ')
    return what === 'begin' || what === 'end' ? [{ process, what, job: Number(job), key }] : []
  })

/** The jobs of which some run came to its end. */
export const listDone = (lines: readonly RunLine[]): Set<number> =>
  new Set(lines.flatMap(({ what, job }) => (what === 'end' ? [job] : [])))

/** Keys of which two were under way at once in one process. */
export function findOverlaps(lines: readonly RunLine[]): string[] {
  const open = new Set<string>()
  const found: string[] = []
  for (const { process, what, key } of lines) {
    if (key === '') continue
    const name = `${process} ${key}`
    if (what === 'end') open.delete(name)
    else if (open.has(name)) found.push(name)
    else open.add(name)
  }
  return found
}
