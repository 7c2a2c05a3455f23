/** The pages that stand beside the code, and the comments that refer to them. */
import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path/posix'
import { renderReference } from '../../src/commands/schema.ts'
import { projectFiles, readProjectFile, type Source, sources } from './source.ts'

const CHANGELOG = '.github/CHANGELOG.md'
const REFERENCE = 'src/model/reference.md'

const pages = projectFiles.filter(
  (path) => path.endsWith('.md') && path !== CHANGELOG && path !== REFERENCE,
)

const folders = new Set(
  projectFiles.flatMap((path) => {
    const parts = path.split('/')
    return parts.map((_, at) => parts.slice(0, at).join('/'))
  }),
)

const isThere = (path: string): boolean =>
  projectFiles.includes(path) || folders.has(path.replace(/\/$/, ''))

/** The headings of a page, as its text has them. */
const headingsOf = (page: string): string[] =>
  [...readProjectFile(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)

/** A heading as links name it. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

interface Line {
  page: string
  number: number
  text: string
}

const lines: Line[] = pages.flatMap((page) =>
  readProjectFile(page)
    .split('\n')
    .map((text, at) => ({ page, number: at + 1, text })),
)

const findFaults = (faultsOf: (line: Line) => readonly string[]): string[] =>
  lines.flatMap((line) =>
    faultsOf(line).map((fault) => `${line.page}:${line.number}: ${fault} does not exist`),
  )

test('links of a page lead to a file and to a heading of it', () => {
  const found = findFaults(({ page, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return []
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      if (!isThere(target)) return [link]
      return anchor === undefined || headingsOf(target).map(toAnchor).includes(anchor) ? [] : [link]
    }),
  )
  expect(found).toEqual([])
})

test('paths on a page lead to a file or folder', () => {
  const path = /`((?:src|test|scripts|\.github)\/[\w./-]*)`/g
  const found = findFaults(({ text }) =>
    [...text.matchAll(path)].flatMap(([, named = '']) => (isThere(named) ? [] : [named])),
  )
  expect(found).toEqual([])
})

test('steps of a journey name what their file has', () => {
  const step = /^\d+\. `([\w./-]+\.ts)`: ((?:`[\w.]+`(?:, )?)+)/
  let steps = 0
  const found = findFaults(({ text }) => {
    const [, path = '', named = ''] = step.exec(text) ?? []
    if (path === '' || !isThere(path)) return []
    steps++
    const words = new Set(readProjectFile(path).match(/\w+/g))
    const names = named.match(/\w+/g) ?? []
    return names.filter((name) => !words.has(name)).map((name) => `${name} in ${path}`)
  })
  expect(found).toEqual([])
  expect(steps).toBeGreaterThan(50)
})

test('settings and codes that a page names are in the source', () => {
  const source = sources.flatMap(({ path, text }) => (path.startsWith('src/') ? text : [])).join()
  const found = findFaults(({ text }) =>
    [...text.matchAll(/`(Svc:\w+:\w+|[A-Z]+(?:_[A-Z]+)+)`/g)].flatMap(([, named = '']) =>
      source.includes(`'${named}'`) ? [] : [named],
    ),
  )
  expect(found).toEqual([])
})

test('the reference of the model language is what is generated', () => {
  // bun src/main.ts schema --reference > src/model/reference.md
  expect(readProjectFile(REFERENCE)).toBe(renderReference())
})

/** The comments of a file, each on one line. */
const commentsOf = ({ path, comments }: Source): string[] =>
  comments.map(({ text }) => `${path}: ${text.replace(/\s*\n\s*\*?\s*/g, ' ').trim()}`)

const comments = sources.flatMap(commentsOf)

test('references in comments lead to a page and to a heading of it', () => {
  let references = 0
  const found = comments.filter((comment) =>
    [...comment.matchAll(/([\w./-]+\.md)(?:, ([^);]+))?/g)].some(([, page = '', heading]) => {
      references++
      if (!projectFiles.includes(page)) return true
      return heading !== undefined && !headingsOf(page).includes(heading)
    }),
  )
  expect(found).toEqual([])
  expect(references).toBeGreaterThan(50)
})

test('files that comments name are there', () => {
  const found = comments.filter((comment) =>
    [...comment.matchAll(/`(\w[\w./-]*\.(?:ts|xsd|sql))`/g)].some(
      ([, named = '']) => !projectFiles.some((path) => `/${path}`.endsWith(`/${named}`)),
    ),
  )
  expect(found).toEqual([])
})

/** Pages that are not in the project, as comments once named them. */
const ELSEWHERE =
  /\((?:architecture|contract|model language|attacks)\b[,:)]|\bspecification|\bthe contract\b/i

test('comments refer to no page that is not here', () => {
  expect(comments.filter((comment) => ELSEWHERE.test(comment))).toEqual([])
})

const HANDBOOK = 'src/commands/README.md'

test('the handbook has each alert, and each setting of how long something stays', () => {
  const page = readProjectFile(HANDBOOK)
  const alerts = [
    ...readProjectFile('scripts/monitoring/alerts.yml').matchAll(/- alert: (\w+)/g),
  ].map(([, name = '']) => name)
  expect(alerts.length).toBeGreaterThan(10)
  const settings = sources.flatMap(({ path, text }) =>
    path.startsWith('src/')
      ? [...text.matchAll(/'(Svc:\w+:(?:Retention|Keep|UndoFor))'/g)].map(([, name = '']) => name)
      : [],
  )
  expect(settings).toContain('Svc:Audit:Keep')
  const isTold = (name: string): boolean =>
    page.includes(name) || (name.endsWith(':Keep') && page.includes(`${name.split(':')[1]}:`))
  expect([...alerts, ...settings].filter((name) => !isTold(name))).toEqual([])
})
