/**
 * `bun run house --play`: adds a kind of each family to a copy of the source and shows the files
 * that the compiler names. A kind that is declared alone must not compile; with what was asked for,
 * all of them must.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '..')

/** A change of one file: `find` becomes `put`; a new file where `find` is left out. */
interface Edit {
  path: string
  find?: string
  put: string
}

interface Play {
  adds: string
  declare: readonly Edit[]
  /** Changes that the compiler has asked for. */
  answer: readonly Edit[]
  /** Files that a test asks for, since they are no TypeScript. */
  byTest: readonly string[]
}

const FIELD = `import { decimal } from './decimal.ts'
import type { FieldKind } from './field-kind.ts'

export const percent: FieldKind = `

const PLAYED = "import { playedFeature } from './features/played/routes.ts'"

const PLAYS: readonly Play[] = [
  {
    adds: 'a kind of field',
    declare: [
      {
        path: 'src/model/fields/kinds.ts',
        find: '  File: file,\n',
        put: '  File: file,\n  Percent: percent,\n',
      },
      {
        path: 'src/model/fields/kinds.ts',
        find: "import { text } from './text.ts'\n",
        put: "import { percent } from './percent.ts'\nimport { text } from './text.ts'\n",
      },
      { path: 'src/model/fields/percent.ts', put: `${FIELD}{}\n` },
    ],
    answer: [
      { path: 'src/model/fields/percent.ts', put: `${FIELD}{ ...decimal }\n` },
      {
        path: 'src/engine/extensions/authoring.ts',
        find: "'Guid' | 'Json'\n",
        put: "'Guid' | 'Json' | 'Percent'\n",
      },
    ],
    byTest: ['src/model/model.xsd'],
  },
  {
    adds: 'a kind of widget',
    declare: [
      {
        path: 'src/model/widget-kinds.ts',
        find: '  Text: PLAIN,\n',
        put: '  Text: PLAIN,\n  Gauge: PLAIN,\n',
      },
    ],
    answer: [
      {
        path: 'src/engine/printed-reports/page-document.ts',
        find: "  Pie: chart('pie'),\n",
        put: "  Pie: chart('pie'),\n  Gauge: chart('pie'),\n",
      },
    ],
    byTest: ['src/model/model.xsd'],
  },
  {
    adds: 'a form of series',
    declare: [
      {
        path: 'src/model/widget-kinds.ts',
        find: '  Line: FORM,\n',
        put: '  Line: FORM,\n  Steps: FORM,\n',
      },
    ],
    answer: [
      {
        path: 'src/engine/printed-reports/page-document.ts',
        find: "  Pie: chart('pie'),\n",
        put: "  Pie: chart('pie'),\n  Steps: chart('line'),\n",
      },
      {
        path: 'src/engine/printed-reports/page-figures.ts',
        find: "  Line: 'line',\n",
        put: "  Line: 'line',\n  Steps: 'line',\n",
      },
    ],
    byTest: ['src/model/model.xsd'],
  },
  {
    adds: 'a form of series on paper',
    declare: [
      {
        path: 'src/engine/pdf/document.ts',
        find: "  /** Its form; a pie has slices. */\n  type: 'bar'",
        put: "  /** Its form; a pie has slices. */\n  type: 'steps' | 'bar'",
      },
    ],
    answer: [
      {
        path: 'src/engine/pdf/chart/series-marks.ts',
        find: '  line: {',
        put:
          '  steps: { hasBars: false, hasSurface: false, hasLine: true, isPiled: false },\n' +
          '  line: {',
      },
    ],
    byTest: [],
  },
  {
    adds: 'a period of sequences',
    declare: [
      {
        path: 'src/model/sequence-periods.ts',
        find: '  Never: {',
        put: '  Hourly: {},\n  Never: {',
      },
    ],
    answer: [
      {
        path: 'src/model/sequence-periods.ts',
        find: '  Hourly: {},',
        put: "  Hourly: { length: 13, parts: [YEAR, ['MM'], ['dd']] },",
      },
    ],
    byTest: ['src/model/model.xsd'],
  },
  {
    adds: 'a verb',
    declare: [
      {
        path: 'src/model/compiled/role.ts',
        find: '  Export: OF_MANY,\n',
        put: '  Export: OF_MANY,\n  Share: OF_MANY,\n',
      },
    ],
    answer: [
      {
        path: 'src/access/rights/grant.ts',
        find: "      Export: verbs.has('Export'),\n",
        put: "      Export: verbs.has('Export'),\n      Share: verbs.has('Share'),\n",
      },
      {
        path: 'src/engine/object/schema.ts',
        find: '  Export: Type.Boolean(),\n',
        put: '  Export: Type.Boolean(),\n  Share: Type.Boolean(),\n',
      },
      {
        path: 'src/engine/assistant/builtin/about.ts',
        find: '  Export: say`Export`,\n',
        put: '  Export: say`Export`,\n  Share: say`Share`,\n',
      },
    ],
    byTest: ['src/model/model.xsd', 'src/engine/assistant/german.ts'],
  },
  {
    adds: 'an effect',
    declare: [
      {
        path: 'src/model/compiled/effect.ts',
        find: '  webhook: { event: string }\n',
        put: '  webhook: { event: string }\n  wait: { seconds: number }\n',
      },
    ],
    answer: [
      {
        path: 'src/model/compiled/effect.ts',
        find: '  workflow: { element: undefined,',
        put: "  wait: { element: 'Wait', writesRecord: false },\n  workflow: { element: undefined,",
      },
      {
        path: 'src/model/compile/effects.ts',
        find: '  workflow: () => undefined,\n',
        put: "  workflow: () => undefined,\n  wait: () => ({ kind: 'wait', seconds: 1 }),\n",
      },
      {
        path: 'src/engine/object/after-write/effects.ts',
        find: '  job: enqueueCaused,\n',
        put: '  job: enqueueCaused,\n  wait: () => {},\n',
      },
    ],
    byTest: ['src/model/model.xsd'],
  },
  {
    adds: 'an operator of filters',
    declare: [
      {
        path: 'src/model/operators.ts',
        find: "  between: { ...ONE, takes: 'pair' },\n",
        put: "  between: { ...ONE, takes: 'pair' },\n  near: ONE,\n",
      },
    ],
    answer: [
      {
        path: 'src/engine/assistant/builtin/explain.ts',
        find: '  isNull: (name)',
        put: '  near: (name) => name,\n  isNull: (name)',
      },
    ],
    byTest: ['src/engine/assistant/german.ts'],
  },
  {
    adds: 'a state of jobs',
    declare: [
      {
        path: 'src/store/tables/jobs.ts',
        find: '  /** Waits for an instant. */\n',
        put: '  Paused: {},\n  /** Waits for an instant. */\n',
      },
    ],
    answer: [{ path: 'src/store/tables/jobs.ts', find: '  Paused: {},', put: '  Paused: QUEUED,' }],
    byTest: [],
  },
  {
    adds: 'a feature',
    declare: [
      {
        path: 'src/app.ts',
        find: '  healthFeature,\n',
        put: '  healthFeature,\n  playedFeature,\n',
      },
      {
        path: 'src/app.ts',
        find: 'import { healthFeature }',
        put: `${PLAYED}\nimport { healthFeature }`,
      },
    ],
    answer: [
      {
        path: 'src/features/played/routes.ts',
        put:
          "import type { Feature } from '../../server/feature.ts'\n\n" +
          'export const playedFeature: Feature = { routes: [] }\n',
      },
    ],
    byTest: [],
  },
]

/** A copy of all that the compiler reads, without the tests. */
function copySource(): string {
  const home = mkdtempSync(join(tmpdir(), 'appengine-plays-'))
  for (const name of ['src', 'data', 'package.json'])
    cpSync(join(ROOT, name), join(home, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'))
  const config = readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')
  writeFileSync(
    join(home, 'tsconfig.json'),
    config.replace(/"include": \[.*\]/, '"include": ["src"]'),
  )
  return home
}

/** @throws Error for an edit of a text that no longer exists */
function apply(home: string, edits: readonly Edit[]): void {
  for (const { path, find, put } of edits) {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    const text = find === undefined ? '' : readFileSync(file, 'utf8')
    if (find !== undefined && !text.includes(find)) throw new Error(`${path} has no ${find}`)
    writeFileSync(file, find === undefined ? put : text.replace(find, () => put))
  }
}

/** Files with errors, in their order. */
async function compile(home: string): Promise<string[]> {
  const command = [process.execPath, 'x', '--no-install', 'tsc', '--noEmit', '-p', home]
  const compiler = Bun.spawn(command, { cwd: ROOT, stdout: 'pipe', stderr: 'inherit' })
  const told = await new Response(compiler.stdout).text()
  const named = Array.from(told.matchAll(/^(\S+\.ts)\(\d+,\d+\): error/gm), ([, path = '']) => path)
  return [...new Set(named.map((path) => path.slice(Math.max(0, path.lastIndexOf('src/')))))]
}

async function withSource<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = copySource()
  try {
    return await use(home)
  } finally {
    rmSync(home, { recursive: true })
  }
}

/** Plays each kind; resolves to what went otherwise than it should. */
export async function playKinds(): Promise<string[]> {
  const rows: object[] = []
  const faults: string[] = []
  for (const { adds, declare, answer, byTest } of PLAYS) {
    const named = await withSource((home) => {
      apply(home, declare)
      return compile(home)
    })
    if (named.length === 0) faults.push(`${adds}: the compiler asks for nothing`)
    const files = new Set([...declare, ...answer].map(({ path }) => path))
    rows.push({
      adds,
      files: files.size + byTest.length,
      'the compiler names': named.join(' '),
      'a test names': byTest.join(' '),
    })
  }
  console.table(rows)
  const left = await withSource((home) => {
    for (const { declare, answer } of PLAYS) apply(home, [...declare, ...answer])
    return compile(home)
  })
  return left.length > 0 ? [...faults, `Does not compile: ${left.join(' ')}`] : faults
}
