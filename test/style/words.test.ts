import { expect, test } from 'bun:test'
import {
  placeOf,
  projectFiles,
  readProjectFile,
  type Source,
  sources,
  type SyntaxNode,
  withoutComments,
} from './source.ts'

/** Everything that the top level may hold beside dotfiles. */
const TOP_LEVEL = new Set([
  'package.json',
  'bunfig.toml',
  'tsconfig.json',
  'src',
  'data',
  'test',
  'scripts',
  'README.md',
  'bun.lock',
  'LICENSE',
])

/** Files that say what they forbid. */
const RULES = 'test/style/'

/** Each with what to do in its stead. */
const BANNED_WORDS: [RegExp, string][] = [
  [/\b(?:TODO|FIXME|XXX)\b/, 'an issue'],
  [/@ts-(?:ignore|nocheck|expect-error)/, 'a type that holds'],
  [/\b(?:test|it|describe)\.(?:skip|only|todo|if|skipIf|failing)\b/, 'a test that runs'],
  [/eslint-disable|prettier-ignore/, 'code that needs no exception'],
]

/** Words that are ours alone, each with the one that the field has for it. */
const PRIVATE_WORDS: [RegExp, string][] = [
  [/\b(?:settle pass|SettledRow|planSettle|useSettle)/, 'after-write'],
  [/\b(?:kept answer|KeptReader)/i, 'query cache'],
  [/\b(?:touched log|TouchedLog|takeTouched)\b/i, 'change log'],
  [/\bWorkLine\b/, 'SerialConnection'],
  [/\b(?:Pacing|nextTurn)\b/, 'Yielder, yieldNow'],
  [/\b(?:Speeds|Quickness|mayEarn|isEarned|noteQuick|noteLane)\b/, 'QueryStats, isInlineAllowed'],
  [/\b(?:Handover|handOver|handOn)\b/, 'OutboxMessage, enqueue'],
  [/\b(?:RaisedAction|hasRaised|takeRaised)\b/, 'pending events'],
  [/\b(?:openPost|PostOptions|writeLetter|Addressee)\b/, 'Mailer, EmailTemplate, Recipient'],
  [/\b(?:isDrawnKey|drawNumber)\b/, 'isGeneratedKey, nextNumber'],
  [/\b(?:takeDoubles|RowIntake|findHeads|SeenScope)\b/, 'duplicates, reader, headers, visibility'],
  [/\b(?:requireStanding|keepStanding)\b/, 'caller validity'],
  [/\bWireCondition\b/, 'FieldCondition'],
  [/\bjudgeGate\b/, 'evaluateGate'],
  [/\bmatchMembers\b/, 'matchBodyNames'],
  [/\b(?:tellFault|tellIssue|tellExpectation|tellNewDevice)\b/, 'format, describe or notify'],
  [/\b(?:BoardScopeOf|boardUsers|Administered|tellHeld)\b/, 'AdminScope, ScopedUser, UserRecord'],
  [/\b(?:RowReach|composeRowReach|keptFilters)\b/, 'RowCondition, checkFilters'],
  [/\b(?:distrust|NOWHERE)\b/, 'markBroken, NO_SURFACES'],
  [/\b(?:EffectScope|StatementScope|EventRowsScope|SequenceScope)\b/, 'EffectRun, StatementRun'],
  [/\b(?:put by|CONCEALED)\b/, 'reserved, HIDDEN_RULE'],
  [/\b(?:askReached|tellLost|DoubleRow|isOneByOne)\b/, 'queryReached, reportLost, DuplicateRow'],
  [/\b(?:tellMerged|translateModel|GateMemory)\b/, 'describeMerged, renderMessage'],
]

/** Phrases and names that no native speaker writes, each with one that they would. */
const DIALECT: [RegExp, string][] = [
  [/: try again|\bit is said\b|\bby and by\b/, 'a plain sentence'],
  [/\b(?:is no number among|is no member|is no valid|is none of its|no instant)\b/, 'is not a'],
  [/\b(?:is not there any more|is gone on|is over;)/, 'no longer exists, has ended'],
  [/\bon its way\b/, 'in progress'],
  [/\bnone that may\b|\bof yours may wait\b/, 'not allowed to, your pending'],
  [/\bstands? (?:twice|beside)\b/, 'is repeated, is next to'],
  [/\bgone on with\b/, 'continued'],
  [/\b(?:begins?|made|computed|read|signs|started) anew\b/, 'again'],
  [/\bis made at once\b|\bthe first has not\b/, 'immediately, the first one has not'],
  [/\bhears? of\b/, 'receives, is notified of'],
  [/\b(?:is|are) told (?:to|by|of)\b|\btold once\b/, 'is asked to, is sent'],
  [/\b(?:hush|spoilt|misgivings?|crowd|crowded)\b|Spoilt|\bCROWDED\b/, 'mute, abandoned, many'],
  [/\bdoubt(?:ed|ful)\b|Doubt(?:ed|ful)|DOUBT(?:ED|FUL)/, 'isUnchecked, mayBeReplaced, stale'],
  [/\bat the most\b/, 'at most'],
  [/\bwhoever\b(?!')|\bsomebody\b/i, 'the user, the caller, a client'],
  [/\bholes?\b/, 'gap'],
  [/\bof then\b/, 'of that time'],
  [/\bcalled so\b/, 'with that name'],
  [/\btaken back\b/, 'undone, revoked'],
]

/** Allowed in these files alone. */
const SINGLE_HOMES: [RegExp, string][] = [
  [/\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b/, 'src/kernel/settings.ts'],
  [/\bprocess\.(?:exit|exitCode|abort)\b/, 'src/main.ts'],
]

/** Companies and users of tests are made in one way, in this file. */
const PEOPLE = 'test/support/people.ts'
const MAKES_PEOPLE = /\bsaveNew(?:Company|User)\(|\buserName: .*\broles: \[.*\bcompanies: \[/

const BANNED_NAMES =
  /(?:^|\/)(?:services?|utils?|helpers?|common|index|misc|managers?)(?:\.[a-z.]+)?(?=\/|$)/

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*\.ts$/

function findLines(text: string, pattern: RegExp): number[] {
  return text.split('\n').flatMap((line, at) => (pattern.test(line) ? [at + 1] : []))
}

/** Places of the nodes that `isFaulty` picks. */
const findNodes = (from: readonly Source[], isFaulty: (node: SyntaxNode) => boolean): string[] =>
  from.flatMap((source) => source.nodes.filter(isFaulty).map((node) => placeOf(source, node)))

test('no words that stand for work left undone or checks switched off', () => {
  const found = sources
    .filter(({ path }) => !path.startsWith(RULES))
    .flatMap(({ path, text }) =>
      BANNED_WORDS.flatMap(([pattern, instead]) =>
        findLines(text, pattern).map((line) => `${path}:${line}: write ${instead}`),
      ),
    )
  expect(found).toEqual([])
})

test('code says the words of its field', () => {
  const found = sources
    .filter(({ path }) => !path.startsWith(RULES))
    .flatMap(({ path, text }) =>
      PRIVATE_WORDS.flatMap(([pattern, instead]) =>
        findLines(text, pattern).map((line) => `${path}:${line}: write ${instead}`),
      ),
    )
  expect(found).toEqual([])
})

test('src and scripts are written in plain English', () => {
  const found = sources
    .filter(({ path }) => path.startsWith('src/') || path.startsWith('scripts/'))
    .flatMap(({ path, text }) =>
      DIALECT.flatMap(([pattern, instead]) =>
        findLines(text, pattern).map((line) => `${path}:${line}: write ${instead}`),
      ),
    )
  expect(found).toEqual([])
})

test('documents, the schema and the applications are, too', () => {
  const found = projectFiles
    .filter((path) => /\.(?:md|xsd)$|^data\/.*\.xml$/.test(path) && !path.endsWith('CHANGELOG.md'))
    .flatMap((path) =>
      DIALECT.flatMap(([pattern, instead]) =>
        findLines(readProjectFile(path), pattern).map(
          (line) => `${path}:${line}: write ${instead}`,
        ),
      ),
    )
  expect(found).toEqual([])
})

test('what belongs in one file stands in that file', () => {
  const found = sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap((source) =>
      SINGLE_HOMES.filter(([, home]) => home !== source.path).flatMap(([pattern, home]) =>
        findLines(withoutComments(source), pattern).map(
          (line) => `${source.path}:${line}: only in ${home}`,
        ),
      ),
    )
  expect(found).toEqual([])
})

/** Getters of a call are lost in a copy, and its types do not say so. */
const COPIED_CALL = /\.\.\.call\b(?!\.)/

test('no call of a request is spread', () => {
  const found = sources
    .filter(({ path }) => path.startsWith('src/features/') || path.startsWith('src/server/'))
    .flatMap((source) =>
      findLines(withoutComments(source), COPIED_CALL).map((line) => `${source.path}:${line}`),
    )
  expect(found).toEqual([])
})

test('companies and users of tests are made in one way', () => {
  const found = sources
    .filter(({ path }) => path.startsWith('test/') && path !== PEOPLE)
    .flatMap((source) =>
      findLines(withoutComments(source), MAKES_PEOPLE).map(
        (line) => `${source.path}:${line}: makePeople or savePeople of ${PEOPLE}`,
      ),
    )
  expect(found).toEqual([])
})

test('no any', () => {
  expect(findNodes(sources, (node) => node.type === 'TSAnyKeyword')).toEqual([])
})

test('named exports, no barrels', () => {
  // An extension is its default export.
  const other = /\.(?:config|d)\.ts$|^data\/(?:demo|starter)\/extensions\//
  const inside = sources.filter(({ path }) => !other.test(path))
  const types = new Set(['ExportDefaultDeclaration', 'ExportAllDeclaration', 'TSExportAssignment'])
  expect(findNodes(inside, (node) => types.has(node.type))).toEqual([])
})

test('files and folders are named for what they hold', () => {
  const found = projectFiles.filter(
    (path) =>
      path.endsWith('.ts') &&
      (BANNED_NAMES.test(path) || !KEBAB_CASE.test(path.split('/').at(-1) ?? '')),
  )
  expect(found).toEqual([])
})

test('the top level holds what it should', () => {
  const top = new Set(projectFiles.map((path) => path.split('/')[0] ?? ''))
  expect([...top].filter((name) => !name.startsWith('.') && !TOP_LEVEL.has(name))).toEqual([])
})

test('no paths of a machine and no package registry in any file', () => {
  const homes = ['work/', 'root/', 'home/[a-z]', 'Users/[A-Za-z]'].map((home) => `/${home}`)
  const folders = [...homes, 'C:\\\\Users'].join('|')
  const hosts = ['registry\\.npmjs', 'registry\\.yarnpkg', 'npm\\.pkg\\.github'].join('|')
  const pattern = new RegExp(`(?:^|[\\s"'\`=:(])(?:${folders})|(?:${hosts})`)
  const found = projectFiles
    .filter((path) => !path.startsWith(RULES) && !/\.(?:png|ico|db)$/.test(path))
    .flatMap((path) => findLines(readProjectFile(path), pattern).map((line) => `${path}:${line}`))
  expect(found).toEqual([])
})
