/** Reads what a run of tests wrote about itself (JUnit). Uses nothing but Bun. */
import { readFileSync } from 'node:fs'

/** How many checks of a step passed and failed. */
export interface Tally {
  passed: number
  failed: number
}

/** One file of a run. A skipped test counts as failed: this project keeps none. */
export interface FileReport extends Tally {
  /** Its path below the project: `test/style/sizes.test.ts`. */
  file: string
  /** One text a failure, its name first: `two days > are equal: expect(received)…`. */
  failures: string[]
}

const ENTITIES: Record<string, string> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' }

const unescape = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name?: string) =>
    code === undefined ? (ENTITIES[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
  )

/** The value of an attribute of a tag's text; empty where it has none. */
const attribute = (tag: string, name: string): string =>
  unescape(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

/** The failures among the test cases of one file. */
function listFailures(cases: string): string[] {
  const failed = cases.matchAll(/(<testcase [^>]*[^/])>\s*<(?:failure|error)\b([^>]*)>([^<]*)/g)
  return [...failed].map(([, head = '', cause = '', text = '']) => {
    const place = [attribute(head, 'classname'), attribute(head, 'name')].filter(Boolean)
    return `${place.join(' > ')}: ${unescape(text) || attribute(cause, 'message')}`
  })
}

/** Reads the report of a run, a row for each file; undefined when the run died before it. */
export function readTestReport(path: string): FileReport[] | undefined {
  let report: string
  try {
    report = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  // Files are the suites of the first level; groups within them are deeper.
  const files = report.split(/\n {2}(?=<testsuite )/).slice(1)
  return files.map((text) => {
    const head = text.slice(0, text.indexOf('>'))
    const count = (name: string): number => Number(attribute(head, name) || 0)
    const failed = count('failures') + count('errors') + count('skipped')
    const failures = listFailures(text)
    return { file: attribute(head, 'file'), passed: count('tests') - failed, failed, failures }
  })
}
